import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import {
  beginLeaving,
  deleteAccount,
  isLastAdministrator,
  requireProof,
  type Proof,
} from '../accounts/leaving.service.ts'
import { getUser, type AccountsDeps } from '../accounts/service.ts'
import { requireSession } from '../accounts/sessions.service.ts'
import { auditLeaving } from '../admin/leaving.service.ts'
import { deploymentsOfOwner, destroyDeploymentsOf } from '../hosting/api/leaving.service.ts'
import { connectedApps } from '../oauth/connections.service.ts'
import { appsWithPeople, leaveTeams, teamsWithoutOther, withdrawAppsOf } from '../oauth/leaving.service.ts'
import type { OAuthDeps } from '../oauth/service.ts'
import { enqueue } from '../platform/queue.ts'
import { closeAccountsOf, pointsOfAccounts } from '../points/leaving.service.ts'
import { leaveSandbox } from '../sandbox/leaving.service.ts'
import { friendsOf } from '../social/leaving.service.ts'
import { endWebhooksOf } from '../webhooks/leaving.service.ts'
import { erase_job } from './erasure.service.ts'
import { insertDeparture } from './store.ts'

export interface LeavingDeps {
  accounts: AccountsDeps
  oauth: OAuthDeps
}

const { late_seconds } = decisions.leaving

/** Previews what a person loses by leaving (D-106). Changes nothing. */
export async function describeLeaving({ accounts }: Pick<LeavingDeps, 'accounts'>, user_id: string) {
  const { db } = accounts
  const user = await getUser(db, user_id)
  const apps = await appsWithPeople(db, user_id)
  const points = await pointsOfAccounts(db, [user_id, ...apps.map(({ id }) => id)])
  const own = points.get(user_id) ?? { points: 0, held: 0 }
  return {
    points: own.points,
    held: own.held,
    apps: apps.map((app) => ({ ...app, points: points.get(app.id)?.points ?? 0 })),
    deployments: await deploymentsOfOwner(db, user_id),
    connected_apps: (await connectedApps({ db, clock: accounts.clock }, user_id)).length,
    friends: await friendsOf(db, user_id),
    last_owner_of: await teamsWithoutOther(db, user_id),
    is_last_admin: await isLastAdministrator(db, user),
  }
}

/**
 * Deletes the caller's account (D-106). One transaction revokes all access and moves the points; a job erases tables that may hold many
 * rows of the person. Fails with `last_administrator_leaves`, `last_owner`, or as `requireProof` does.
 */
export async function leave({ accounts, oauth }: LeavingDeps, caller: UserCaller, proof: Proof) {
  const { user_id } = caller
  const { db, clock, invalidations, events } = accounts
  const user = await requireProof(accounts, caller, proof)
  await db.transaction(async (tx) => {
    const now = clock()
    await beginLeaving(tx, user)
    await requireSession(accounts, tx, caller)
    await leaveTeams(oauth, tx, user, now)
    await destroyDeploymentsOf(tx, user_id, now)
    const app_ids = await withdrawAppsOf(invalidations, tx, user_id, now)
    await endWebhooksOf(tx, app_ids)
    await events.access_revoked(tx, { user_id, now })
    await closeAccountsOf(tx, { user_id, app_ids }, now)
    await leaveSandbox(tx, user_id, user.email)
    await deleteAccount(accounts, tx, user)
    await insertDeparture(tx, user_id, now)
    await auditLeaving(tx, user_id, now)
    // The second job erases what calls authorized before still write.
    await enqueue(tx, erase_job, { user_id })
    await enqueue(tx, erase_job, { user_id }, { after_seconds: late_seconds + 1 })
  })
}
