interface NoticeKindFacts {
  /** Its mails are gathered and off at first, or each is mailed at once. */
  mail: 'gathered' | 'at_once'
  for_admins: boolean
}

/** Every kind of notice: the subject that a person mutes or has mailed. */
export const notice_kind_facts = {
  friends: { mail: 'gathered', for_admins: false },
  messages: { mail: 'gathered', for_admins: false },
  apps: { mail: 'at_once', for_admins: false },
  points: { mail: 'gathered', for_admins: false },
  moderation: { mail: 'at_once', for_admins: false },
  deployments: { mail: 'at_once', for_admins: false },
  webhooks: { mail: 'at_once', for_admins: false },
  review: { mail: 'gathered', for_admins: true },
} as const satisfies Record<string, NoticeKindFacts>

export type NoticeKind = keyof typeof notice_kind_facts
export const notice_kinds = Object.keys(notice_kind_facts) as NoticeKind[]

/** The kinds that a person can get. */
export const noticeKindsOf = ({ is_admin }: { is_admin: boolean }) =>
  notice_kinds.filter((kind) => is_admin || !notice_kind_facts[kind].for_admins)

/** The page that a notice links to. */
export type NoticePage =
  | 'friends'
  | 'chat'
  | 'direct'
  | 'app'
  | 'app_secrets'
  | 'app_webhooks'
  | 'invitations'
  | 'team'
  | 'points'
  | 'requests'
  | 'reports'
  | 'profile'
  | 'deployment'
  | 'review'
  | 'review_changed'
  | 'review_scopes'
  | 'cases'

/** Every event that people are notified of. */
export const notices = {
  friend_requested: { kind: 'friends', page: 'friends' },
  friend_accepted: { kind: 'friends', page: 'friends' },
  messages_came: { kind: 'messages', page: 'chat' },
  direct_messages_came: { kind: 'messages', page: 'direct' },
  app_approved: { kind: 'apps', page: 'app' },
  app_rejected: { kind: 'apps', page: 'app' },
  approval_withdrawn: { kind: 'apps', page: 'app' },
  scopes_granted: { kind: 'apps', page: 'app' },
  scopes_denied: { kind: 'apps', page: 'app' },
  secret_expires: { kind: 'apps', page: 'app_secrets' },
  app_offered: { kind: 'apps', page: 'invitations' },
  team_invited: { kind: 'apps', page: 'invitations' },
  team_role_changed: { kind: 'apps', page: 'team' },
  team_removed: { kind: 'apps', page: 'team' },
  points_awarded: { kind: 'points', page: 'points' },
  points_transferred: { kind: 'points', page: 'points' },
  points_paid_out: { kind: 'points', page: 'points' },
  points_refunded: { kind: 'points', page: 'points' },
  points_requested: { kind: 'points', page: 'requests' },
  points_request_declined: { kind: 'points', page: 'requests' },
  points_referred: { kind: 'points', page: 'points' },
  report_acted: { kind: 'moderation', page: 'reports' },
  report_dismissed: { kind: 'moderation', page: 'reports' },
  message_removed: { kind: 'moderation', page: 'chat' },
  display_name_removed: { kind: 'moderation', page: 'profile' },
  picture_removed: { kind: 'moderation', page: 'profile' },
  muted: { kind: 'moderation', page: 'chat' },
  unmuted: { kind: 'moderation', page: 'chat' },
  deployment_down: { kind: 'deployments', page: 'deployment' },
  deployment_back: { kind: 'deployments', page: 'deployment' },
  webhook_switched_off: { kind: 'webhooks', page: 'app_webhooks' },
  apps_wait: { kind: 'review', page: 'review' },
  changed_apps_wait: { kind: 'review', page: 'review_changed' },
  scope_requests_wait: { kind: 'review', page: 'review_scopes' },
  cases_wait: { kind: 'review', page: 'cases' },
} as const satisfies Record<string, { kind: NoticeKind; page: NoticePage }>

export type NoticeEvent = keyof typeof notices
export const notice_events = Object.keys(notices) as NoticeEvent[]

type KindsMailed<Way> = {
  [Kind in NoticeKind]: (typeof notice_kind_facts)[Kind]['mail'] extends Way ? Kind : never
}[NoticeKind]
type EventsOf<Kind> = {
  [Event in NoticeEvent]: (typeof notices)[Event]['kind'] extends Kind ? Event : never
}[NoticeEvent]

/** The kinds whose mails are gathered, and their events: each has a text in that mail. */
export type GatheredKind = KindsMailed<'gathered'>
export type GatheredEvent = EventsOf<GatheredKind>
/** The events of which each is mailed at once. */
export type MailedEvent = Exclude<NoticeEvent, GatheredEvent>
