import type { UserCaller } from '../../contract/caller.ts'
import { requireSession, userTag } from '../accounts/sessions.service.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { Failure, orFail } from '../platform/failure.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { enqueueRelease, releaseHoldsOfEndedConnections } from '../points/hold-releases.service.ts'
import { findApp, reinstateApps, suspendApps } from './apps.store.ts'
import { voidCodes } from './authorization-codes.store.ts'
import { listConnectedAppIds, listConnections, removeConnections } from './connections.store.ts'
import { revokeGrants } from './grants.store.ts'
import { findDailyLimits, findUsedLimits, setDailyLimit } from '../points/spending-limits.service.ts'
import { reviewedOf, sortScopes } from './rules.ts'
import { appTag, connectionTag, type OAuthDeps } from './service.ts'

/** The apps that a user has connected, newest connection first. */
export async function connectedApps({ db, clock }: Pick<OAuthDeps, 'db' | 'clock'>, user_id: string) {
  const [connections, limits, uses] = await Promise.all([
    listConnections(db, user_id, clock()),
    findDailyLimits(db, user_id),
    findUsedLimits(db, user_id, clock()),
  ])
  return connections.map((connection) => ({
    ...connection,
    reviewed: reviewedOf(connection),
    scopes: sortScopes(connection.scopes),
    daily_limit: limits.get(connection.app_id) ?? null,
    daily_limit_used: uses.get(connection.app_id) ?? null,
  }))
}

/**
 * Limits what an app may spend of the user's points in 24 hours; null removes the limit (D-100). Fails with
 * `not_found`.
 */
export async function boundConnection(
  { db, clock }: Pick<OAuthDeps, 'db' | 'clock'>,
  caller: UserCaller,
  app_id: string,
  daily_limit: number | null,
) {
  const app = await orFail(findApp(db, app_id), 'not_found', { app_id })
  await db.transaction(async (tx) => {
    await requireSession({ clock }, tx, caller)
    await setDailyLimit(tx, { user_id: caller.user_id, app_id: app.id, daily_limit })
  })
  return { app_id: app.id, daily_limit }
}

/** Disconnects an app: its pending codes, tokens and sessions for this user end immediately. Fails with `not_found`. */
export function disconnect({ db, clock, invalidations }: OAuthDeps, caller: UserCaller, app_id: string) {
  const { user_id } = caller
  return db.transaction(async (tx) => {
    const now = clock()
    await requireSession({ clock }, tx, caller)
    if (!(await removeConnections(tx, user_id, app_id, now))) throw new Failure('not_found')
    // Codes before grants: a redemption in flight holds the lock on its code, and its grant is visible to the next
    // statement.
    await voidCodes(tx, user_id, app_id)
    await revokeGrants(tx, user_id, app_id, now)
    await releaseHolds(tx, user_id, now)
    await invalidations.publish(tx, [connectionTag(user_id, app_id)])
  })
}

const late_holds_job = 'oauth.release_late_holds'
const late_seconds = 10

/**
 * Releases the holds of disconnected apps (D-97): the present ones, and later those of calls that were already
 * authenticated.
 */
async function releaseHolds(tx: Tx, user_id: string, now: Date) {
  await releaseUnconnectedHolds(tx, user_id, now)
  await enqueue(tx, late_holds_job, { user_id }, { after_seconds: late_seconds })
}

async function releaseUnconnectedHolds(tx: Tx, user_id: string, now: Date) {
  const connected_app_ids = await listConnectedAppIds(tx, user_id)
  await releaseHoldsOfEndedConnections(tx, { user_id, connected_app_ids, now })
}

/** The job that `releaseHolds` enqueues. */
export const lateHoldsJob = ({ db, clock }: Pick<OAuthDeps, 'db' | 'clock'>) => ({
  name: late_holds_job,
  run: ({ user_id }: Record<string, unknown>) =>
    db.transaction((tx) => releaseUnconnectedHolds(tx, String(user_id), clock())),
})

/** Revokes every code, grant and connection of a user with any app (D-40), in every process immediately. */
export async function revokeAllAccess(invalidations: InvalidationBus, tx: Tx, user_id: string, now: Date) {
  await voidCodes(tx, user_id, null)
  await revokeGrants(tx, user_id, null, now)
  await removeConnections(tx, user_id, null, now)
  await releaseHolds(tx, user_id, now)
  await invalidations.publish(tx, [userTag(user_id)])
}

/**
 * Suspends the apps of a suspended owner (D-88), in every process immediately: nobody can authorize them, and their
 * codes, tokens and sessions end permanently, even after `reinstateAppsOfOwner`.
 */
export async function suspendAppsOfOwner(invalidations: InvalidationBus, tx: Tx, owner_id: string, now: Date) {
  const apps = await suspendApps(tx, owner_id)
  await invalidateApps(invalidations, tx, apps)
  for (const { id } of apps) await enqueueRelease(tx, id, now)
}

/** Ends the suspension of the owner's apps: approved ones can be authorized again. */
export const reinstateAppsOfOwner = async (invalidations: InvalidationBus, tx: Tx, owner_id: string) =>
  invalidateApps(invalidations, tx, await reinstateApps(tx, owner_id))

export async function invalidateApps(invalidations: InvalidationBus, tx: Tx, apps: { id: string }[]) {
  if (apps.length > 0)
    await invalidations.publish(
      tx,
      apps.map(({ id }) => appTag(id)),
    )
}

export const voidPendingCodes = (tx: Tx, user_id: string) => voidCodes(tx, user_id, null)
