import type { listAudit } from '../../../contract/admin-audit.ts'
import type { AdminRole } from '../../../contract/kinds/admin-roles.ts'
import { audit_actions, type AuditAction } from '../../../contract/kinds/audit-actions.ts'
import type { Texts } from '../../../languages/texts.ts'
import type { AnswerOf } from '../../api/call.ts'
import { formatPoints } from '../../ui/format.tsx'
import { Link } from '../../ui/link.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { formatText, t, type TextKey } from '../../texts.ts'
import { AppLink } from './app-link.tsx'
import { decisionText } from './case-texts.ts'
import { roleNames } from './role-names.ts'
import { PersonLink } from './person-link.tsx'

export type AuditEntry = AnswerOf<typeof listAudit>['data'][number]

type Values = Record<'actor' | 'target' | 'listed' | 'points' | 'change' | 'roles' | 'kind', string>
type SentenceKey = { [K in TextKey]: keyof Texts[K] extends keyof Values ? K : never }[TextKey]

const sentences: Record<AuditAction, SentenceKey> = {
  'app.approve': 'admin.audit-sentence.app-approve',
  'app.payout_limit': 'admin.audit-sentence.app-payout-limit',
  'app.reject': 'admin.audit-sentence.app-reject',
  'app.resubmit': 'admin.audit-sentence.app-resubmit',
  'app.seen': 'admin.audit-sentence.app-seen',
  'campaign.create': 'admin.audit-sentence.campaign-create',
  'campaign.update': 'admin.audit-sentence.campaign-update',
  'case.decide': 'admin.audit-sentence.case-decide',
  'deploy_tier.create': 'admin.audit-sentence.deploy-tier-create',
  'deploy_tier.update': 'admin.audit-sentence.deploy-tier-update',
  'deployment.payment': 'admin.audit-sentence.deployment-payment',
  'deployment.reactivate': 'admin.audit-sentence.deployment-reactivate',
  'deployment.read_output': 'admin.audit-sentence.deployment-read-output',
  'deployment.roll_back': 'admin.audit-sentence.deployment-roll-back',
  'deployment.suspend': 'admin.audit-sentence.deployment-suspend',
  'job.discard': 'admin.audit-sentence.job-discard',
  'job.retry': 'admin.audit-sentence.job-retry',
  'message.read': 'admin.audit-sentence.message-read',
  'points.award': 'admin.audit-sentence.points-award',
  'review.approve': 'admin.audit-sentence.review-approve',
  'review.ask': 'admin.audit-sentence.review-ask',
  'review.reject': 'admin.audit-sentence.review-reject',
  'scope_request.approved': 'admin.audit-sentence.scope-request-approved',
  'scope_request.denied': 'admin.audit-sentence.scope-request-denied',
  'secret.create': 'admin.audit-sentence.secret-create',
  'secret.delete': 'admin.audit-sentence.secret-delete',
  'app.move': 'admin.audit-sentence.app-move',
  'team.create': 'admin.audit-sentence.team-create',
  'team.rename': 'admin.audit-sentence.team-rename',
  'team.require_second_factor': 'admin.audit-sentence.team-require-second-factor',
  'team.allow_one_factor': 'admin.audit-sentence.team-allow-one-factor',
  'team.delete': 'admin.audit-sentence.team-delete',
  'team.invite': 'admin.audit-sentence.team-invite',
  'team.withdraw_invitation': 'admin.audit-sentence.team-withdraw-invitation',
  'team.decline': 'admin.audit-sentence.team-decline',
  'team.join': 'admin.audit-sentence.team-join',
  'team.change_role': 'admin.audit-sentence.team-change-role',
  'team.remove': 'admin.audit-sentence.team-remove',
  'team.leave': 'admin.audit-sentence.team-leave',
  'team.take_app': 'admin.audit-sentence.team-take-app',
  'team.give_app': 'admin.audit-sentence.team-give-app',
  'user.confirm_proof': 'admin.audit-sentence.user-confirm-proof',
  'user.end_sessions': 'admin.audit-sentence.user-end-sessions',
  'user.leave': 'admin.audit-sentence.user-leave',
  'user.mute': 'admin.audit-sentence.user-mute',
  'user.read': 'admin.audit-sentence.user-read',
  'user.remove_second_factor': 'admin.audit-sentence.user-remove-second-factor',
  'user.roles': 'admin.audit-sentence.user-roles',
  'user.send_verification': 'admin.audit-sentence.user-send-verification',
  'user.start_proof': 'admin.audit-sentence.user-start-proof',
  'user.unmute': 'admin.audit-sentence.user-unmute',
  'user.update': 'admin.audit-sentence.user-update',
  'user.wrong_code': 'admin.audit-sentence.user-wrong-code',
}

const isKnown = (action: string): action is AuditAction => Object.hasOwn(audit_actions, action)

const without_names: Values = { actor: '', target: '…', listed: '', points: '…', change: '', roles: '…', kind: 'award' }

/** All actions, as sentences without names. */
export const actionOptions = () =>
  (Object.keys(sentences) as AuditAction[]).map((value) => ({
    value,
    label: String(formatText(sentences[value], without_names)).trim(),
  }))

/** An entry as a sentence. An unknown action is shown unchanged. */
export function AuditSentence({ entry }: { entry: AuditEntry }) {
  const { action, actor_id, actor_username, details } = entry
  const nobody =
    actor_id === null ? t('admin.audit-sentence.the-platform') : t('admin.audit-sentence.a-deleted-account')
  const names = {
    actor: <bdi className="user-content">{actor_username ?? nobody}</bdi>,
    target: <Target entry={entry} />,
  }
  if (!isKnown(action)) return <RichText k="admin.audit-sentence.another" action={action} {...names} />
  const values = {
    listed: String(details.listed),
    points: formatPoints(Number(details.amount)),
    change: changeOf(details),
    roles: rolesOf(details),
    kind: String(details.kind),
  }
  return <RichText k={sentences[action]} {...names} {...values} />
}

const rolesOf = ({ roles }: Record<string, unknown>) =>
  Array.isArray(roles) && roles.length > 0 ? roleNames(roles as AdminRole[]) : 'none'

function changeOf({ is_admin, suspended, tier }: Record<string, unknown>) {
  if (is_admin !== undefined) return is_admin === true ? 'admin' : 'no_admin'
  if (suspended !== undefined) return suspended === true ? 'suspended' : 'reinstated'
  return tier === undefined ? '' : 'tier'
}

/** The target of an entry, with a link if it has a page. */
export function Target({ entry: { target_id, target_name, action, details } }: { entry: AuditEntry }) {
  const kind = isKnown(action) ? audit_actions[action] : undefined
  if (kind === 'person' && details.kind !== 'payout_limit') return <PersonLink id={target_id} name={target_name} />
  if ((kind === 'app' || details.kind === 'payout_limit') && target_id !== null)
    return <AppLink id={target_id} name={target_name} />
  const name = kind === 'job' ? String(details.job) : (target_name ?? target_id)
  if (kind === 'deployment' && target_id !== null)
    return (
      <Link to="/admin/deployments/$id" params={{ id: target_id }} className="user-content">
        {name}
      </Link>
    )
  return <bdi className="user-content">{name}</bdi>
}

/** The given reason; empty without one. */
export function remarkOf({ action, details }: AuditEntry) {
  const { reason, rejected_because, note, description, actions } = details
  const why = [reason, rejected_because, note, description].find((text) => typeof text === 'string') as
    | string
    | undefined
  const decision = action === 'case.decide' ? decisionText(actions as Parameters<typeof decisionText>[0]) : ''
  return [decision, why].filter(Boolean).join(': ')
}
