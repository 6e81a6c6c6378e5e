import { Button, Group, Stack, Text } from '@mantine/core'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { listFriends, searchUsers } from '../../../contract/social.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { t } from '../../texts.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { NotFoundPage } from '../../ui/error-pages.tsx'
import { lazyComponent, OnDemand } from '../../ui/lazy-component.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { PersonAvatar, type Look } from '../../ui/person.tsx'
import { useTabTitle } from '../../ui/tab-title.ts'
import { QueryResult, Section } from '../../ui/page-parts.tsx'
import { useRequestFriend, type Person } from './friend-relations.ts'
import { PointsDialog } from './points-dialog.ts'
import { ReportButton } from './report-button.tsx'
import { SendForm } from './send-form.tsx'

const QrCode = lazyComponent(() => import('../account/qr-code.tsx'))

/** The page of a person: others send points here; the person sees their QR code. */
export default function PersonPage() {
  const { username } = useParams({ from: '/u/$username' })
  const own = useSession().session?.user
  const is = (person: { username: string }) => person.username.toLowerCase() === username.toLowerCase()
  const is_own = own !== undefined && is(own)
  const found = useApiQuery(searchUsers, { query: { q: username } }, { enabled: !is_own })
  if (is_own) return <OwnPage person={own} />
  return (
    <QueryResult query={found} rows={5}>
      {({ users }) => {
        const person = users.find(is)
        return person ? <OtherPage key={person.id} person={person} /> : <NotFoundPage />
      }}
    </QueryResult>
  )
}

function Head({ person, children }: { person: Look; children?: ReactNode }) {
  useTabTitle(person.username)
  return (
    <Group gap="md" mb="lg" wrap="nowrap">
      <PersonAvatar person={person} size={64} />
      <Stack gap={6} miw={0}>
        <PageTitle>
          <bdi>{person.username}</bdi>
        </PageTitle>
        {person.display_name && <Text className="user-content">{person.display_name}</Text>}
        {children}
      </Stack>
    </Group>
  )
}

function OwnPage({ person }: { person: Look }) {
  const url = `${location.origin}/u/${person.username}`
  return (
    <Section maw={560} mx="auto">
      <Head person={person} />
      <Stack align="center" ta="center" gap="sm">
        <OnDemand>
          <QrCode text={url} label={t('people.person.qr-code-of-your-page')} size={240} />
        </OnDemand>
        <Text fw={600}>{t('people.person.pay-me')}</Text>
        <Text c="dimmed" size="sm" maw={380}>
          {t('people.person.who-scans-it-can-send-you')}
        </Text>
        <CopyButton
          text={url}
          what={t('people.person.the-link-to-your-page')}
          label={t('people.person.copy-the-link')}
        />
      </Stack>
    </Section>
  )
}

function OtherPage({ person }: { person: Person }) {
  const friends = useApiQuery(listFriends, {})
  const ask = useRequestFriend(person)
  const { amount = '' } = useSearch({ from: '/u/$username' })
  const [asking, setAsking] = useState(false)
  const is_friend = friends.data?.some(({ id }) => id === person.id)
  return (
    <Section maw={560} mx="auto">
      <Head person={person}>
        <Group gap="xs">
          {is_friend && (
            <>
              <Text size="sm" c="dimmed">
                {t('people.person-search.your-friend')}
              </Text>
              <LinkButton to="/chat" search={{ with: person.id }} size="compact-sm" variant="default">
                {t('people.friend-row.message')}
              </LinkButton>
              <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
                {t('people.friend-row.ask-for-points')}
              </Button>
            </>
          )}
          {is_friend === false && (
            <Button
              size="compact-sm"
              variant="default"
              loading={ask.isPending}
              disabled={ask.isSuccess}
              onClick={() => ask.mutate({ body: { friend_id: person.id } })}
            >
              {t('people.person.add-as-a-friend')}
            </Button>
          )}
        </Group>
      </Head>
      <SendForm key={amount} to={person} amount={/^\d{1,9}$/.test(amount) ? Number(amount) : undefined} />
      <Group justify="flex-end">
        <ReportButton person={person} />
      </Group>
      <PointsDialog kind="ask" person={person} opened={asking} onClose={() => setAsking(false)} />
    </Section>
  )
}
