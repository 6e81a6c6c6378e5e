import { countPending } from '../../../contract/admin.ts'
import {
  adminGetApp,
  adminListApps,
  adminListScopeRequests,
  approveApp,
  markAppSeen,
  rejectApp,
} from '../../../contract/admin-apps.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { callApi } from '../../api/call.ts'
import { RichText } from '../../ui/rich-text.tsx'
import type { AdminApp as App } from './app-changes.tsx'
import { ApproveDialog, ReasonDialog } from './decision-dialogs.tsx'
import type { Decision } from './queue.tsx'
import { t } from '../../texts.ts'

export const review_lists = [adminListApps, adminGetApp, adminListScopeRequests, countPending, listAudit]

export type AppAction = 'list' | 'approve' | 'reject' | 'seen'

/** The decisions about an app; the first one differs for an app that has only changed. */
export const decisionsOf = (open: (action: AppAction) => (app: App) => void, changed = false): Decision<App>[] => [
  {
    key: 's',
    label: t('admin.app-queue.mark-as-seen'),
    tone: 'primary',
    call: markAppSeen,
    allowed: (app) => app.changed_since_approval,
    run: open('seen'),
  },
  {
    key: 'a',
    label: t('admin.app-queue.approve-and-list'),
    ...(!changed && { tone: 'primary' as const }),
    call: approveApp,
    allowed: (app) => app.status !== 'approved' || !app.listed,
    run: open('list'),
  },
  {
    key: 'u',
    label: t('admin.app-queue.approve-unlisted'),
    call: approveApp,
    allowed: (app) => app.status !== 'approved' || app.listed,
    run: open('approve'),
  },
  {
    key: 'r',
    label: t('admin.app-queue.reject'),
    tone: 'danger',
    call: rejectApp,
    allowed: (app) => app.status !== 'rejected',
    run: open('reject'),
  },
]

/** The API accepts a decision in every state of an app: refuses one about a state that the admin has not seen. */
export function refuseChanged(seen: App, current: App | undefined) {
  const is_unchanged =
    current?.status === seen.status &&
    current.listed === seen.listed &&
    current.review.resubmitted_at === seen.review.resubmitted_at
  if (!is_unchanged)
    throw new Error(t('admin.check-unchanged.was-already-decided-by-another-admin', { name: seen.app_name }))
}

const usual_reasons = () => [
  t('admin.app-queue.the-description-does-not-say-what'),
  t('admin.app-queue.it-asks-for-scopes-that-it'),
  t('admin.app-queue.the-website-cannot-be-reached'),
  t('admin.app-queue.name-or-logo-belong-to-somebody'),
]

interface ReviewDialogProps {
  app: App
  action: AppAction

  /** Rejects if the app has changed since it was shown. */
  check: () => Promise<void>
  onDone: () => void
  onClose: () => void
}

export function ReviewDialog({ app, action, check, ...then }: ReviewDialogProps) {
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
