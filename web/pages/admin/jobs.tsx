import { Button, Group, Text } from '@mantine/core'
import { adminListJobs, discardJob, retryJob } from '../../../contract/admin-jobs.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { May } from '../../session/rights.tsx'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { numberColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { TableCard } from './list-card.tsx'
import { t } from '../../texts.ts'

type FailedJob = AnswerOf<typeof adminListJobs>['data'][number]

/** Titles of jobs; other jobs show their name. */
const titles = (): Record<string, string> => ({
  'accounts.mail_verification_code': t('admin.jobs.mail-with-a-verification-code'),
  'accounts.mail_reset_code': t('admin.jobs.mail-with-a-code-for-a'),
  'oauth.mail_app_decision': t('admin.jobs.mail-about-the-decision-on-an'),
  'oauth.mail_scope_decision': t('admin.jobs.mail-about-the-decision-on-scopes'),
})
const titleOf = ({ job }: FailedJob) => titles()[job] ?? job

export default function Jobs() {
  const list = usePagedQuery(adminListJobs, {})
  return (
    <>
      <PageHead
        title={t('common.failed-jobs')}
        about={t('admin.jobs.work-in-the-background-that-failed')}
        actions={
          <LinkButton to="/status" size="sm" variant="default">
            {t('common.status')}
          </LinkButton>
        }
      />
      <TableCard
        list={list}
        label={t('common.failed-jobs')}
        columns={columns()}
        miw={720}
        empty={
          <EmptyState icon="check" title={t('admin.jobs.no-job-failed')}>
            {t('admin.jobs.a-job-that-fails-is-tried')}
          </EmptyState>
        }
      />
    </>
  )
}

const invalidates = [adminListJobs, listAudit]

const columns = (): Column<FailedJob>[] => [
  { head: t('admin.jobs.job'), td: { minWidth: 200 }, cell: (job) => <Name job={job} /> },
  {
    head: t('admin.jobs.last-error'),
    td: { minWidth: 200 },
    cell: ({ error }) => (
      <Text size="sm" lineClamp={3} className="user-content">
        {error ?? t('admin.jobs.the-process-that-ran-it-was')}
      </Text>
    ),
  },
  numberColumn(t('common.attempts'), ({ attempts }) => attempts),
  timeColumn(t('admin.jobs.queued'), ({ inserted_at }) => inserted_at),
  { head: t('common.actions'), head_hidden: true, cell: (job) => <Actions job={job} /> },
]

const Name = ({ job }: { job: FailedJob }) => (
  <>
    <Text size="sm" fw={600}>
      {titleOf(job)}
    </Text>
    <Text size="xs" c="dimmed">
      {t('admin.jobs.job-2', { id: job.id })}
      {job.app_id !== null && <span className="user-content">{t('admin.jobs.app', { app_id: job.app_id })}</span>}
    </Text>
    {job.user_id !== null && (
      <Link
        to="/admin/users/$id"
        params={{ id: job.user_id }}
        size="xs"
        aria-label={t('admin.jobs.user-of-job', { id: job.id })}
      >
        {t('common.user')}
      </Link>
    )}
  </>
)

function Actions({ job }: { job: FailedJob }) {
  const { id } = job
  const retry = useApiMutation(retryJob, {
    invalidates,
    onDone: () => notify(t('admin.jobs.the-job-is-tried-again')),
  })
  return (
    <>
      <FailureNote error={retry.error} />
      <Group gap={6} justify="flex-end" wrap="nowrap">
        <May call={retryJob}>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => retry.mutate({ params: { id } })}
            aria-label={t('admin.jobs.try-again-job', { id })}
          >
            {t('common.try-again')}
          </Button>
        </May>
        <ConfirmButton
          label={t('admin.jobs.discard')}
          button={{ size: 'compact-xs', 'aria-label': t('admin.jobs.discard-job', { id }) }}
          endpoint={discardJob}
          input={{ params: { id } }}
          invalidates={invalidates}
          done={() => t('admin.jobs.the-job-is-discarded')}
          title={t('admin.jobs.discard-this-job')}
          action={t('admin.jobs.discard-it')}
        >
          {t('admin.jobs.it-will-never-be-done-this', { discarding: titleOf(job) })}
        </ConfirmButton>
      </Group>
    </>
  )
}
