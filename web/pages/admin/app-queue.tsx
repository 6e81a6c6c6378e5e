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
import { isScope } from '../../../contract/kinds/scopes.ts'
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
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'
import { grantOf } from '../../ui/grant-of.ts'

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
      label: t('admin.app-queue.mark-as-seen'),
      tone: 'primary',
      allowed: (app) => app.changed_since_approval,
      run: (app) => setDialog({ app, action: 'seen' }),
    },
    {
      key: 'a',
      label: t('admin.app-queue.approve-and-list'),
      ...(!changed && { tone: 'primary' as const }),
      allowed: (app) => app.status !== 'approved' || !app.listed,
      run: (app) => setDialog({ app, action: 'list' }),
    },
    {
      key: 'u',
      label: t('admin.app-queue.approve-unlisted'),
      allowed: (app) => app.status !== 'approved' || app.listed,
      run: (app) => setDialog({ app, action: 'approve' }),
    },
    {
      key: 'r',
      label: t('admin.app-queue.reject'),
      tone: 'danger',
      allowed: (app) => app.status !== 'rejected',
      run: (app) => setDialog({ app, action: 'reject' }),
    },
  ]
  if (apps.error && !apps.data) return <FailureNote error={apps.error} onRetry={() => void apps.refetch()} />
  return (
    <>
      <Queue
        name={t('common.apps')}
        list={apps}
        empty={
          <EmptyState icon="check" title={emptyTitle(is_pending, changed)}>
            {status === 'pending' && t('admin.app-queue.all-apps-are-reviewed-new-apps')}
            {changed && t('admin.app-queue.an-app-appears-here-when-its')}
          </EmptyState>
        }
        summary={(app) => (
          <QueueRow
            name={app.app_name}
            about={
              <>
                <span className="user-content">{app.owner_username}</span>
                {app.changed_since_approval && ` · ${t('common.changed-since-approval-2')}`}
                {app.status === 'pending' && app.review.resubmitted_at && ` · ${t('admin.app-queue.asked-once-more')}`}
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
  if (is_pending) return t('admin.app-queue.no-app-is-pending-review')
  return changed ? t('admin.app-queue.no-app-has-changed-since-its') : t('common.there-are-none')
}

const AppDetail = ({ app }: { app: App }) => (
  <>
    <Group gap="xs" mb={4}>
      <AppLogo app={app.id} name={app.app_name} logo_url={app.logo_url} is_private={app.status !== 'approved'} />
      <Title order={2} className="user-content">
        {app.app_name}
      </Title>
      <StatusBadge status={app.status} />
      {app.is_approved && (
        <Text size="sm" c="dimmed">
          {app.listed ? t('admin.app-queue.listed') : t('admin.app-queue.not-listed')}
        </Text>
      )}
    </Group>
    <Text size="sm" mb="md" className="user-content" c={app.app_description ? undefined : 'dimmed'}>
      {app.app_description ?? t('admin.app-queue.no-description')}
    </Text>
    {app.changed_since_approval && <AppChanges app={app} />}
    <DescriptionList items={factsOf(app)} />
  </>
)

const factsOf = (app: App) => [
  [
    t('common.owner'),
    <Link key="owner" to="/admin/users/$id" params={{ id: app.owner_id }} className="user-content">
      {app.owner_username}
    </Link>,
  ] as const,
  [t('common.registered'), <RelativeTime key="at" at={app.inserted_at} />] as const,
  [
    t('common.website'),
    app.website_url ? <ExternalLink key="site" address={app.website_url} /> : t('common.none'),
  ] as const,
  [
    t('common.sends-people-to'),
    <List key="to" size="sm" listStyleType="none">
      {app.redirect_uris.map((uri) => (
        <List.Item key={uri}>
          <Code>{uri}</Code>
        </List.Item>
      ))}
    </List>,
  ] as const,
  [t('common.scopes'), <Scopes key="scopes" names={app.allowed_scopes} />] as const,
  ['PKCE', app.require_pkce ? t('admin.app-queue.required') : t('admin.app-queue.not-required')] as const,
  ...(app.review.resubmitted_at
    ? [[t('admin.app-queue.submitted-again'), <RelativeTime key="again" at={app.review.resubmitted_at} />] as const]
    : []),
  ...(app.decision_reason
    ? [
        [
          app.status === 'pending' ? t('admin.app-queue.rejected-before-because') : t('common.reason-given'),
          app.decision_reason,
        ] as const,
      ]
    : []),
]

/** Scopes with their descriptions. */
export const Scopes = ({ names }: { names: readonly string[] }) =>
  names.length === 0 ? (
    <>{t('common.none')}</>
  ) : (
    <List size="sm" listStyleType="none" spacing={4}>
      {names.map((scope) => (
        <List.Item key={scope}>
          <Code>{scope}</Code> {isScope(scope) && <Text span inherit>{` ${grantOf(scope)}`}</Text>}
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
          <RichText k="admin.app-queue.is-approved-listed" bdi={<bdi>{app_name}</bdi>} listed={Boolean(listed)} />
        </>,
      )
      onClose()
    },
  })
  return (
    <ApproveQuestion
      title={
        <>
          <RichText k="admin.app-queue.approve-listed" bdi={<bdi>{app.app_name}</bdi>} listed={Boolean(listed)} />
        </>
      }
      action={listed ? t('admin.app-queue.approve-and-list-2') : t('admin.app-queue.approve-unlisted-2')}
      busy={approve.isPending}
      error={approve.error}
      onConfirm={() => approve.mutate()}
      onClose={onClose}
    >
      <RichText
        k="admin.app-queue.registered-it-people-can-sign-in"
        mark={<span className="user-content">{app.owner_username}</span>}
        listed={Boolean(listed)}
      />
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
          <RichText k="admin.app-queue.mark-the-change-of-as-seen" bdi={<bdi>{app.app_name}</bdi>} />
        </>
      }
      body={() => ({ updated_at: app.updated_at })}
      action={t('admin.app-queue.mark-as-seen-2')}
      onDone={() => {
        onDecided()
        refresh()
        notify(
          <>
            <RichText k="admin.app-queue.counts-as-approved-as-it-is" bdi={<bdi>{app.app_name}</bdi>} />
          </>,
        )
      }}
      onClose={onClose}
    >
      {t('admin.app-queue.it-counts-as-approved-as-it')}
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
          <RichText k="admin.app-queue.reject-2" bdi={<bdi>{app.app_name}</bdi>} />
        </>
      }
      action={t('common.reject')}
      danger
      hint={t('common.kept-with-the-decision-and-in')}
      check={check}
      onDone={() => {
        onDecided()
        refresh()
        notify(
          <>
            <RichText k="admin.app-queue.is-rejected" bdi={<bdi>{app.app_name}</bdi>} />
          </>,
        )
      }}
      onClose={onClose}
    >
      {app.is_approved
        ? t('admin.app-queue.its-approval-is-withdrawn-all-its')
        : t('admin.app-queue.nobody-can-sign-in-with-it')}
    </ReasonDialog>
  )
}
