import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { me } from '../../../contract/accounts.ts'
import { disconnectApp, listConnectedApps } from '../../../contract/oauth.ts'
import { isScope, scope_names, scopes, type Scope } from '../../../contract/scopes.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { DailyLimit } from './daily-limit.tsx'
import classes from './list.module.css'

type App = AnswerOf<typeof listConnectedApps>['connected_apps'][number]

/** Scopes that move points have an icon of their own. */
const icons: Partial<Record<Scope, IconName>> = { 'points:spend': 'coins', 'points:transfer': 'coins' }

const movesPoints = (scope: string) => scope === 'points:spend' || scope === 'points:transfer'

export default function ConnectedApps() {
  const query = useApiQuery(listConnectedApps, {})
  return (
    <>
      <PageHead
        title="Connected apps"
        about="Apps that have access to your account, and what each may do. You can disconnect an app at any time."
      />
      <Section>
        <QueryResult query={query} rows={5}>
          {({ connected_apps }) =>
            connected_apps.length === 0 ? (
              <EmptyState icon="plug" title="No connected apps">
                <Stack align="center" gap="sm">
                  When you sign in to an app with Plaza, it appears here.
                  <LinkButton to="/directory" size="xs" variant="default">
                    See the apps
                  </LinkButton>
                </Stack>
              </EmptyState>
            ) : (
              <ul className={classes.list} aria-label="Connected apps">
                {connected_apps.map((app) => (
                  <Entry key={app.app_id} app={app} />
                ))}
              </ul>
            )
          }
        </QueryResult>
      </Section>
    </>
  )
}

function Entry({ app }: { app: App }) {
  const [confirming, setConfirming] = useState(false)
  return (
    <li className={`${classes.row} ${classes.top}`}>
      <AppLogo app={app.app_id} name={app.app_name} logo_url={app.logo_url} />
      <div>
        <Title order={2} fz="md" className="user-content">
          {app.app_name}
        </Title>
        {app.app_description && (
          <Text size="sm" c="dimmed" className="user-content" lineClamp={2}>
            {app.app_description}
          </Text>
        )}
        <Text size="sm" c="dimmed" mt={4}>
          {app.last_used ? (
            <>
              Last used <RelativeTime at={app.last_used} />
            </>
          ) : (
            'Not used yet'
          )}
          {' · '}connected <RelativeTime at={app.connected_at} />
        </Text>
        <ul className={classes.scopes} aria-label={`What ${app.app_name} may do`}>
          {sortedScopes(app.scopes).map((scope) => (
            <li key={scope}>
              <Icon name={(isScope(scope) && icons[scope]) || 'check'} size={15} />
              <span>{isScope(scope) ? scopes[scope].grants : scope}</span>
            </li>
          ))}
        </ul>
        <Group gap="xs" mt={6}>
          {app.scopes.some(movesPoints) && <DailyLimit app={app} />}
          <Link to="/points" search={{ app: app.app_id }} size="sm">
            Its movements
          </Link>
        </Group>
      </div>
      <Button
        size="xs"
        variant="default"
        onClick={() => setConfirming(true)}
        className={classes.action}
        aria-label={`Disconnect ${app.app_name}`}
      >
        Disconnect
      </Button>
      <Disconnect app={app} opened={confirming} onClose={() => setConfirming(false)} />
    </li>
  )
}

/** The order of the consent page. */
const sortedScopes = (granted: readonly string[]) => {
  const known: readonly string[] = scope_names
  return [...granted].sort((one, other) => known.indexOf(one) - known.indexOf(other))
}

function Disconnect({ app, opened, onClose }: { app: App; opened: boolean; onClose: () => void }) {
  const disconnect = useApiMutation(disconnectApp, {
    invalidates: [listConnectedApps, me],
    onDone: () =>
      notify(
        <>
          <bdi>{app.app_name}</bdi> is disconnected.
        </>,
      ),
  })
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={
        <>
          Disconnect <bdi>{app.app_name}</bdi>?
        </>
      }
      action="Disconnect"
      onConfirm={() => disconnect.mutate({ params: { app_id: app.app_id } })}
      busy={disconnect.isPending}
      error={disconnect.error}
    >
      <Text size="sm">
        It can no longer read or do anything in your name, from this moment on. What it has done stays done, and it
        keeps what it has stored itself. You can let it in again at any time.
      </Text>
    </Confirm>
  )
}
