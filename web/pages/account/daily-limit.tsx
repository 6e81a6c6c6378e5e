import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { listConnectedApps } from '../../../contract/oauth.ts'
import type { AnswerOf } from '../../api/call.ts'
import { formatPoints } from '../../ui/format.tsx'
import { lazyComponent, OnDemand } from '../../ui/lazy-component.tsx'

const LimitDialog = lazyComponent(() => import('./limit-dialog.tsx'))

type App = AnswerOf<typeof listConnectedApps>['connected_apps'][number]

/** What an app may spend in 24 hours, with a dialog that changes it. */
export function DailyLimit({ app }: { app: App }) {
  const [changing, setChanging] = useState(false)
  return (
    <>
      <Text size="sm">
        {app.daily_limit === null ? 'No daily limit' : `At most ${formatPoints(app.daily_limit)} in 24 hours`}
      </Text>
      {app.daily_limit_used !== null && (
        <Text size="sm" c="dimmed">
          Used in the last 24 hours: {formatPoints(app.daily_limit_used)}
        </Text>
      )}
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setChanging(true)}
        aria-label={`${app.daily_limit === null ? 'Set one…' : 'Change…'} Daily limit of ${app.app_name}`}
      >
        {app.daily_limit === null ? 'Set one…' : 'Change…'}
      </Button>
      {changing && (
        <OnDemand>
          <LimitDialog app={app} onClose={() => setChanging(false)} />
        </OnDemand>
      )}
    </>
  )
}
