import type { ReactNode } from 'react'
import { notices, type NoticeEvent, type NoticeKind } from '../contract/kinds/notices.ts'
import type { Scope } from '../contract/kinds/scopes.ts'
import type { TransferKind } from '../contract/kinds/transfers.ts'
import type { listNotices } from '../contract/notices.ts'
import type { AnswerOf } from './api/call.ts'
import { parseSearch } from './search.ts'
import { t, type PlainTextKey } from './texts.ts'
import type { IconName } from './ui/icon.tsx'
import { Link } from './ui/link.tsx'

export const transfer_labels: Record<TransferKind, PlainTextKey> = {
  award: 'account.movements.award',
  spend: 'account.movements.spent-in-an-app',
  refund: 'common.refund',
  payout: 'account.movements.payout',
  withdrawal: 'account.movements.withdrawal',
  transfer: 'account.movements.between-people',
  direct: 'account.movements.direct',
  signup: 'account.movements.for-registering',
  referral: 'account.movements.for-a-referral',
  reward: 'account.movements.learning-reward',
  charge: 'common.hosting',
  stipend: 'account.movements.hosting-stipend',
  play: 'account.movements.play-points',
  closure: 'account.movements.account-closed',
}

interface ScopeLook {
  icon: IconName
  /** Whether it is preselected when an app is registered. */
  is_proposed: boolean
  /** A note shown at registration. */
  note: PlainTextKey | null
}

export const scope_looks: Record<Scope, ScopeLook> = {
  'profile:read': { icon: 'check', is_proposed: true, note: null },
  'points:read': { icon: 'check', is_proposed: true, note: null },
  'points:spend': { icon: 'coins', is_proposed: true, note: null },
  'points:transfer': { icon: 'coins', is_proposed: false, note: null },
  'app:balance:read': { icon: 'check', is_proposed: true, note: 'build.new-app.needed-for-the-figures-in-this' },
  'deploy:manage': { icon: 'check', is_proposed: false, note: 'build.new-app.an-admin-grants-it-separately-ticking' },
  'points:award': { icon: 'check', is_proposed: false, note: null },
}

export const notice_kind_looks: Record<NoticeKind, { icon: IconName; name: PlainTextKey; about: PlainTextKey }> = {
  friends: { icon: 'users', name: 'common.friends', about: 'inbox.notice-texts.friends-about' },
  messages: { icon: 'chat', name: 'inbox.notice-texts.messages', about: 'inbox.notice-texts.messages-about' },
  apps: { icon: 'app', name: 'inbox.notice-texts.apps', about: 'inbox.notice-texts.apps-about' },
  points: { icon: 'coins', name: 'common.points', about: 'inbox.notice-texts.points-about' },
  moderation: { icon: 'flag', name: 'common.reports', about: 'inbox.notice-texts.moderation-about' },
  deployments: { icon: 'box', name: 'common.deployments', about: 'inbox.notice-texts.deployments-about' },
  webhooks: { icon: 'link', name: 'common.webhooks', about: 'inbox.notice-texts.webhooks-about' },
  review: { icon: 'queue', name: 'common.pending-review', about: 'inbox.notice-texts.review-about' },
}

/** Whether the console knows a kind of notice. */
export const isNoticeKind = (kind: string): kind is NoticeKind => Object.hasOwn(notice_kind_looks, kind)

export type Notice = AnswerOf<typeof listNotices>['data'][number]

interface NoticeValues {
  name: string
  count: number
  amount: number
  of_app: boolean
}

const notice_texts: Record<NoticeEvent, (values: NoticeValues) => string> = {
  friend_requested: (values) => t('inbox.notice-texts.friend-requested', values),
  friend_accepted: (values) => t('inbox.notice-texts.friend-accepted', values),
  messages_came: (values) => t('inbox.notice-texts.messages-came', values),
  direct_messages_came: (values) => t('inbox.notice-texts.direct-messages-came', values),
  app_approved: (values) => t('inbox.notice-texts.app-approved', values),
  app_rejected: (values) => t('inbox.notice-texts.app-rejected', values),
  approval_withdrawn: (values) => t('inbox.notice-texts.approval-withdrawn', values),
  scopes_granted: (values) => t('inbox.notice-texts.scopes-granted', values),
  scopes_denied: (values) => t('inbox.notice-texts.scopes-denied', values),
  app_offered: (values) => t('inbox.notice-texts.app-offered', values),
  team_invited: (values) => t('inbox.notice-texts.team-invited', values),
  team_role_changed: (values) => t('inbox.notice-texts.team-role-changed', values),
  team_removed: (values) => t('inbox.notice-texts.team-removed', values),
  points_awarded: (values) =>
    values.of_app ? t('inbox.notice-texts.points-awarded-by', values) : t('inbox.notice-texts.points-awarded', values),
  points_transferred: (values) => t('inbox.notice-texts.points-transferred', values),
  points_requested: (values) => t('inbox.notice-texts.points-requested', values),
  points_request_declined: (values) => t('inbox.notice-texts.points-request-declined', values),
  points_paid_out: (values) => t('inbox.notice-texts.points-paid-out', values),
  points_refunded: (values) => t('inbox.notice-texts.points-refunded', values),
  points_referred: (values) => t('inbox.notice-texts.points-referred', values),
  report_acted: (values) => t('inbox.notice-texts.report-acted', values),
  report_dismissed: (values) => t('inbox.notice-texts.report-dismissed', values),
  message_removed: () => t('inbox.notice-texts.message-removed'),
  display_name_removed: () => t('inbox.notice-texts.display-name-removed'),
  picture_removed: () => t('inbox.notice-texts.picture-removed'),
  muted: () => t('inbox.notice-texts.muted'),
  unmuted: () => t('inbox.notice-texts.unmuted'),
  deployment_down: (values) => t('inbox.notice-texts.deployment-down', values),
  deployment_back: (values) => t('inbox.notice-texts.deployment-back', values),
  secret_expires: (values) => t('inbox.notice-texts.secret-expires', values),
  webhook_switched_off: (values) => t('inbox.notice-texts.webhook-switched-off', values),
  apps_wait: (values) => t('inbox.notice-texts.apps-wait', values),
  changed_apps_wait: (values) => t('inbox.notice-texts.changed-apps-wait', values),
  scope_requests_wait: (values) => t('inbox.notice-texts.scope-requests-wait', values),
  cases_wait: (values) => t('inbox.notice-texts.cases-wait', values),
  reviews_wait: (values) => t('inbox.notice-texts.reviews-wait', values),
}

/** Whether the console knows the event of a notice: an open tab may be older than the service. */
const isKnown = ({ event }: Notice) => Object.hasOwn(notice_texts, event)

/** A notice as a sentence. */
export function noticeText(notice: Notice) {
  if (!isKnown(notice)) return t('inbox.notice-texts.unknown')
  const { event, count, amount, subject_name, app_id } = notice
  return notice_texts[event]({
    name: subject_name ?? t('common.somebody-who-left'),
    count,
    amount: amount ?? 0,
    of_app: app_id !== null,
  })
}

interface NoticeLinkProps {
  notice: Notice
  onClick: () => void
  children: ReactNode
}

/** A link to the page of a notice; plain text for an unknown event. */
export function NoticeLink({ notice, onClick, children }: NoticeLinkProps) {
  if (!isKnown(notice)) return children
  const { pathname, search, hash } = new URL(notices[notice.event].path(notice), location.origin)
  return (
    <Link
      to={pathname}
      search={parseSearch(search)}
      hash={hash.slice(1)}
      onClick={onClick}
      underline="hover"
      c="inherit"
    >
      {children}
    </Link>
  )
}
