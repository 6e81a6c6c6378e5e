import { Stack } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { removePicture, setPicture } from '../../../contract/profiles.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PersonAvatar, type Look } from '../../ui/person.tsx'
import { PictureChoice } from '../../ui/picture-choice.tsx'
import { AddressChange } from './address-change.tsx'
import { ProfileForm } from './profile-form.tsx'
import { NameChange } from './name-change.tsx'
import { t } from '../../texts.ts'

export default function Details() {
  const profile = useApiQuery(me, {})
  const mailed = useMailedCode()
  return (
    <>
      <PageHead title={t('common.address-and-name')} about={t('account.details.where-mails-reach-you-and-what')} />
      <Stack gap="lg" maw={760}>
        <QueryResult query={profile} rows={6}>
          {({ user }) => (
            <>
              <Section title={t('account.overview.profile')}>
                <Stack gap="lg">
                  <Picture user={user} />
                  <ProfileForm user={user} />
                </Stack>
              </Section>
              <Section title={t('common.e-mail-address')}>
                <AddressChange user={user} mailed={mailed} />
              </Section>
              <Section title={t('common.name')}>
                <NameChange user={user} />
              </Section>
            </>
          )}
        </QueryResult>
      </Stack>
    </>
  )
}

function Picture({ user }: { user: Look }) {
  const save = useApiMutation(setPicture, { invalidates: [me] })
  const remove = useApiMutation(removePicture, { invalidates: [me] })
  return (
    <PictureChoice
      fit="cover"
      has_picture={Boolean(user.picture_url)}
      save={(picture) => save.mutateAsync({ body: { picture } })}
      remove={() => remove.mutateAsync({})}
      about={t('account.details.about-the-picture')}
    >
      {(preview) => <PersonAvatar person={{ ...user, picture_url: preview ?? user.picture_url ?? null }} size={96} />}
    </PictureChoice>
  )
}
