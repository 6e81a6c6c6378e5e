import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Activity, useEffect, useState, type ReactNode } from 'react'
import type { Scope } from '../../../contract/kinds/scopes.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { requestScopes } from '../../../contract/oauth-apps.ts'
import { closeAccess, openAccess, useAccess, wasOpenBeforeReload, type MyApp } from './access.ts'
import { may } from './may.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

interface GateProps {
  app: MyApp
  /** The scope that the children need. */
  scope: Scope
  /** The purpose, completing “Open the app’s access to …”. */
  what: string
  /** Shown above the message while the gate is closed. */
  head?: ReactNode
  children: ReactNode
}

/**
 * Renders its children only with an access token of the app. Otherwise shows what is missing (approval, scope or
 * access) and the next step. When the access closes, the children stay mounted but hidden, with their input.
 */
export function AccessGate({ app, scope, what, head, children }: GateProps) {
  const scopes = useAccess(app.id)
  const is_open = app.is_approved && app.allowed_scopes.includes(scope) && (scopes?.includes(scope) ?? false)
  const [was_open, setWasOpen] = useState(is_open)
  if (is_open && !was_open) setWasOpen(true)
  return (
    <>
      {!is_open && head}
      {!is_open && <AccessRequired app={app} scope={scope} what={what} reopening={was_open} />}
      {(is_open || was_open) && <Activity mode={is_open ? 'visible' : 'hidden'}>{children}</Activity>}
    </>
  )
}

interface AccessRequiredProps extends Pick<GateProps, 'app' | 'scope' | 'what'> {
  /** The gate was open before; the hidden children keep their input. */
  reopening: boolean
}

function AccessRequired({ app, scope, what, reopening }: AccessRequiredProps) {
  if (!app.is_approved)
    return (
      <Section>
        <EmptyState icon="lock" title={t('common.the-app-is-not-approved')}>
          {t('build.access-gate.an-app-gets-no-token-unless', { what })}
        </EmptyState>
      </Section>
    )
  return app.allowed_scopes.includes(scope) ? (
    <OpenAccess app={app} what={what} reopening={reopening} />
  ) : (
    <ScopeMissing app={app} scope={scope} what={what} />
  )
}

const ScopeMissing = ({ app, scope, what }: Pick<GateProps, 'app' | 'scope' | 'what'>) => (
  <Section>
    <EmptyState icon="lock" title={t('build.access-gate.the-app-may-not-use', { scope })}>
      <Text inherit mb="md">
        <RichText k="build.access-gate.to-the-app-needs-the-scope" what={what} code={<Code>{scope}</Code>} />
      </Text>
      {may(app, requestScopes) && (
        <LinkButton
          to="/apps/$id"
          params={{ id: app.id }}
          search={{ tab: 'developers', ask: scope }}
          hash="scopes"
          size="sm"
        >
          {t('build.access-gate.ask-for', { scope })}
        </LinkButton>
      )}
    </EmptyState>
  </Section>
)

function OpenAccess({ app, what, reopening }: Omit<AccessRequiredProps, 'scope'>) {
  const open = useMutation({ mutationFn: () => openAccess(app) })
  const { mutate } = open
  const [auto_open] = useState(() => wasOpenBeforeReload(app.id))
  useEffect(() => {
    if (auto_open) mutate()
  }, [auto_open, mutate])
  if (auto_open && !open.error) return <LoadingSkeleton rows={4} />
  return (
    <Section maw={760}>
      <Stack gap="md" py="xs">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Text component="span" c="dimmed" pt={2}>
            <Icon name="key" size={22} />
          </Text>
          <div>
            <Text fw={600} component="h2" fz="md">
              {t('build.access-gate.open-the-apps-access-to', { what })}
            </Text>
            <Text size="sm" c="dimmed" mt={4}>
              <RichText k="build.access-gate.plaza-answers-these-calls-only-to" bold={<b>{app.app_name}</b>} />
            </Text>
            {reopening && (
              <Text size="sm" mt={4}>
                {t('build.access-gate.what-you-have-typed-is-kept')}
              </Text>
            )}
          </div>
        </Group>
        <FailureNote error={open.error} />
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            <RichText
              k="build.access-gate.you-then-count-as-one-of"
              link={(part) => <Link to="/connected-apps">{part}</Link>}
            />
          </Text>
          <Button onClick={() => open.mutate()} loading={open.isPending}>
            {t('build.access-gate.open-access')}
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}

/** Shows the open access with a button that closes it. */
export function AccessNote({ app_id }: { app_id: string }) {
  const scopes = useAccess(app_id)
  const close = useMutation({ mutationFn: () => closeAccess(app_id) })
  if (close.error) return <FailureNote error={close.error} />
  if (!scopes) return null
  return (
    <Alert color="plaza" variant="light" py={6} icon={<Icon name="key" size={16} />}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{t('build.access-gate.access-as-the-app-is-open', { scopes: scopes.join(', ') })}</Text>
        <Button size="compact-xs" variant="default" onClick={() => close.mutate()}>
          {t('build.access-gate.close-access')}
        </Button>
      </Group>
    </Alert>
  )
}
