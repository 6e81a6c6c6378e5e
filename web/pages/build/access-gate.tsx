import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Scope } from '../../../contract/scopes.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Nothing, Section } from '../../ui/page-parts.tsx'
import { closeAccess, openAccess, useAccess, type MyApp } from './access.ts'

interface GateProps {
  app: MyApp
  /** The scope that what stands behind the gate needs. */
  scope: Scope
  /** What is behind it, as it ends the sentence “Open the app’s access to see …”. */
  what: string
  /** Stands above what says why the gate is closed. */
  head?: ReactNode
  children: ReactNode
}

/**
 * What the API gives only to the app itself stands behind this gate: it says what is missing (approval, scope, access)
 * and what to do about it, and opens by one click.
 */
export function AccessGate({ app, scope, what, head, children }: GateProps) {
  const scopes = useAccess(app.id)
  if (app.is_approved && app.allowed_scopes.includes(scope) && scopes?.includes(scope)) return children
  return (
    <>
      {head}
      <Shut app={app} scope={scope} what={what} />
    </>
  )
}

function Shut({ app, scope, what }: Pick<GateProps, 'app' | 'scope' | 'what'>) {
  if (!app.is_approved)
    return (
      <Section>
        <Nothing icon="lock" title="The app is not approved yet">
          An app gets no token before an admin has approved it, so nobody can {what} yet.
        </Nothing>
      </Section>
    )
  return app.allowed_scopes.includes(scope) ? (
    <Closed app={app} what={what} />
  ) : (
    <ScopeMissing app={app} scope={scope} what={what} />
  )
}

const ScopeMissing = ({ app, scope, what }: Pick<GateProps, 'app' | 'scope' | 'what'>) => (
  <Section>
    <Nothing icon="lock" title={`The app may not use ${scope}`}>
      <Text inherit mb="md">
        To {what}, the app needs the scope <Code>{scope}</Code>. An admin can add it after you have asked for it.
      </Text>
      <LinkButton to="/apps/$id" params={{ id: app.id }} search={{ tab: 'scopes', ask: scope }} size="sm">
        Ask for {scope}
      </LinkButton>
    </Nothing>
  </Section>
)

function Closed({ app, what }: { app: MyApp; what: string }) {
  const open = useMutation({ mutationFn: () => openAccess(app) })
  return (
    <Section maw={680} mx="auto">
      <Stack gap="md" py="xs">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Text component="span" c="dimmed" pt={2}>
            <Icon name="key" size={22} />
          </Text>
          <div>
            <Text fw={600} component="h2" fz="md">
              Open the app’s access to {what}
            </Text>
            <Text size="sm" c="dimmed" mt={4}>
              Plaza answers these calls only to the app itself, so this page lets <b>{app.app_name}</b> in for you, by
              the same code grant with PKCE that its users go through, and uses the token that it gets. The token stays
              in the memory of this tab: it is gone when you reload, close it or press “Close access”.
            </Text>
          </div>
        </Group>
        <FailureNote error={open.error} />
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            You then count as one of its users: see <Link to="/connected-apps">your connected apps</Link>.
          </Text>
          <Button onClick={() => open.mutate()} loading={open.isPending}>
            Open access
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}

/** Says that an access is open, and closes it. */
export function AccessNote({ app_id }: { app_id: string }) {
  const scopes = useAccess(app_id)
  const close = useMutation({ mutationFn: () => closeAccess(app_id) })
  if (close.error) return <FailureNote error={close.error} />
  if (!scopes) return null
  return (
    <Alert color="plaza" variant="light" py={6} icon={<Icon name="key" size={16} />}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          Access as the app is open in this tab: {scopes.join(', ')}. It renews itself while you work here.
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => close.mutate()}>
          Close access
        </Button>
      </Group>
    </Alert>
  )
}
