import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { listConnectedApps } from '../../../contract/oauth.ts'
import type { AnswerOf } from '../../api/call.ts'
import { formatPoints } from '../../ui/format.tsx'
import { lazyComponent, OnDemand } from '../../ui/lazy-component.tsx'
import { t } from '../../texts.ts'

const LimitDialog = lazyComponent(() => import('./limit-dialog.tsx'))

type App = AnswerOf<typeof listConnectedApps>['connected_apps'][number]

/** What an app may spend in 24 hours, with a dialog that changes it. */
export function DailyLimit({ app }: { app: App }) {
  const [changing, setChanging] = useState(false)
  return (
    <>
      <Text size="sm">
        {app.daily_limit === null
          ? t('account.daily-limit.no-daily-limit')
          : t('account.daily-limit.at-most-in-24-hours', { daily_limit: formatPoints(app.daily_limit) })}
      </Text>
      {app.daily_limit_used !== null && (
        <Text size="sm" c="dimmed">
          {t('account.daily-limit.used-in-the-last-24-hours', { daily_limit_used: formatPoints(app.daily_limit_used) })}
        </Text>
      )}
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setChanging(true)}
        aria-label={t('account.daily-limit.daily-limit-daily-limit-of', {
          daily_limit: app.daily_limit === null,
          app_name: app.app_name,
        })}
      >
        {app.daily_limit === null ? t('account.daily-limit.set-one') : t('account.daily-limit.change')}
      </Button>
      {changing && (
        <OnDemand>
          <LimitDialog app={app} onClose={() => setChanging(false)} />
        </OnDemand>
      )}
    </>
  )
}
