import { Button, Group, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { adminListJobs, discardJob, retryJob } from '../../../contract/admin-jobs.ts'
import { listAudit } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { ListCard } from './list-card.tsx'
import classes from '../../ui/table.module.css'

type FailedJob = AnswerOf<typeof adminListJobs>['data'][number]

/** Titles of jobs; other jobs show their name. */
const titles: Record<string, string> = {
  'accounts.mail_verification_code': 'Mail with a verification code',
  'accounts.mail_reset_code': 'Mail with a code for a new password',
  'oauth.mail_app_decision': 'Mail about the decision on an app',
  'oauth.mail_scope_decision': 'Mail about the decision on scopes',
}
const titleOf = ({ job }: FailedJob) => titles[job] ?? job

export default function Jobs() {
  const list = usePagedQuery(adminListJobs, {})
  return (
    <>
      <PageHead
        title="Failed jobs"
        about="Work in the background that failed at every attempt, such as mails that the mail server did not take."
      />
      <ListCard
        list={list}
        lines={4}
        empty={
          <EmptyState icon="check" title="No job failed">
            A job that fails is tried again by itself. It appears here when all its attempts are used up.
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
  const retry = useApiMutation(retryJob, { invalidates: reads, onDone: () => notify('The job is tried again.') })
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
          notify('The job is discarded.')
          close()
        },
      },
    )
  return (
    <>
      <FailureNote error={retry.error} />
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Failed jobs">
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
          title="Discard this job?"
          action="Discard it"
          busy={discard.isPending}
          error={discard.error}
          onClose={close}
          onConfirm={() => confirm(discarding)}
        >
          {titleOf(discarding)}: it will never be done. This cannot be taken back.
        </Confirm>
      )}
    </>
  )
}

const Head = () => (
  <Table.Thead>
    <Table.Tr>
      <Table.Th>Job</Table.Th>
      <Table.Th>Last error</Table.Th>
      <Table.Th ta="right">Attempts</Table.Th>
      <Table.Th>Queued</Table.Th>
      <Table.Th aria-label="Actions" />
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
          Job {id}
          {app_id !== null && <span className="user-content">, app {app_id}</span>}
        </Text>
        {user_id !== null && (
          <Link to="/admin/users/$id" params={{ id: user_id }} size="xs" aria-label={`User of job ${id}`}>
            User
          </Link>
        )}
      </Table.Td>
      <Table.Td miw={200}>
        <Text size="sm" lineClamp={3} className="user-content">
          {error ?? 'The process that ran it was killed.'}
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
          <Button size="compact-xs" variant="default" onClick={onRetry} aria-label={`Try again: job ${id}`}>
            Try again
          </Button>
          <Button size="compact-xs" variant="default" onClick={onDiscard} aria-label={`Discard… job ${id}`}>
            Discard…
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
