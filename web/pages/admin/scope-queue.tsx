import { Group, Title } from '@mantine/core'
import { useState } from 'react'
import { adminListScopeRequests, approveScopeRequest, denyScopeRequest } from '../../../contract/admin-apps.ts'
import type { scope_request_statuses } from '../../../contract/app-fields.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { review_lists } from './app-decisions.tsx'
import { Scopes } from './app-detail.tsx'
import { ApproveDialog, ReasonDialog } from './decision-dialogs.tsx'
import { Queue, QueueRow, useAscendingList, type Decision } from './queue.tsx'
import { StatusBadge } from './status-badge.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type ScopeRequest = AnswerOf<typeof adminListScopeRequests>['data'][number]

interface DialogState {
  request: ScopeRequest
  action: 'approve' | 'deny'
}

export function ScopeQueue({ status }: { status?: (typeof scope_request_statuses)[number] }) {
  const is_pending = status === 'pending'
  const newest = usePagedQuery(adminListScopeRequests, {
    query: { ...(status && { status }), ...(is_pending && { limit: 100 }) },
  })
  const [dialog, setDialog] = useState<DialogState>()
  const [decided, setDecided] = useState<string>()
  const open = (action: DialogState['action']) => (request: ScopeRequest) => setDialog({ request, action })
  const isPending = (request: ScopeRequest) => request.status === 'pending'
  const decisions: Decision<ScopeRequest>[] = [
    {
      key: 'a',
      label: t('admin.scope-queue.approve'),
      tone: 'primary',
      call: approveScopeRequest,
      allowed: isPending,
      run: open('approve'),
    },
    {
      key: 'r',
      label: t('admin.scope-queue.deny'),
      tone: 'danger',
      call: denyScopeRequest,
      allowed: isPending,
      run: open('deny'),
    },
  ]
  return (
    <>
      <Queue
        name={t('common.scope-requests')}
        list={useAscendingList(newest, is_pending)}
        empty={
          <EmptyState
            icon="check"
            title={is_pending ? t('admin.scope-queue.no-scope-request-is-pending-review') : t('common.there-are-none')}
          >
            {is_pending && t('admin.scope-queue.all-scope-requests-are-reviewed')}
          </EmptyState>
        }
        summary={({ app_name, requested_scopes, ...request }) => (
          <QueueRow {...request} name={app_name} about={requested_scopes.join(', ')} />
        )}
        detail={(request) => <RequestDetail request={request} />}
        decisions={decisions}
        busy={dialog !== undefined}
        decided={decided}
      />
      {dialog && (
        <ReviewDialog {...dialog} onDone={() => setDecided(dialog.request.id)} onClose={() => setDialog(undefined)} />
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
        request.decided_at !== null && [t('common.decided'), <RelativeTime key="decided" at={request.decided_at} />],
        request.decision_reason !== null && [t('common.reason-given'), request.decision_reason],
      ]}
    />
  </>
)

function ReviewDialog({ request, action, ...then }: DialogState & { onDone: () => void; onClose: () => void }) {
  const { id, app_name, requested_scopes } = request
  const bdi = <bdi>{app_name}</bdi>
  const shared = { ...then, invalidates: review_lists }
  return action === 'approve' ? (
    <ApproveDialog
      {...shared}
      approve={() => callApi(approveScopeRequest, { params: { id } })}
      title={<RichText k="admin.scope-queue.give-these-scopes" bdi={bdi} />}
      action={t('admin.scope-queue.approve-2')}
      done={<RichText k="admin.scope-queue.has-the-scopes-it-asked-for" bdi={bdi} />}
    >
      <Scopes names={requested_scopes} />
    </ApproveDialog>
  ) : (
    <ReasonDialog
      {...shared}
      endpoint={denyScopeRequest}
      id={id}
      title={<RichText k="admin.scope-queue.deny-the-request-of" bdi={bdi} />}
      action={t('common.deny')}
      danger
      hint={t('admin.app-queue.the-owner-reads-it')}
      missing={t('admin.app-queue.enter-a-reason')}
      usual_reasons={[
        t('admin.scope-queue.the-description-does-not-say-what'),
        t('admin.scope-queue.the-app-works-without-these-scopes'),
      ]}
      done={<RichText k="admin.scope-queue.the-request-of-is-denied" bdi={bdi} />}
    >
      {t('admin.scope-queue.the-app-keeps-the-scopes-it')}
    </ReasonDialog>
  )
}
