import type { NoticeKind } from '../../../contract/notice-fields.ts'
import type { listNotices } from '../../../contract/notices.ts'
import type { AnswerOf } from '../../api/call.ts'
import { t } from '../../texts.ts'
import type { IconName } from '../../ui/icon.tsx'

export type Notice = AnswerOf<typeof listNotices>['data'][number]

export const kind_icons: Record<NoticeKind, IconName> = {
  friends: 'users',
  messages: 'chat',
  apps: 'app',
  points: 'coins',
  moderation: 'flag',
  deployments: 'box',
  webhooks: 'link',
  review: 'queue',
}

/** What each kind is called, and what it is about. */
export const kindTexts = (): Record<NoticeKind, { name: string; about: string }> => ({
  friends: { name: t('account.notice-texts.friends'), about: t('account.notice-texts.friends-about') },
  messages: { name: t('account.notice-texts.messages'), about: t('account.notice-texts.messages-about') },
  apps: { name: t('account.notice-texts.apps'), about: t('account.notice-texts.apps-about') },
  points: { name: t('account.notice-texts.points'), about: t('account.notice-texts.points-about') },
  moderation: { name: t('account.notice-texts.moderation'), about: t('account.notice-texts.moderation-about') },
  deployments: { name: t('account.notice-texts.deployments'), about: t('account.notice-texts.deployments-about') },
  webhooks: { name: t('account.notice-texts.webhooks'), about: t('account.notice-texts.webhooks-about') },
  review: { name: t('account.notice-texts.review'), about: t('account.notice-texts.review-about') },
})

/** A notice as a sentence. */
export function noticeText({ event, count, amount: points, subject_name, app_id }: Notice): string {
  const name = subject_name ?? t('account.notice-texts.somebody-who-left')
  const amount = points ?? 0
  switch (event) {
    case 'friend_requested':
      return t('account.notice-texts.friend-requested', { name })
    case 'friend_accepted':
      return t('account.notice-texts.friend-accepted', { name })
    case 'messages_came':
      return t('account.notice-texts.messages-came', { name, count })
    case 'app_approved':
      return t('account.notice-texts.app-approved', { name })
    case 'app_rejected':
      return t('account.notice-texts.app-rejected', { name })
    case 'approval_withdrawn':
      return t('account.notice-texts.approval-withdrawn', { name })
    case 'scopes_granted':
      return t('account.notice-texts.scopes-granted', { name })
    case 'scopes_denied':
      return t('account.notice-texts.scopes-denied', { name })
    case 'points_awarded':
      return app_id === null
        ? t('account.notice-texts.points-awarded', { amount })
        : t('account.notice-texts.points-awarded-by', { amount, name })
    case 'points_transferred':
      return t('account.notice-texts.points-transferred', { amount, name })
    case 'points_refunded':
      return t('account.notice-texts.points-refunded', { amount, name })
    case 'report_acted':
      return t('account.notice-texts.report-acted', { name })
    case 'report_dismissed':
      return t('account.notice-texts.report-dismissed', { name })
    case 'message_removed':
      return t('account.notice-texts.message-removed')
    case 'muted':
      return t('account.notice-texts.muted')
    case 'unmuted':
      return t('account.notice-texts.unmuted')
    case 'deployment_down':
      return t('account.notice-texts.deployment-down', { name })
    case 'deployment_back':
      return t('account.notice-texts.deployment-back', { name })
    case 'webhook_switched_off':
      return t('account.notice-texts.webhook-switched-off', { name })
    case 'apps_wait':
      return t('account.notice-texts.apps-wait', { count })
    case 'changed_apps_wait':
      return t('account.notice-texts.changed-apps-wait', { count })
    case 'scope_requests_wait':
      return t('account.notice-texts.scope-requests-wait', { count })
    case 'cases_wait':
      return t('account.notice-texts.cases-wait', { count })
  }
}
