import { longSection, shortSection } from '../platform/export-section.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { enqueueRelease } from '../points/hold-releases.service.ts'
import { getUser } from '../accounts/service.ts'
import { Failure } from '../platform/failure.ts'
import { invalidateApps } from './connections.service.ts'
import {
  eraseApps,
  eraseCodes,
  eraseConnections,
  eraseConnectionsOfApps,
  eraseScopeRequests,
  deleteInvitationsOf,
  listAppIds,
  listInvitationsForExport,
  listOffersForExport,
  listTeamChangesForExport,
  listTeamsForExport,
  listTeamsWithoutOther,
  listAppsForExport,
  listAppsWithPeople,
  listConnectionsEver,
  listConsents,
  listScopeRequestsForExport,
  listSecretsForExport,
  withdrawApps,
} from './leaving.store.ts'
import type { OAuthDeps } from './service.ts'
import { afterMembers, recordTeamChange } from './teams.service.ts'
import { changeMember, listTeamIdsOf, lockTeams } from './teams.store.ts'

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

/** The teams that a person cannot leave. */
export const teamsWithoutOther = (db: Sql, user_id: string) => listTeamsWithoutOther(db, user_id)

/** The ids of an owner's apps, including withdrawn ones. */
export const appIdsOf = (db: Sql, owner_id: string) => listAppIds(db, owner_id)

/** The apps of an owner, with the number of other connected people. */
export const appsWithPeople = (db: Sql, owner_id: string) => listAppsWithPeople(db, owner_id)

export const oauth_erasure = [eraseApps, eraseConnections, eraseConnectionsOfApps, eraseCodes]

/** After the audit log, whose entries about requests are found by them. */
export const request_erasure = [eraseScopeRequests]

export const oauth_sections = [
  longSection('connected_apps', listConnectionsEver, ({ app_id }) => app_id),
  shortSection('consents', listConsents),
  shortSection('apps', listAppsForExport),
  shortSection('app_secrets', listSecretsForExport),
  shortSection('scope_requests', listScopeRequestsForExport),
  shortSection('teams', listTeamsForExport),
  shortSection('team_changes', listTeamChangesForExport),
  shortSection('team_invitations', async (db, user_id) =>
    listInvitationsForExport(db, { user_id, email: (await getUser(db, user_id)).email }),
  ),
  shortSection('app_offers', listOffersForExport),
]
