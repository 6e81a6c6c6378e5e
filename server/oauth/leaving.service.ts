import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { enqueueRelease } from '../points/hold-releases.service.ts'
import { Failure } from '../platform/failure.ts'
import { invalidateApps } from './connections.service.ts'
import { deleteInvitationsOf, withdrawApps } from './leaving.store.ts'
import type { OAuthDeps } from './service.ts'
import { afterMembers, recordTeamChange } from './teams.service.ts'
import { changeMember, listTeamIdsOf, lockTeams } from './teams.store.ts'

export {
  listAppIds as appIdsOf,
  listAppsWithPeople as appsWithPeople,
  listTeamsWithoutOther as teamsWithoutOther,
  oauth_erasure,
  oauth_sections,
  request_erasure,
} from './leaving.store.ts'

/**
 * Withdraws the apps of a person who leaves, in every process immediately; a job releases their holds (D-97). Returns
 * their ids.
 */
export async function withdrawAppsOf(invalidations: InvalidationBus, tx: Tx, owner_id: string, now: Date) {
  const ids = await withdrawApps(tx, owner_id, now)
  await invalidateApps(
    invalidations,
    tx,
    ids.map((id) => ({ id })),
  )
  for (const id of ids) await enqueueRelease(tx, id, now)
  return ids
}

/** Removes a person who leaves from all teams, whose apps get another owner. Fails with `last_owner`. */
export async function leaveTeams(
  deps: Pick<OAuthDeps, 'invalidations' | 'events'>,
  tx: Tx,
  { id: user_id, email }: { id: string; email: string },
  now: Date,
) {
  const team_ids = await listTeamIdsOf(tx, user_id)
  await lockTeams(tx, team_ids)
  for (const team_id of team_ids) {
    if (!(await changeMember(tx, { team_id, user_id, role: null })))
      throw new Failure('last_owner', { team_id, user_id })
    const change = { team_id, actor_id: user_id, action: 'team.leave', subject_id: user_id } as const
    await recordTeamChange(deps, tx, { ...change, now })
  }
  await afterMembers(deps.invalidations, tx, team_ids)
  await deleteInvitationsOf(tx, user_id, email)
}
