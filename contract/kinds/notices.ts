interface NoticeKindFacts {
  /** `gathered`: several in one mail, off by default. `at_once`: one mail each. */
  mail: 'gathered' | 'at_once'
  for_admins: boolean
}

/** Every kind of notice. A person mutes, or gets mails for, a kind. */
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

/** The kinds of notices that a person can get. */
export const noticeKindsOf = ({ is_admin }: { is_admin: boolean }) =>
  notice_kinds.filter((kind) => is_admin || !notice_kind_facts[kind].for_admins)

/** The part of a notice's subject that its link needs. */
export interface NoticeSubject {
  subject_id: string | null
  subject_name: string | null
  app_id: string | null
}

const appPath = ({ app_id }: NoticeSubject) => `/apps/${app_id}`
const chatPath = ({ subject_name: table }: NoticeSubject) =>
  table === null ? '/chat' : `/chat?${new URLSearchParams({ table, open: table })}`
const deploymentPath = ({ subject_id, app_id }: NoticeSubject) => `/deployments/${subject_id}?app=${app_id}`
const reportPath = (subject: NoticeSubject) => (subject.app_id === null ? '/reports' : appPath(subject))

/** Every event that people are notified of, with the console page that the notice links to. */
export const notices = {
  friend_requested: { kind: 'friends', path: () => '/friends' },
  friend_accepted: { kind: 'friends', path: () => '/friends' },
  messages_came: { kind: 'messages', path: chatPath },
  direct_messages_came: { kind: 'messages', path: ({ subject_id }) => `/chat?with=${subject_id}` },
  app_approved: { kind: 'apps', path: appPath },
  app_rejected: { kind: 'apps', path: appPath },
  approval_withdrawn: { kind: 'apps', path: appPath },
  scopes_granted: { kind: 'apps', path: appPath },
  scopes_denied: { kind: 'apps', path: appPath },
  secret_expires: { kind: 'apps', path: (subject) => `${appPath(subject)}?tab=developers#secrets` },
  app_offered: { kind: 'apps', path: () => '/invitations' },
  team_invited: { kind: 'apps', path: () => '/invitations' },
  team_role_changed: { kind: 'apps', path: ({ subject_id }) => `/teams/${subject_id}` },
  team_removed: { kind: 'apps', path: () => '/teams' },
  points_awarded: { kind: 'points', path: () => '/points' },
  points_transferred: { kind: 'points', path: () => '/points' },
  points_paid_out: { kind: 'points', path: () => '/points' },
  points_refunded: { kind: 'points', path: () => '/points' },
  points_requested: { kind: 'points', path: () => '/points' },
  points_request_declined: { kind: 'points', path: () => '/points' },
  points_referred: { kind: 'points', path: () => '/points' },
  report_acted: { kind: 'moderation', path: reportPath },
  report_dismissed: { kind: 'moderation', path: reportPath },
  message_removed: { kind: 'moderation', path: chatPath },
  display_name_removed: { kind: 'moderation', path: () => '/account/details' },
  picture_removed: { kind: 'moderation', path: () => '/account/details' },
  muted: { kind: 'moderation', path: chatPath },
  unmuted: { kind: 'moderation', path: chatPath },
  deployment_down: { kind: 'deployments', path: deploymentPath },
  deployment_back: { kind: 'deployments', path: deploymentPath },
  webhook_switched_off: { kind: 'webhooks', path: (subject) => `${appPath(subject)}?tab=developers#webhooks` },
  apps_wait: { kind: 'review', path: () => '/admin/review' },
  changed_apps_wait: { kind: 'review', path: () => '/admin/review?what=changed' },
  scope_requests_wait: { kind: 'review', path: () => '/admin/review?what=scopes' },
  cases_wait: { kind: 'review', path: () => '/admin/reports' },
  reviews_wait: { kind: 'review', path: () => '/admin/second-person' },
} as const satisfies Record<string, { kind: NoticeKind; path: (subject: NoticeSubject) => string }>

export type NoticeEvent = keyof typeof notices
export const notice_events = Object.keys(notices) as NoticeEvent[]

type KindsMailed<Way> = {
  [Kind in NoticeKind]: (typeof notice_kind_facts)[Kind]['mail'] extends Way ? Kind : never
}[NoticeKind]
type EventsOf<Kind> = {
  [Event in NoticeEvent]: (typeof notices)[Event]['kind'] extends Kind ? Event : never
}[NoticeEvent]

/** The kinds that are gathered in one mail, which has a text for each of their events. */
export type GatheredKind = KindsMailed<'gathered'>
export type GatheredEvent = EventsOf<GatheredKind>
/** The events that get one mail each. */
export type MailedEvent = Exclude<NoticeEvent, GatheredEvent>
