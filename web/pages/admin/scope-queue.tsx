import { Group, Title } from '@mantine/core'
import { useState } from 'react'
import { adminListScopeRequests, approveScopeRequest, denyScopeRequest } from '../../../contract/admin.ts'
import type { scope_request_statuses } from '../../../contract/app-fields.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { review_lists, Scopes } from './app-queue.tsx'
import { ApproveQuestion } from './approve-question.tsx'
import { useAscendingList } from './ascending-list.ts'
import { Queue, QueueRow, type Decision } from './queue.tsx'
import { ReasonDialog } from './reason-dialog.tsx'
import { useRefresh } from '../../api/refresh.ts'
import { StatusBadge } from './status-badge.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type ScopeRequest = AnswerOf<typeof adminListScopeRequests>['data'][number]

export function ScopeQueue({ status }: { status?: (typeof scope_request_statuses)[number] }) {
  const is_pending = status === 'pending'
  const newest = usePagedQuery(adminListScopeRequests, {
    query: { ...(status && { status }), ...(is_pending && { limit: 100 }) },
  })
  const requests = useAscendingList(newest, is_pending)
  const [approving, setApproving] = useState<ScopeRequest>()
  const [denying, setDenying] = useState<ScopeRequest>()
  const [decided, setDecided] = useState<string>()
  const approve = useApiMutation(approveScopeRequest, {
    invalidates: review_lists,
    onDone: ({ id, app_name }) => {
      setDecided(id)
      setApproving(undefined)
      notify(
        <>
          <RichText k="admin.scope-queue.has-the-scopes-it-asked-for" bdi={<bdi>{app_name}</bdi>} />
        </>,
      )
    },
  })
  const closeApproving = () => {
    setApproving(undefined)
    approve.reset()
  }
  const isPending = (request: ScopeRequest) => request.status === 'pending'
  const decisions: Decision<ScopeRequest>[] = [
    { key: 'a', label: t('admin.scope-queue.approve'), tone: 'primary', allowed: isPending, run: setApproving },
    { key: 'r', label: t('admin.scope-queue.deny'), tone: 'danger', allowed: isPending, run: setDenying },
  ]
  if (requests.error && !requests.data)
    return <FailureNote error={requests.error} onRetry={() => void requests.refetch()} />
  return (
    <>
      <Queue
        name={t('common.scope-requests')}
        list={requests}
        empty={
          <EmptyState
            icon="check"
            title={
              status === 'pending'
                ? t('admin.scope-queue.no-scope-request-is-pending-review')
                : t('common.there-are-none')
            }
          >
            {status === 'pending' && t('admin.scope-queue.all-scope-requests-are-reviewed')}
          </EmptyState>
        }
        summary={(request) => (
          <QueueRow
            name={request.app_name}
            about={request.requested_scopes.join(', ')}
            inserted_at={request.inserted_at}
            status={request.status}
          />
        )}
        detail={(request) => <RequestDetail request={request} />}
        decisions={decisions}
        busy={approving !== undefined || denying !== undefined}
        decided={decided}
      />
      {approving && (
        <ApproveQuestion
          title={
            <>
              <RichText k="admin.scope-queue.give-these-scopes" bdi={<bdi>{approving.app_name}</bdi>} />
            </>
          }
          action={t('admin.scope-queue.approve-2')}
          busy={approve.isPending}
          error={approve.error}
          onConfirm={() => approve.mutate({ params: { id: approving.id } })}
          onClose={closeApproving}
        >
          <Scopes names={approving.requested_scopes} />
        </ApproveQuestion>
      )}
      {denying && (
        <DenyDialog request={denying} onDecided={() => setDecided(denying.id)} onClose={() => setDenying(undefined)} />
      )}
    </>
  )
}

const RequestDetail = ({ request }: { request: ScopeRequest }) => (
  <>
    <Group gap="xs" mb="md">
      <Title order={2} className="user-content">
        {request.app_name}
      </Title>
      <StatusBadge status={request.status} />
    </Group>
    <DescriptionList
      items={[
        [t('admin.scope-queue.asks-for'), <Scopes key="scopes" names={request.requested_scopes} />],
        [t('common.asked'), <RelativeTime key="asked" at={request.inserted_at} />],
        ...(request.decided_at
          ? [[t('common.decided'), <RelativeTime key="decided" at={request.decided_at} />] as const]
          : []),
        ...(request.decision_reason ? [[t('common.reason-given'), request.decision_reason] as const] : []),
      ]}
    />
  </>
)

interface DenyDialogProps {
  request: ScopeRequest
  onDecided: () => void
  onClose: () => void
}

function DenyDialog({ request: { id, app_name }, onDecided, onClose }: DenyDialogProps) {
  const refresh = useRefresh(review_lists)
  return (
    <ReasonDialog
      endpoint={denyScopeRequest}
      id={id}
      title={
        <>
          <RichText k="admin.scope-queue.deny-the-request-of" bdi={<bdi>{app_name}</bdi>} />
        </>
      }
      action={t('common.deny')}
      danger
      hint={t('common.kept-with-the-decision-and-in')}
      onDone={() => {
        onDecided()
        refresh()
        notify(
          <>
            <RichText k="admin.scope-queue.the-request-of-is-denied" bdi={<bdi>{app_name}</bdi>} />
          </>,
        )
      }}
      onClose={onClose}
    >
      {t('admin.scope-queue.the-app-keeps-the-scopes-it')}
    </ReasonDialog>
  )
}
