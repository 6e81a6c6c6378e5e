import { Alert, Code, Group, List, Text, Title } from '@mantine/core'
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
import { callApi } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { DescriptionList, type Items } from '../../ui/description-list.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Link } from '../../ui/link.tsx'
import { EmptyState } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { AppChanges, type AdminApp as App } from './app-changes.tsx'
import { ApproveDialog, ReasonDialog } from './decision-dialogs.tsx'
import type { PagedList } from './list-card.tsx'
import { Queue, QueueRow, useAscendingList, type Decision } from './queue.tsx'
import { StatusBadge } from './status-badge.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'
import { grantOf } from '../../ui/grant-of.ts'

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
  const [dialog, setDialog] = useState<DialogState>()
  const [decided, setDecided] = useState<string>()
  const open = (action: DialogState['action']) => (app: App) => setDialog({ app, action })
  const decisions: Decision<App>[] = [
    {
      key: 's',
      label: t('admin.app-queue.mark-as-seen'),
      tone: 'primary',
      allowed: (app) => app.changed_since_approval,
      run: open('seen'),
    },
    {
      key: 'a',
      label: t('admin.app-queue.approve-and-list'),
      ...(!changed && { tone: 'primary' as const }),
      allowed: (app) => app.status !== 'approved' || !app.listed,
      run: open('list'),
    },
    {
      key: 'u',
      label: t('admin.app-queue.approve-unlisted'),
      allowed: (app) => app.status !== 'approved' || app.listed,
      run: open('approve'),
    },
    {
      key: 'r',
      label: t('admin.app-queue.reject'),
      tone: 'danger',
      allowed: (app) => app.status !== 'rejected',
      run: open('reject'),
    },
  ]
  return (
    <>
      <Queue
        name={t('common.apps')}
        list={useAscendingList(newest, is_pending || changed)}
        empty={
          <EmptyState icon="check" title={emptyTitle(is_pending, changed)}>
            {is_pending && t('admin.app-queue.all-apps-are-reviewed-new-apps')}
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
          {...dialog}
          check={() => checkUnchanged(newest, dialog.app)}
          onDone={() => setDecided(dialog.app.id)}
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
    {app.status === 'pending' && app.review.resubmitted_at !== null && <Resubmitted app={app} />}
    {(app.changed_since_approval || app.status === 'pending') && <AppChanges app={app} />}
    <DescriptionList items={factsOf(app)} />
  </>
)

/** The reason of the last rejection, and the owner's answer to it. */
const Resubmitted = ({ app: { review } }: { app: App }) => (
  <Alert
    color="gray"
    mb="md"
    title={<RichText k="admin.app-queue.submitted-again" time={<RelativeTime at={review.resubmitted_at} />} />}
  >
    <DescriptionList
      items={[
        [t('admin.app-queue.rejected-before-because'), <Quote key="reason" text={review.reason} />],
        [t('admin.app-queue.note-of-the-owner'), <Quote key="note" text={review.note} />],
      ]}
    />
  </Alert>
)

const Quote = ({ text }: { text: string | null }) => (
  <Text size="sm" className="user-content" style={{ whiteSpace: 'pre-wrap' }}>
    {text ?? t('common.none')}
  </Text>
)

const factsOf = (app: App): Items => [
  [
    t('common.owner'),
    <Link key="owner" to="/admin/users/$id" params={{ id: app.owner_id }} className="user-content">
      {app.owner_username}
    </Link>,
  ],
  [t('common.registered'), <RelativeTime key="at" at={app.inserted_at} />],
  [t('common.website'), app.website_url ? <ExternalLink key="site" address={app.website_url} /> : t('common.none')],
  [
    t('common.sends-people-to'),
    <List key="to" size="sm" listStyleType="none">
      {app.redirect_uris.map((uri) => (
        <List.Item key={uri}>
          <Code>{uri}</Code>
        </List.Item>
      ))}
    </List>,
  ],
  [t('common.scopes'), <Scopes key="scopes" names={app.allowed_scopes} />],
  ['PKCE', app.require_pkce ? t('admin.app-queue.required') : t('admin.app-queue.not-required')],
  app.decision_reason !== null && app.status !== 'pending' && [t('common.reason-given'), app.decision_reason],
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

const usual_reasons = () => [
  t('admin.app-queue.the-description-does-not-say-what'),
  t('admin.app-queue.it-asks-for-scopes-that-it'),
  t('admin.app-queue.the-website-cannot-be-reached'),
  t('admin.app-queue.name-or-logo-belong-to-somebody'),
]

interface ReviewDialogProps extends DialogState {
  /** Rejects if the app has changed since it was shown. */
  check: () => Promise<void>
  onDone: () => void
  onClose: () => void
}

function ReviewDialog({ app, action, check, ...then }: ReviewDialogProps) {
  const { id } = app
  const bdi = <bdi>{app.app_name}</bdi>
  const shared = { ...then, invalidates: review_lists }
  if (action === 'seen')
    return (
      <ReasonDialog
        {...shared}
        endpoint={markAppSeen}
        id={id}
        body={() => ({ updated_at: app.updated_at })}
        title={<RichText k="admin.app-queue.mark-the-change-of-as-seen" bdi={bdi} />}
        action={t('admin.app-queue.mark-as-seen-2')}
        done={<RichText k="admin.app-queue.counts-as-approved-as-it-is" bdi={bdi} />}
      >
        {t('admin.app-queue.it-counts-as-approved-as-it')}
      </ReasonDialog>
    )
  if (action === 'reject')
    return (
      <ReasonDialog
        {...shared}
        endpoint={rejectApp}
        id={id}
        check={check}
        title={<RichText k="admin.app-queue.reject-2" bdi={bdi} />}
        action={t('common.reject')}
        danger
        hint={t('admin.app-queue.the-owner-reads-it')}
        missing={t('admin.app-queue.enter-a-reason')}
        usual_reasons={usual_reasons()}
        done={<RichText k="admin.app-queue.is-rejected" bdi={bdi} />}
      >
        {app.is_approved
          ? t('admin.app-queue.its-approval-is-withdrawn-all-its')
          : t('admin.app-queue.nobody-can-sign-in-with-it')}
      </ReasonDialog>
    )
  const listed = action === 'list'
  return (
    <ApproveDialog
      {...shared}
      approve={async () => {
        await check()
        return callApi(approveApp, { params: { id }, body: { listed } })
      }}
      title={<RichText k="admin.app-queue.approve-listed" bdi={bdi} listed={listed} />}
      action={listed ? t('admin.app-queue.approve-and-list-2') : t('admin.app-queue.approve-unlisted-2')}
      done={<RichText k="admin.app-queue.is-approved-listed" bdi={bdi} listed={listed} />}
    >
      <RichText
        k="admin.app-queue.registered-it-people-can-sign-in"
        mark={<span className="user-content">{app.owner_username}</span>}
        listed={listed}
      />
    </ApproveDialog>
  )
}

/** Reads the list again right before a decision and compares the app, since the API accepts a decision in every state of an app. */
async function checkUnchanged(list: PagedList<App>, seen: App) {
  const { data, error } = await list.refetch()
  if (error) throw error
  const pages = (data?.pages ?? []) as unknown as { data: App[] }[]
  const current = pages.flatMap((page) => page.data).find(({ id }) => id === seen.id)
  const is_unchanged =
    current?.status === seen.status &&
    current.listed === seen.listed &&
    current.review.resubmitted_at === seen.review.resubmitted_at
  if (!is_unchanged)
    throw new Error(t('admin.check-unchanged.was-already-decided-by-another-admin', { name: seen.app_name }))
}
