import { Alert, Button, Checkbox, Code, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { me } from '../../../contract/accounts.ts'
import { createApp, listMyApps } from '../../../contract/oauth-apps.ts'
import { requestable_scopes } from '../../../contract/scopes.ts'
import type { AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { queryKeyOf, useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { PageHead, Section } from '../../ui/page-parts.tsx'
import { RedirectUris, redirectUriErrors } from './redirect-uris.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { NewSecret } from './new-secret.tsx'

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
        title={
          <>
            <bdi>{app.app_name}</bdi> is registered
          </>
        }
        about="An admin reviews it next. You can start to build now. People can connect the app when it is approved."
      />
      <Section maw={760}>
        <NewSecret
          client_id={app.client_id}
          client_secret={app.client_secret}
          next_label="Go to the app"
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
      requested_scopes: ['profile:read', 'points:read', 'points:spend', 'app:balance:read'] as string[],
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
      <PageHead
        title="Register an app"
        about="You get a client id and a secret. You can change everything but the scopes later."
      />
      <Section maw={760}>
        <form {...props}>
          <Stack gap="lg">
            {data?.user.email_verified === false && <NotVerified />}
            <TextInput {...field('app_name')} label="Name" description="People see it when they let the app in." />
            <RedirectUris {...list('redirect_uris')} />
            <Textarea {...field('app_description')} label="Description" autosize minRows={2} />
            <Group grow align="flex-start">
              <TextInput {...field('website_url')} label="Website" placeholder="https://shop.example" inputMode="url" />
              <TextInput
                {...field('logo_url')}
                label="Logo"
                placeholder="https://shop.example/logo.png"
                inputMode="url"
              />
            </Group>
            <ScopeChoice
              {...field('requested_scopes')}
              label="What it may do"
              description="Tick only what it needs: every scope is shown to the people you ask."
              offered={requestable_scopes}
              notes={{
                'app:balance:read': 'Needed for the figures in this console',
                'deploy:manage': 'An admin grants it separately: ticking it sends a scope request',
              }}
            />
            <Checkbox
              {...field('require_pkce', 'checkbox')}
              label="Require PKCE"
              description="A stolen code is then useless without its verifier, even together with the secret."
            />
            <Refused failure={failure} />
            <Group justify="flex-end">
              <LinkButton to="/apps" variant="default">
                Cancel
              </LinkButton>
              <Button type="submit" loading={busy}>
                Register the app
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
    </>
  )
}

const NotVerified = () => (
  <Alert color="yellow" variant="light" title="Verify your e-mail address first">
    You need a verified address to register apps. <Link to="/verify-email">Verify your address</Link>, then come back.
  </Alert>
)

const Refused = ({ failure }: { failure: Error | undefined }) => (
  <>
    <FailureNote error={failure} />
    {isApiError(failure, 'email_not_verified') && (
      <Text size="sm">
        <Link to="/verify-email">Verify your e-mail address</Link>, then press <Code>Register the app</Code> again.
      </Text>
    )}
  </>
)
