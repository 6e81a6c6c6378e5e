import { t } from '../../texts.ts'

/** What the entries of the audit log say was done, by the names of their actions. */
const actions = (): Record<string, string> => ({
  'app.approve': t('admin.audit-action.app-approve'),
  'app.reject': t('admin.audit-action.app-reject'),
  'app.resubmit': t('admin.audit-action.app-resubmit'),
  'app.seen': t('admin.audit-action.app-seen'),
  'campaign.create': t('admin.audit-action.campaign-create'),
  'campaign.update': t('admin.audit-action.campaign-update'),
  'case.decide': t('admin.audit-action.case-decide'),
  'deploy_tier.create': t('admin.audit-action.deploy-tier-create'),
  'deploy_tier.update': t('admin.audit-action.deploy-tier-update'),
  'deployment.payment': t('admin.audit-action.deployment-payment'),
  'deployment.reactivate': t('admin.audit-action.deployment-reactivate'),
  'deployment.read_output': t('admin.audit-action.deployment-read-output'),
  'deployment.roll_back': t('admin.audit-action.deployment-roll-back'),
  'deployment.suspend': t('admin.audit-action.deployment-suspend'),
  'job.discard': t('admin.audit-action.job-discard'),
  'job.retry': t('admin.audit-action.job-retry'),
  'message.read': t('admin.audit-action.message-read'),
  'points.award': t('admin.audit-action.points-award'),
  'scope_request.approved': t('admin.audit-action.scope-request-approved'),
  'scope_request.denied': t('admin.audit-action.scope-request-denied'),
  'user.confirm_proof': t('admin.audit-action.user-confirm-proof'),
  'user.end_sessions': t('admin.audit-action.user-end-sessions'),
  'user.leave': t('admin.audit-action.user-leave'),
  'user.mute': t('admin.audit-action.user-mute'),
  'user.read': t('admin.audit-action.user-read'),
  'user.remove_second_factor': t('admin.audit-action.user-remove-second-factor'),
  'user.send_verification': t('admin.audit-action.user-send-verification'),
  'user.start_proof': t('admin.audit-action.user-start-proof'),
  'user.unmute': t('admin.audit-action.user-unmute'),
  'user.update': t('admin.audit-action.user-update'),
  'user.wrong_code': t('admin.audit-action.user-wrong-code'),
})

/** The actions that there are, with what they mean in words. */
export const actionOptions = () => Object.entries(actions()).map(([value, label]) => ({ value, label }))

/** An action in words. One that this console does not know stays as it is. */
export const actionInWords = (action: string) => actions()[action] ?? action
