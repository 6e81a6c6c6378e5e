import { Alert, Button, Checkbox, Code, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { me } from '../../../contract/accounts.ts'
import { createApp, listMyApps } from '../../../contract/oauth-apps.ts'
import { requestable_scopes } from '../../../contract/kinds/scopes.ts'
import type { AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { queryKeyOf, useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { scope_looks } from '../../kinds.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { PageHead, Section } from '../../ui/page-parts.tsx'
import { RedirectUris, redirectUriErrors } from './redirect-uris.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { NewSecret } from './new-secret.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type NewApp = AnswerOf<typeof createApp>['app']

/** Registers an app, then shows its secret once. */
export default function RegisterApp() {
  const [created, setCreated] = useState<NewApp>()
  return created ? <Registered app={created} /> : <Registration onDone={setCreated} />
}

function Registered({ app }: { app: NewApp }) {
  const router = useRouter()
  return (
    <>
      <PageHead
        title={<RichText k="build.new-app.is-registered" bdi={<bdi>{app.app_name}</bdi>} />}
        about={t('build.new-app.you-can-start-to-build-now')}
      />
      <Section maw={760}>
        <NewSecret
          client_id={app.client_id}
          client_secret={app.client_secret}
          next_label={t('build.new-app.go-to-the-app')}
          onNext={() => void router.navigate({ to: '/apps/$id', params: { id: app.id }, ignoreBlocker: true })}
        />
      </Section>
    </>
  )
}

function Registration({ onDone }: { onDone: (app: NewApp) => void }) {
  const queries = useQueryClient()
  const { data } = useApiQuery(me, {})
  const { field, list, props, busy, failure } = useContractForm(createApp, {
    initial: {
      app_name: '',
      app_description: '',
      redirect_uris: [''] as string[],
      website_url: '',
      logo_url: '',
      requested_scopes: requestable_scopes.filter((scope) => scope_looks[scope].is_proposed) as string[],
      require_pkce: true,
    },
    validators: { redirect_uris: redirectUriErrors },
    lists: ['redirect_uris'],
    validate_on_change: true,
    onDone: async ({ app }) => {
      onDone(app)
      await queries.invalidateQueries({ queryKey: queryKeyOf(listMyApps) })
    },
  })
  return (
    <>
      <PageHead title={t('common.register-an-app')} about={t('build.new-app.you-get-a-client-id-and')} />
      <Section maw={760}>
        <form {...props}>
          <Stack gap="lg">
            {data?.user.email_verified === false && <NotVerified />}
            <TextInput
              {...field('app_name')}
              label={t('common.name')}
              description={t('build.new-app.people-see-it-when-they-let')}
            />
            <RedirectUris {...list('redirect_uris')} />
            <Textarea {...field('app_description')} label={t('common.description')} autosize minRows={2} />
            <Group grow align="flex-start">
              <TextInput
                {...field('website_url')}
                label={t('common.website')}
                placeholder="https://shop.example"
                inputMode="url"
              />
              <TextInput
                {...field('logo_url')}
                label={t('common.logo')}
                placeholder="https://shop.example/logo.png"
                inputMode="url"
              />
            </Group>
            <ScopeChoice
              {...field('requested_scopes')}
              label={t('build.new-app.what-it-may-do')}
              description={t('build.new-app.tick-only-what-it-needs-every')}
              offered={requestable_scopes}
              notes={remarks()}
            />
            <Checkbox
              {...field('require_pkce', 'checkbox')}
              label={t('common.require-pkce')}
              description={t('common.a-stolen-code-is-then-useless')}
            />
            <Refused failure={failure} />
            <Group justify="flex-end">
              <LinkButton to="/apps" variant="default">
                {t('common.cancel')}
              </LinkButton>
              <Button type="submit" loading={busy}>
                {t('build.new-app.register-the-app')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
    </>
  )
}

/** The notes on scopes, at registration. */
const remarks = () =>
  Object.fromEntries(
    requestable_scopes.flatMap((scope) => {
      const { note } = scope_looks[scope]
      return note === null ? [] : [[scope, t(note)]]
    }),
  )

const NotVerified = () => (
  <Alert color="yellow" variant="light" title={t('build.new-app.verify-your-e-mail-address-first')}>
    <RichText
      k="build.new-app.you-need-a-verified-address-to"
      link={(part) => <Link to="/verify-email">{part}</Link>}
    />
  </Alert>
)

const Refused = ({ failure }: { failure: Error | undefined }) => (
  <>
    <FailureNote error={failure} />
    {isApiError(failure, 'email_not_verified') && (
      <Text size="sm">
        <RichText
          k="build.new-app.verify-your-e-mail-address-then"
          link={(part) => <Link to="/verify-email">{part}</Link>}
          code={<Code>{t('build.new-app.register-the-app')}</Code>}
        />
      </Text>
    )}
  </>
)
