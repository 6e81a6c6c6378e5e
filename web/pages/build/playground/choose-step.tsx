import { Alert, Button, Chip, Group, Input, SimpleGrid, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { listMyApps, updateMyApp } from '../../../../contract/oauth-apps.ts'
import { requestable_scopes } from '../../../../contract/kinds/scopes.ts'
import { useApiMutation } from '../../../api/hooks.ts'
import { FailureNote } from '../../../ui/failure-note.tsx'
import { notify } from '../../../ui/notify.tsx'
import type { MyApp } from '../access.ts'
import { may } from '../may.tsx'
import { playgroundUri } from '../redirect-uris.tsx'
import { newRequest, type Flow } from './flow.ts'
import { Step } from './step.tsx'
import { Select } from '../../../ui/select.tsx'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

interface ChooseProps {
  apps: MyApp[]
  chosen: MyApp
  flow: Flow | undefined
  onFlow: (flow: Flow | undefined) => void
}

/** Step 1: app, redirect URI and scopes; ends with a new PKCE pair. */
export function Choose({ apps, chosen, flow, onFlow }: ChooseProps) {
  const router = useRouter()
  const choose = (id: string) => {
    onFlow(undefined)
    void router.navigate({ to: '/playground', search: { app: id }, replace: true, resetScroll: false })
  }
  return (
    <Step
      number={1}
      title={t('build.choose-step.choose-what-to-ask-for')}
      about={t('build.choose-step.your-app-would-have-these-in')}
      done={flow !== undefined}
    >
      <Stack>
        <Select
          label={t('common.app')}
          allowDeselect={false}
          searchable
          maw={420}
          value={chosen.id}
          onChange={(id) => id !== null && choose(id)}
          data={apps.map(({ id, app_name }) => ({ value: id, label: app_name }))}
        />
        {chosen.is_approved ? (
          <Request key={chosen.id} app={chosen} flow={flow} onFlow={onFlow} />
        ) : (
          <Alert color="yellow" variant="light" title={t('common.the-app-is-not-approved')}>
            {t('build.choose-step.authorize-refuses-apps-that-no-admin')}
          </Alert>
        )}
      </Stack>
    </Step>
  )
}

function Request({ app, flow, onFlow }: Pick<ChooseProps, 'flow' | 'onFlow'> & { app: MyApp }) {
  const playground_uri = playgroundUri()
  const offered = requestable_scopes.filter((scope) => app.allowed_scopes.includes(scope))
  const [redirect_uri, setRedirect] = useState(
    flow?.redirect_uri ?? (app.redirect_uris.includes(playground_uri) ? playground_uri : (app.redirect_uris[0] ?? '')),
  )
  const [scopes, setScopes] = useState<string[]>(flow?.scopes ?? offered)
  const [failure, setFailure] = useState<unknown>()
  /** Changed input discards the started flow. */
  const reset = () => flow && onFlow(undefined)
  const begin = async () => {
    try {
      const request = await newRequest()
      onFlow({ ...request, app_id: app.id, client_id: app.client_id, redirect_uri, scopes })
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={t('build.choose-step.redirect-uri')}
          allowDeselect={false}
          value={redirect_uri}
          onChange={(uri) => {
            if (uri === null || uri === redirect_uri) return
            setRedirect(uri)
            reset()
          }}
          data={[...new Set([redirect_uri, ...app.redirect_uris])]}
        />
        <Input.Wrapper labelElement="div" label={t('common.scopes')}>
          <Chip.Group
            multiple
            value={scopes}
            onChange={(next) => {
              setScopes(next)
              reset()
            }}
          >
            <Group gap={6} mt={2}>
              {offered.map((scope) => (
                <Chip key={scope} value={scope} size="xs" radius="sm">
                  {scope}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Input.Wrapper>
      </SimpleGrid>
      {!app.redirect_uris.includes(playground_uri) && may(app, updateMyApp) && (
        <AddPlaygroundUri app={app} own={playground_uri} onAdded={() => setRedirect(playground_uri)} />
      )}
      <FailureNote error={failure} />
      <Group justify="flex-end">
        <Button variant={flow ? 'default' : 'filled'} disabled={scopes.length === 0} onClick={() => void begin()}>
          {flow ? t('build.choose-step.start-over') : t('build.choose-step.make-the-proof-key')}
        </Button>
      </Group>
    </Stack>
  )
}

/** Adds the playground to the app's redirect URIs, so that codes return to this page. */
function AddPlaygroundUri({ app, own, onAdded }: { app: MyApp; own: string; onAdded: () => void }) {
  const add = useApiMutation(updateMyApp, {
    invalidates: [listMyApps],
    onDone: () => {
      onAdded()
      notify(t('build.choose-step.the-playground-may-receive-codes-of'))
    },
  })
  return (
    <Alert variant="light" color="gray" title={t('build.choose-step.the-playground-is-not-among-the')}>
      <Stack gap="xs">
        <Text size="sm">
          <RichText k="build.choose-step.add-and-the-code-comes-back" bold={<b className="user-content">{own}</b>} />
        </Text>
        <FailureNote error={add.error} />
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            loading={add.isPending}
            onClick={() => add.mutate({ params: { id: app.id }, body: { redirect_uris: [...app.redirect_uris, own] } })}
          >
            {t('build.choose-step.add-it-to-the-app')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
