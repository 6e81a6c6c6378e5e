import type { setChatMute } from '../../contract/admin-moderation.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { requireAdminAmongAll, requireRoleOver } from '../accounts/admin-roles.service.ts'
import { updateUser } from '../accounts/users.service.ts'
import { Failure } from '../platform/failure.ts'
import * as moderation from '../social/moderation.service.ts'
import { audited, type AdminModerationDeps } from './service.ts'

const partsOf = ({ accounts, events }: AdminModerationDeps, caller: UserCaller): moderation.ModerationDeps => ({
  db: accounts.db,
  clock: accounts.clock,
  events,
  suspend: async (tx, user_id) => {
    await requireRoleOver(accounts, tx, caller, user_id)
    await updateUser(accounts, tx, user_id, { suspended: true }).catch((error: unknown) => {
      throw error instanceof Failure && error.code === 'not_found' ? new Failure('user_not_found', { user_id }) : error
    })
  },
})

/** Decides a case (D-109); audited with the person as its target. Fails as `decideCase` of moderation does. */
export const decideCase = (
  deps: AdminModerationDeps,
  caller: UserCaller,
  case_id: string,
  sent: moderation.SentDecision,
) =>
  audited(
    deps,
    caller,
    ({ person_id, message_id, muted_until }: moderation.DecidedCase) => ({
      action: 'case.decide',
      target_id: person_id,
      details: {
        actions: sent.actions,
        reason: sent.reason,
        ...(muted_until && { muted_until }),
        ...(message_id !== null && { message_id }),
        case_id,
      },
    }),
    (tx) => moderation.decideCase(partsOf(deps, caller), tx, { case_id, decided_by: caller.user_id, sent }),
    requireAdminAmongAll,
  )

/** Mutes a person, or ends a mute. Fails with `not_found` or `validation_failed`. */
export const setMute = (
  deps: AdminModerationDeps,
  caller: UserCaller,
  user_id: string,
  sent: BodyOf<typeof setChatMute>,
) =>
  audited(
    deps,
    caller,
    ({ muted_until }: { muted_until: Date | null }) => ({
      action: muted_until ? 'user.mute' : 'user.unmute',
      target_id: user_id,
      details: { reason: sent.reason, ...(muted_until && { muted_until }) },
    }),
    (tx) => moderation.setMute(partsOf(deps, caller), tx, { user_id, sent }),
  )
