import { team_actions, type TeamAction } from './team-actions.ts'

const team_audit = Object.fromEntries(team_actions.map((action) => [action, 'team'])) as Record<TeamAction, 'team'>

/** Every action of the audit log, with the kind of its target. The console has a sentence for each. */
export const audit_actions = {
  'app.approve': 'app',
  'app.payout_limit': 'app',
  'app.reject': 'app',
  'app.resubmit': 'app',
  'app.seen': 'app',
  'campaign.create': 'campaign',
  'campaign.update': 'campaign',
  'case.decide': 'person',
  'deploy_tier.create': 'tier',
  'deploy_tier.update': 'tier',
  'deployment.payment': 'deployment',
  'deployment.reactivate': 'deployment',
  'deployment.read_output': 'deployment',
  'deployment.roll_back': 'deployment',
  'deployment.suspend': 'deployment',
  'job.discard': 'job',
  'job.retry': 'job',
  'message.read': 'message',
  'points.award': 'person',
  'review.approve': 'person',
  'review.ask': 'person',
  'review.reject': 'person',
  'scope_request.approved': 'scope_request',
  'scope_request.denied': 'scope_request',
  'secret.create': 'app',
  'secret.delete': 'app',
  'app.move': 'app',
  ...team_audit,
  'user.confirm_proof': 'person',
  'user.end_sessions': 'person',
  'user.leave': 'person',
  'user.mute': 'person',
  'user.read': 'person',
  'user.remove_second_factor': 'person',
  'user.roles': 'person',
  'user.send_verification': 'person',
  'user.start_proof': 'person',
  'user.unmute': 'person',
  'user.update': 'person',
  'user.wrong_code': 'person',
} as const

export type AuditAction = keyof typeof audit_actions
