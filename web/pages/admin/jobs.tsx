import { Button, Group, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { adminListJobs, discardJob, retryJob } from '../../../contract/admin-jobs.ts'
import { listAudit } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { ListCard } from './list-card.tsx'
import classes from '../../ui/table.module.css'
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
      <ListCard
        list={list}
        lines={4}
        empty={
          <EmptyState icon="check" title={t('admin.jobs.no-job-failed')}>
            {t('admin.jobs.a-job-that-fails-is-tried')}
          </EmptyState>
        }
      >
        <JobTable jobs={list.rows} />
      </ListCard>
    </>
  )
}

const reads = [adminListJobs, listAudit]

function JobTable({ jobs }: { jobs: readonly FailedJob[] }) {
  const [discarding, setDiscarding] = useState<FailedJob>()
  const retry = useApiMutation(retryJob, {
    invalidates: reads,
    onDone: () => notify(t('admin.jobs.the-job-is-tried-again')),
  })
  const discard = useApiMutation(discardJob, { invalidates: reads })
  const close = () => {
    setDiscarding(undefined)
    discard.reset()
  }
  const confirm = ({ id }: FailedJob) =>
    discard.mutate(
      { params: { id } },
      {
        onSuccess: () => {
          notify(t('admin.jobs.the-job-is-discarded'))
          close()
        },
      },
    )
  return (
    <>
      <FailureNote error={retry.error} />
      <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.failed-jobs')}>
        <Table miw={720}>
          <Head />
          <Table.Tbody>
            {jobs.map((job) => (
              <JobRow
                key={job.id}
                job={job}
                onRetry={() => retry.mutate({ params: { id: job.id } })}
                onDiscard={() => setDiscarding(job)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {discarding && (
        <Confirm
          opened
          title={t('admin.jobs.discard-this-job')}
          action={t('admin.jobs.discard-it')}
          busy={discard.isPending}
          error={discard.error}
          onClose={close}
          onConfirm={() => confirm(discarding)}
        >
          {t('admin.jobs.it-will-never-be-done-this', { discarding: titleOf(discarding) })}
        </Confirm>
      )}
    </>
  )
}

const Head = () => (
  <Table.Thead>
    <Table.Tr>
      <Table.Th>{t('admin.jobs.job')}</Table.Th>
      <Table.Th>{t('admin.jobs.last-error')}</Table.Th>
      <Table.Th ta="right">{t('common.attempts')}</Table.Th>
      <Table.Th>{t('admin.jobs.queued')}</Table.Th>
      <Table.Th aria-label={t('common.actions')} />
    </Table.Tr>
  </Table.Thead>
)

interface JobRowProps {
  job: FailedJob
  onRetry: () => void
  onDiscard: () => void
}

function JobRow({ job, onRetry, onDiscard }: JobRowProps) {
  const { id, user_id, app_id, error, attempts, inserted_at } = job
  return (
    <Table.Tr>
      <Table.Td miw={200}>
        <Text size="sm" fw={600}>
          {titleOf(job)}
        </Text>
        <Text size="xs" c="dimmed">
          {t('admin.jobs.job-2', { id })}
          {app_id !== null && <span className="user-content">{t('admin.jobs.app', { app_id })}</span>}
        </Text>
        {user_id !== null && (
          <Link
            to="/admin/users/$id"
            params={{ id: user_id }}
            size="xs"
            aria-label={t('admin.jobs.user-of-job', { id })}
          >
            {t('common.user')}
          </Link>
        )}
      </Table.Td>
      <Table.Td miw={200}>
        <Text size="sm" lineClamp={3} className="user-content">
          {error ?? t('admin.jobs.the-process-that-ran-it-was')}
        </Text>
      </Table.Td>
      <Table.Td ta="right" className="number">
        {formatNumber(attempts)}
      </Table.Td>
      <Table.Td className={classes.nowrap}>
        <RelativeTime at={inserted_at} />
      </Table.Td>
      <Table.Td>
        <Group gap={6} justify="flex-end" wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            onClick={onRetry}
            aria-label={t('admin.jobs.try-again-job', { id })}
          >
            {t('common.try-again')}
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            onClick={onDiscard}
            aria-label={t('admin.jobs.discard-job', { id })}
          >
            {t('admin.jobs.discard')}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
