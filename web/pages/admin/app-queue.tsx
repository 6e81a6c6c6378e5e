import { Code, Group, List, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import {
  adminListApps,
  adminListScopeRequests,
  approveApp,
  countPending,
  markAppSeen,
  rejectApp,
} from '../../../contract/admin.ts'
import type { app_statuses } from '../../../contract/app-fields.ts'
import { isScope, scopes } from '../../../contract/scopes.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Link } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { AppChanges } from './app-changes.tsx'
import { ApproveQuestion } from './approve-question.tsx'
import { checkUnchanged } from './check-unchanged.ts'
import { useAscendingList } from './ascending-list.ts'
import { Queue, QueueRow, type Decision } from './queue.tsx'
import { useRefresh } from '../../api/refresh.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import { ReasonForm } from './reason-form.tsx'
import { StatusBadge } from './status-badge.tsx'

type App = AnswerOf<typeof adminListApps>['data'][number]

export const review_lists = [adminListApps, adminListScopeRequests, countPending]

interface DialogState {
  app: App
  action: 'list' | 'approve' | 'reject' | 'seen'
}

/** Apps to review: those of a status, or those that changed since their approval. */
export function AppQueue({ status, changed = false }: { status?: (typeof app_statuses)[number]; changed?: boolean }) {
  const is_pending = status === 'pending'
  const newest = usePagedQuery(adminListApps, {
    query: { ...(status && { status }), ...(changed && { changed }), ...((is_pending || changed) && { limit: 100 }) },
  })
  const apps = useAscendingList(newest, is_pending || changed)
  const [dialog, setDialog] = useState<DialogState>()
  const [decided, setDecided] = useState<string>()
  const decisions: Decision<App>[] = [
    {
      key: 's',
      label: 'Mark as seen…',
      tone: 'primary',
      allowed: (app) => app.changed_since_approval,
      run: (app) => setDialog({ app, action: 'seen' }),
    },
    {
      key: 'a',
      label: 'Approve and list…',
      ...(!changed && { tone: 'primary' as const }),
      allowed: (app) => app.status !== 'approved' || !app.listed,
      run: (app) => setDialog({ app, action: 'list' }),
    },
    {
      key: 'u',
      label: 'Approve unlisted…',
      allowed: (app) => app.status !== 'approved' || app.listed,
      run: (app) => setDialog({ app, action: 'approve' }),
    },
    {
      key: 'r',
      label: 'Reject…',
      tone: 'danger',
      allowed: (app) => app.status !== 'rejected',
      run: (app) => setDialog({ app, action: 'reject' }),
    },
  ]
  if (apps.error && !apps.data) return <FailureNote error={apps.error} onRetry={() => void apps.refetch()} />
  return (
    <>
      <Queue
        name="Apps"
        list={apps}
        empty={
          <EmptyState icon="check" title={emptyTitle(is_pending, changed)}>
            {status === 'pending' &&
              'All apps are reviewed. New apps appear here, and rejected apps that are submitted again.'}
            {changed &&
              'An app appears here when its name, logo, website or redirect URIs change after it was approved.'}
          </EmptyState>
        }
        summary={(app) => (
          <QueueRow
            name={app.app_name}
            about={
              <>
                <span className="user-content">{app.owner_username}</span>
                {app.changed_since_approval && ' · changed since approval'}
                {app.status === 'pending' && app.review.resubmitted_at && ' · submitted again'}
              </>
            }
            inserted_at={(app.status === 'pending' ? app.review.resubmitted_at : null) ?? app.inserted_at}
            status={app.status}
          />
        )}
        detail={(app) => <AppDetail app={app} />}
        decisions={decisions}
        busy={dialog !== undefined}
        decided={decided}
      />
      {dialog && (
        <ReviewDialog
          dialog={dialog}
          check={() => checkUnchanged(newest, dialog.app)}
          onDecided={() => setDecided(dialog.app.id)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}

const emptyTitle = (is_pending: boolean, changed: boolean) => {
  if (is_pending) return 'No app is pending review'
  return changed ? 'No app has changed since its approval' : 'There are none'
}

const AppDetail = ({ app }: { app: App }) => (
  <>
    <Group gap="xs" mb={4}>
      <AppLogo app={app.id} name={app.app_name} logo_url={app.logo_url} />
      <Title order={2} className="user-content">
        {app.app_name}
      </Title>
      <StatusBadge status={app.status} />
      {app.is_approved && (
        <Text size="sm" c="dimmed">
          {app.listed ? 'listed' : 'not listed'}
        </Text>
      )}
    </Group>
    <Text size="sm" mb="md" className="user-content" c={app.app_description ? undefined : 'dimmed'}>
      {app.app_description ?? 'No description.'}
    </Text>
    {app.changed_since_approval && <AppChanges app={app} />}
    <DescriptionList items={factsOf(app)} />
  </>
)

const factsOf = (app: App) => [
  [
    'Owner',
    <Link key="owner" to="/admin/users/$id" params={{ id: app.owner_id }} className="user-content">
      {app.owner_username}
    </Link>,
  ] as const,
  ['Registered', <RelativeTime key="at" at={app.inserted_at} />] as const,
  ['Website', app.website_url ? <ExternalLink key="site" address={app.website_url} /> : 'none'] as const,
  [
    'Sends people to',
    <List key="to" size="sm" listStyleType="none">
      {app.redirect_uris.map((uri) => (
        <List.Item key={uri}>
          <Code>{uri}</Code>
        </List.Item>
      ))}
    </List>,
  ] as const,
  ['Scopes', <Scopes key="scopes" names={app.allowed_scopes} />] as const,
  ['PKCE', app.require_pkce ? 'required' : 'not required'] as const,
  ...(app.review.resubmitted_at
    ? [['Submitted again', <RelativeTime key="again" at={app.review.resubmitted_at} />] as const]
    : []),
  ...(app.decision_reason
    ? [[app.status === 'pending' ? 'Rejected before because' : 'Reason given', app.decision_reason] as const]
    : []),
]

/** Scopes with their descriptions. */
export const Scopes = ({ names }: { names: readonly string[] }) =>
  names.length === 0 ? (
    <>none</>
  ) : (
    <List size="sm" listStyleType="none" spacing={4}>
      {names.map((scope) => (
        <List.Item key={scope}>
          <Code>{scope}</Code> {isScope(scope) && <Text span inherit>{` ${scopes[scope].grants}`}</Text>}
        </List.Item>
      ))}
    </List>
  )

interface DialogProps {
  dialog: DialogState
  /** Rejects when the app has changed since it was shown. */
  check: () => Promise<void>
  onDecided: () => void
  onClose: () => void
}

const ReviewDialog = ({ dialog: { app, action }, ...rest }: DialogProps) =>
  action === 'seen' ? (
    <SeenDialog app={app} {...rest} />
  ) : action === 'reject' ? (
    <RejectDialog app={app} {...rest} />
  ) : (
    <ApproveDialog app={app} listed={action === 'list'} {...rest} />
  )

type OneDialogProps = Omit<DialogProps, 'dialog'> & { app: App }

function ApproveDialog({ app, listed, check, onDecided, onClose }: OneDialogProps & { listed: boolean }) {
  const refresh = useRefresh(review_lists)
  const approve = useMutation({
    mutationFn: async () => {
      await check()
      return callApi(approveApp, { params: { id: app.id }, body: { listed } })
    },
    onSuccess: ({ app_name }) => {
      onDecided()
      refresh()
      notify(
        <>
          <bdi>{app_name}</bdi> is approved{listed ? ' and listed in the directory' : ', and not listed'}.
        </>,
      )
      onClose()
    },
  })
  return (
    <ApproveQuestion
      title={
        <>
          Approve <bdi>{app.app_name}</bdi>
          {listed ? ' and list it' : ', unlisted'}?
        </>
      }
      action={listed ? 'Approve and list' : 'Approve unlisted'}
      busy={approve.isPending}
      error={approve.error}
      onConfirm={() => approve.mutate()}
      onClose={onClose}
    >
      <span className="user-content">{app.owner_username}</span> registered it. People can sign in with it at once
      {listed ? ', and find it in the directory.' : '; the directory does not show it.'} Rejecting it later withdraws
      the approval.
    </ApproveQuestion>
  )
}

function SeenDialog({ app, onDecided, onClose }: OneDialogProps) {
  const refresh = useRefresh(review_lists)
  return (
    <ReasonForm
      endpoint={markAppSeen}
      id={app.id}
      title={
        <>
          Mark the change of <bdi>{app.app_name}</bdi> as seen?
        </>
      }
      body={() => ({ updated_at: app.updated_at })}
      action="Mark as seen"
      onDone={() => {
        onDecided()
        refresh()
        notify(
          <>
            <bdi>{app.app_name}</bdi> counts as approved as it is.
          </>,
        )
      }}
      onClose={onClose}
    >
      It counts as approved as it is now. To withdraw the approval, reject it instead.
    </ReasonForm>
  )
}

function RejectDialog({ app, check, onDecided, onClose }: OneDialogProps) {
  const refresh = useRefresh(review_lists)
  return (
    <ReasonDialog
      endpoint={rejectApp}
      id={app.id}
      title={
        <>
          Reject <bdi>{app.app_name}</bdi>?
        </>
      }
      action="Reject"
      danger
      hint="Kept with the decision and in the audit log."
      check={check}
      onDone={() => {
        onDecided()
        refresh()
        notify(
          <>
            <bdi>{app.app_name}</bdi> is rejected.
          </>,
        )
      }}
      onClose={onClose}
    >
      {app.is_approved
        ? 'Its approval is withdrawn: all its codes, tokens and sessions stop at once.'
        : 'Nobody can sign in with it. Its owner is told the reason and can submit it again.'}
    </ReasonDialog>
  )
}
