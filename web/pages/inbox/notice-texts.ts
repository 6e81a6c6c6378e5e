import type { NoticeKind } from '../../../contract/kinds/notices.ts'
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
  friends: { name: t('common.friends'), about: t('inbox.notice-texts.friends-about') },
  messages: { name: t('inbox.notice-texts.messages'), about: t('inbox.notice-texts.messages-about') },
  apps: { name: t('inbox.notice-texts.apps'), about: t('inbox.notice-texts.apps-about') },
  points: { name: t('common.points'), about: t('inbox.notice-texts.points-about') },
  moderation: { name: t('common.reports'), about: t('inbox.notice-texts.moderation-about') },
  deployments: { name: t('common.deployments'), about: t('inbox.notice-texts.deployments-about') },
  webhooks: { name: t('common.webhooks'), about: t('inbox.notice-texts.webhooks-about') },
  review: { name: t('common.pending-review'), about: t('inbox.notice-texts.review-about') },
})

/** A notice as a sentence. */
export function noticeText({ event, count, amount: points, subject_name, app_id }: Notice): string {
  const name = subject_name ?? t('common.somebody-who-left')
  const amount = points ?? 0
  switch (event) {
    case 'friend_requested':
      return t('inbox.notice-texts.friend-requested', { name })
    case 'friend_accepted':
      return t('inbox.notice-texts.friend-accepted', { name })
    case 'messages_came':
      return t('inbox.notice-texts.messages-came', { name, count })
    case 'app_approved':
      return t('inbox.notice-texts.app-approved', { name })
    case 'app_rejected':
      return t('inbox.notice-texts.app-rejected', { name })
    case 'approval_withdrawn':
      return t('inbox.notice-texts.approval-withdrawn', { name })
    case 'scopes_granted':
      return t('inbox.notice-texts.scopes-granted', { name })
    case 'scopes_denied':
      return t('inbox.notice-texts.scopes-denied', { name })
    case 'points_awarded':
      return app_id === null
        ? t('inbox.notice-texts.points-awarded', { amount })
        : t('inbox.notice-texts.points-awarded-by', { amount, name })
    case 'points_transferred':
      return t('inbox.notice-texts.points-transferred', { amount, name })
    case 'points_refunded':
      return t('inbox.notice-texts.points-refunded', { amount, name })
    case 'report_acted':
      return t('inbox.notice-texts.report-acted', { name })
    case 'report_dismissed':
      return t('inbox.notice-texts.report-dismissed', { name })
    case 'message_removed':
      return t('inbox.notice-texts.message-removed')
    case 'muted':
      return t('inbox.notice-texts.muted')
    case 'unmuted':
      return t('inbox.notice-texts.unmuted')
    case 'deployment_down':
      return t('inbox.notice-texts.deployment-down', { name })
    case 'deployment_back':
      return t('inbox.notice-texts.deployment-back', { name })
    case 'webhook_switched_off':
      return t('inbox.notice-texts.webhook-switched-off', { name })
    case 'apps_wait':
      return t('inbox.notice-texts.apps-wait', { count })
    case 'changed_apps_wait':
      return t('inbox.notice-texts.changed-apps-wait', { count })
    case 'scope_requests_wait':
      return t('inbox.notice-texts.scope-requests-wait', { count })
    case 'cases_wait':
      return t('inbox.notice-texts.cases-wait', { count })
  }
}
