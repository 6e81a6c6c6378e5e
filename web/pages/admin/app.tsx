import { Button, Group, Stack, Text } from '@mantine/core'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { adminGetApp, setPayoutLimit } from '../../../contract/admin-apps.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { adminListDeployments } from '../../../contract/admin-deployments.ts'
import { adminListTransfers } from '../../../contract/admin-payments.ts'
import type { Declaration } from '../../../contract/endpoint.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { May, mayNow } from '../../session/rights.tsx'
import { DataTable, textColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { lazyComponent, OnDemand } from '../../ui/lazy-component.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import type { SearchAt } from '../../ui/url-state.ts'
import type { AdminApp } from './app-changes.tsx'
import { decisionsOf, refuseChanged, ReviewDialog, type AppAction } from './app-decisions.tsx'
import { AppDetail } from './app-detail.tsx'
import { AuditAbout } from './audit-list.tsx'
import { Transfers } from './transfers.tsx'
import { t } from '../../texts.ts'

type Found = AnswerOf<typeof adminGetApp>
type Tab = NonNullable<SearchAt<'/admin/apps/$id'>['tab']>

const tabsOf = (found: Found): Record<Tab, [string, () => ReactNode]> => ({
  overview: [t('common.overview'), () => <Facts found={found} />],
  payments: [t('common.payments'), () => <Transfers query={{ app_id: found.app.id }} />],
  audit: [t('common.audit'), () => <AuditAbout target_id={found.app.id} />],
})

/** The read of each tab; some roles may not make it (D-135). */
const reads: Record<Tab, Declaration> = { overview: adminGetApp, payments: adminListTransfers, audit: listAudit }

/** Everything that admins know and can decide about an app. */
export default function AppPage() {
  const { id } = useParams({ from: '/admin/apps/$id' })
  const query = useApiQuery(adminGetApp, { params: { id } })
  if (!query.data && isApiError(query.error, 'not_found')) return <NoApp />
  return (
    <QueryResult query={query} rows={6}>
      {(found) => <AppTabs found={found} />}
    </QueryResult>
  )
}

const NoApp = () => (
  <>
    <PageHead title={t('common.app')} />
    <Section>
      <EmptyState icon="app" title={t('admin.apps.no-app-found')}>
        <LinkButton to="/admin/apps" size="sm" mt="xs">
          {t('admin.app.all-apps')}
        </LinkButton>
      </EmptyState>
    </Section>
  </>
)

function AppTabs({ found }: { found: Found }) {
  const { app } = found
  const { tab } = useSearch({ from: '/admin/apps/$id' })
  return (
    <>
      <PageHead title={<span className="user-content">{app.app_name}</span>} actions={<Decisions app={app} />} />
      <PageTabs
        label={t('common.parts-of-the-app')}
        title={app.app_name}
        tab={tab}
        tabs={tabsOf(found)}
        reads={reads}
        spacing="sm"
      />
    </>
  )
}

function Decisions({ app }: { app: AdminApp }) {
  const [action, setAction] = useState<AppAction>()
  const decisions = decisionsOf((chosen) => () => setAction(chosen), app.changed_since_approval)
  const check = async () => refuseChanged(app, (await callApi(adminGetApp, { params: { id: app.id } })).app)
  return (
    <Group gap="xs">
      {decisions
        .filter(({ allowed, call }) => allowed(app) && mayNow(call))
        .map(({ key, label, tone, run }) => (
          <Button
            key={key}
            size="sm"
            variant={tone === 'primary' ? 'filled' : 'default'}
            {...(tone === 'danger' && { c: 'red' })}
            onClick={() => run(app)}
          >
            {label}
          </Button>
        ))}
      {action && (
        <ReviewDialog app={app} action={action} check={check} onDone={() => {}} onClose={() => setAction(undefined)} />
      )}
    </Group>
  )
}

const PayoutLimitDialog = lazyComponent(() => import('./payout-limit-dialog.tsx'))

function PayoutLimit({ app }: { app: AdminApp }) {
  const [changes, setChanges] = useState(false)
  const { payout_limit } = app
  return (
    <Group gap="xs">
      {payout_limit === null ? t('admin.app.limit-of-the-installation') : formatPoints(payout_limit)}
      <May call={setPayoutLimit}>
        <Button size="compact-xs" variant="default" onClick={() => setChanges(true)}>
          {t('common.change')}
        </Button>
      </May>
      <OnDemand>{changes && <PayoutLimitDialog app={app} onClose={() => setChanges(false)} />}</OnDemand>
    </Group>
  )
}

const Facts = ({ found: { app, total_users, secrets } }: { found: Found }) => (
  <Stack>
    <Section>
      <AppDetail
        app={app}
        more={[
          [t('admin.app.people-who-connected-it'), formatNumber(total_users)],
          [t('admin.app.payouts-a-day'), <PayoutLimit key="payouts" app={app} />],
          mayNow(adminListDeployments) && [
            t('common.deployments'),
            <Link key="deployments" to="/admin/deployments" search={{ app_id: app.id }}>
              {t('admin.app.show')}
            </Link>,
          ],
        ]}
      />
    </Section>
    <Section title={t('common.secrets')} about={t('admin.app.only-the-last-characters-are-kept')}>
      {secrets.length === 0 ? (
        <Text size="sm">{t('common.none')}</Text>
      ) : (
        <DataTable label={t('common.secrets')} rows={secrets} columns={secret_columns()} />
      )}
    </Section>
  </Stack>
)

const secret_columns = (): Column<Found['secrets'][number]>[] => [
  textColumn(t('admin.app.ends-in'), ({ hint }) => hint),
  timeColumn(t('common.made'), ({ inserted_at }) => inserted_at),
  timeColumn(t('common.last-used'), ({ last_used_at }) => last_used_at),
]
