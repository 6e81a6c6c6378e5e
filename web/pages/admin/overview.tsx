import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { adminListUsers, countPending } from '../../../contract/admin.ts'
import { adminListScopeRequests } from '../../../contract/admin-apps.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { adminListCases } from '../../../contract/admin-moderation.ts'
import { adminListReviews } from '../../../contract/admin-reviews.ts'
import type { Declaration } from '../../../contract/endpoint.ts'
import { adminListJobs } from '../../../contract/admin-jobs.ts'
import { adminListDeployments } from '../../../contract/admin-deployments.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { May, mayNow, useMay } from '../../session/rights.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { FigureTiles } from './figures.tsx'
import { overview_inputs } from './first-reads.ts'
import { AuditSentence, remarkOf } from './audit-sentence.tsx'
import classes from '../../ui/table.module.css'
import { t } from '../../texts.ts'

const page_size = 100
const polling = { refetchInterval: 60_000 }

export default function Overview() {
  return (
    <>
      <PageHead title={t('common.overview')} />
      <Stack>
        <PendingReview />
        <FigureTiles />
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <May call={listAudit}>
            <LatestChanges />
          </May>
          <May call={adminListUsers}>
            <NewUsers />
          </May>
        </SimpleGrid>
      </Stack>
    </>
  )
}

interface PendingItem {
  icon: IconName
  count: number
  /** The API counts no further. */
  capped?: boolean
  /** Shown to people who may make this call. */
  decided_by?: Declaration
  one: string
  many: string
  link: {
    to: '/admin/review' | '/admin/reports' | '/admin/second-person' | '/admin/deployments' | '/admin/jobs'
    search?: { what: 'changed' | 'scopes' }
  }
  link_text: string
  /** The button is less prominent. */
  quiet?: boolean
}

const to_deployments = {
  link: { to: '/admin/deployments' },
  quiet: true,
} as const

interface PendingCounts {
  apps: number
  changed_apps: number
  scope_requests: number
  cases: number
  reviews: number
  unpaid: number
  failing: number
  jobs: number
}

const itemsOf = (counts: PendingCounts): PendingItem[] => {
  const { apps, changed_apps, scope_requests, cases, reviews, unpaid, failing, jobs } = counts
  const link_text = t('admin.overview.see-deployments')
  return [
    {
      icon: 'app',
      count: apps,
      decided_by: adminListScopeRequests,
      capped: true,
      one: t('admin.overview.app-is-pending-approval'),
      many: t('admin.overview.apps-are-pending-approval'),
      link: { to: '/admin/review' },
      link_text: t('admin.overview.review-apps'),
    },
    {
      icon: 'flag',
      count: cases,
      decided_by: adminListCases,
      capped: true,
      one: t('admin.overview.report-waits-for-a-decision'),
      many: t('admin.overview.reports-wait-for-a-decision'),
      link: { to: '/admin/reports' },
      link_text: t('admin.overview.decide-reports'),
    },
    {
      icon: 'pencil',
      count: changed_apps,
      decided_by: adminListScopeRequests,
      capped: true,
      one: t('admin.overview.app-changed-after-it-was-approved'),
      many: t('admin.overview.apps-changed-after-they-were-approved'),
      link: { to: '/admin/review', search: { what: 'changed' } },
      link_text: t('admin.overview.see-what-changed'),
    },
    {
      icon: 'key',
      count: scope_requests,
      decided_by: adminListScopeRequests,
      capped: true,
      one: t('admin.overview.app-asks-for-more-scopes'),
      many: t('admin.overview.apps-ask-for-more-scopes'),
      link: { to: '/admin/review', search: { what: 'scopes' } },
      link_text: t('admin.overview.review-requests'),
    },
    {
      icon: 'users',
      count: reviews,
      capped: true,
      decided_by: adminListReviews,
      one: t('admin.overview.award-waits'),
      many: t('admin.overview.awards-wait'),
      link: { to: '/admin/second-person' },
      link_text: t('common.decide'),
    },
    {
      icon: 'coins',
      count: unpaid,
      one: t('admin.overview.of-the-newest-deployments-awaits-a'),
      many: t('admin.overview.of-the-newest-deployments-await-a'),
      link_text,
      ...to_deployments,
    },
    {
      icon: 'alert',
      count: failing,
      one: t('admin.overview.of-the-newest-deployments-fails'),
      many: t('admin.overview.of-the-newest-deployments-fail'),
      link_text,
      ...to_deployments,
    },
    {
      icon: 'refresh',
      count: jobs,
      one: t('admin.overview.job-in-the-background-failed'),
      many: t('admin.overview.jobs-in-the-background-failed'),
      link: { to: '/admin/jobs' },
      link_text: t('admin.overview.see-failed-jobs'),
      quiet: true,
    },
  ]
}

/** Everything that waits for an admin, with a query that has failed or is not loaded yet. */
function usePendingItems() {
  const pending = useApiQuery(countPending, {}, polling)
  const { apps = 0, changed_apps = 0, scope_requests = 0, cases = 0, reviews = 0 } = pending.data ?? {}
  const [may_deployments, may_jobs] = [useMay(adminListDeployments), useMay(adminListJobs)]
  const deployments = useApiQuery(adminListDeployments, overview_inputs.deployments, {
    ...polling,
    enabled: may_deployments,
  })
  const jobs = useApiQuery(adminListJobs, overview_inputs.jobs, { ...polling, enabled: may_jobs })
  const newest = deployments.data?.data ?? []
  const items = itemsOf({
    apps,
    changed_apps,
    scope_requests,
    cases,
    reviews,
    unpaid: newest.filter(({ billing_status }) => billing_status === 'awaiting_payment').length,
    failing: newest.filter(({ last_error, status }) => last_error && status !== 'destroyed').length,
    jobs: jobs.data?.total ?? 0,
  })
  const reads = [pending, ...(may_deployments ? [deployments] : []), ...(may_jobs ? [jobs] : [])]
  const incomplete = reads.find(({ error, data }) => error && !data) ?? reads.find(({ data }) => !data) ?? pending
  const waiting = items.filter(({ count, decided_by }) => count > 0 && (!decided_by || mayNow(decided_by)))
  return { waiting, query: incomplete }
}

function PendingReview() {
  const { waiting, query } = usePendingItems()
  return (
    <Section title={t('common.pending-review')}>
      <QueryResult<unknown> query={query}>
        {() =>
          waiting.length === 0 ? (
            <EmptyState icon="check" title={t('admin.overview.nothing-to-review')}>
              {t('admin.overview.apps-and-requests-that-need-a')}
            </EmptyState>
          ) : (
            <Stack gap="sm" role="list" aria-label={t('common.pending-review')}>
              {waiting.map((item) => (
                <PendingRow key={item.many} item={item} />
              ))}
            </Stack>
          )
        }
      </QueryResult>
    </Section>
  )
}

const PendingRow = ({ item: { icon, count, capped, one, many, ...item } }: { item: PendingItem }) => (
  <Group justify="space-between" gap="sm" role="listitem">
    <Group gap="sm" wrap="nowrap">
      <Text c="dimmed" span lh={0}>
        <Icon name={icon} size={20} />
      </Text>
      <Text>
        <Text span inherit fw={650} className="number">
          {count}
          {capped && count >= page_size && '+'}
        </Text>{' '}
        {count === 1 ? one : many}
      </Text>
    </Group>
    <LinkButton {...item.link} size="xs" {...(item.quiet && { variant: 'default' })}>
      {item.link_text}
    </LinkButton>
  </Group>
)

/** An event with its details and its time. */
const DatedRow = ({ at, details, children }: { at: string; details: string; children: ReactNode }) => (
  <tr>
    <td>
      {children}
      <Text size="xs" c="dimmed" truncate className="user-content">
        {details}
      </Text>
    </td>
    <td className={classes.dated}>
      <RelativeTime at={at} fz="sm" c="dimmed" />
    </td>
  </tr>
)

function LatestChanges() {
  const log = useApiQuery(listAudit, overview_inputs.changes, polling)
  return (
    <Section
      title={t('admin.overview.latest-changes')}
      actions={
        <Link to="/admin/audit" size="sm">
          {t('common.audit-log')}
        </Link>
      }
    >
      <QueryResult
        query={log}
        rows={6}
        empty={<EmptyState icon="scroll" title={t('common.nothing-has-been-changed-yet')} />}
      >
        {({ data }) => (
          <table className={`${classes.table} ${classes.fixed}`} aria-label={t('admin.overview.latest-changes')}>
            <tbody>
              {data.map((entry) => (
                <DatedRow key={entry.id} at={entry.inserted_at} details={remarkOf(entry)}>
                  <Text size="sm" lineClamp={2}>
                    <AuditSentence entry={entry} />
                  </Text>
                </DatedRow>
              ))}
            </tbody>
          </table>
        )}
      </QueryResult>
    </Section>
  )
}

function NewUsers() {
  const users = useApiQuery(adminListUsers, overview_inputs.users, polling)
  return (
    <Section
      title={t('admin.overview.newest-users')}
      actions={
        <Link to="/admin/users" size="sm">
          {t('admin.overview.all-users')}
        </Link>
      }
    >
      <QueryResult query={users} rows={6}>
        {({ data }) => (
          <table className={`${classes.table} ${classes.fixed}`} aria-label={t('admin.overview.newest-users')}>
            <tbody>
              {data.map(({ id, username, email, email_verified, inserted_at }) => (
                <DatedRow key={id} at={inserted_at} details={email}>
                  <Group gap={6} wrap="nowrap">
                    <Link to="/admin/users/$id" params={{ id }} size="sm" truncate className="user-content">
                      {username}
                    </Link>
                    {!email_verified && (
                      <Badge size="sm" color="gray" miw="max-content">
                        {t('common.not-verified')}
                      </Badge>
                    )}
                  </Group>
                </DatedRow>
              ))}
            </tbody>
          </table>
        )}
      </QueryResult>
    </Section>
  )
}
