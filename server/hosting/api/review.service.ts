import type { adminListDeployments } from '../../../contract/admin-deployments.ts'
import type { QueryOf } from '../../../contract/endpoint.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { Failure, orFail } from '../../platform/failure.ts'
import { any_name, readNameSearch } from '../../platform/name-search.ts'
import { pageById } from '../../platform/page.ts'
import {
  findDeployment,
  liftAdminSuspension,
  liftOwnerSuspensions,
  listDeploymentsNewestFirst,
  logPlatformAction,
  suspend,
  suspendAllOfOwner,
  type DeploymentRow,
} from './store.ts'

export type DeploymentQuery = QueryOf<typeof adminListDeployments>

/** A page of the deployments of all apps for an admin, newest first. */
export const reviewDeployments = (db: Sql, query: DeploymentQuery) =>
  pageById(query, (page) =>
    listDeploymentsNewestFirst(db, {
      status: query.status ?? null,
      health_status: query.health_status ?? null,
      owner_id: query.owner_id ?? null,
      app_id: query.app_id ?? null,
      ...(query.q === undefined ? any_name : readNameSearch(query.q.toLowerCase())),
      ...page,
    }),
  )

/** Any deployment, including destroyed ones, for an admin. Fails with `not_found`. */
export const getAnyDeployment = (db: Sql, deployment_id: string) =>
  orFail(findDeployment(db, deployment_id), 'not_found', { deployment_id })

/** Suspends a deployment, in the admin's transaction. Fails with `not_found` or `not_allowed_now`. */
export async function suspendByAdmin(tx: Tx, id: string, reason: string, now: Date) {
  const row = await suspend(tx, { id, suspended_by: 'admin', billing_status: null, now })
  if (!row) return failNotAllowed(tx, id)
  await logPlatformAction(tx, row, 'suspend', { message: 'The platform suspended this deployment.', reason }, now)
  return row
}

/** Lifts an admin's suspension, in the admin's transaction. Fails with `not_found` or `not_allowed_now`. */
export async function reactivateByAdmin(tx: Tx, id: string, reason: string | undefined, now: Date) {
  const row = await liftAdminSuspension(tx, id, now)
  if (!row) return failNotAllowed(tx, id)
  const message = `The platform lifted ${row.suspended_by === null ? 'the' : 'its'} suspension${remainingSuspension(row)}`
  await logPlatformAction(tx, row, 'reactivate', { message, ...(reason !== undefined && { reason }) }, now)
  return row
}

const remainingSuspension = ({ suspended_by }: DeploymentRow) => {
  if (suspended_by === 'owner') return '; that of its owner remains.'
  return suspended_by === null ? '.' : '; the one for not having paid remains.'
}

/** Suspends all deployments of a suspended owner, in the same transaction (D-88). */
export async function suspendDeploymentsOfOwner(tx: Tx, owner_id: string, now: Date) {
  const message = 'The owner of this deployment is suspended.'
  for (const row of await suspendAllOfOwner(tx, owner_id, now))
    await logPlatformAction(tx, row, 'suspend', { message }, now)
}

/** Lifts the owner's suspension of deployments. Those that an admin or billing also suspended stay suspended. */
export async function reactivateDeploymentsOfOwner(tx: Tx, owner_id: string, now: Date) {
  for (const row of await liftOwnerSuspensions(tx, owner_id, now)) {
    const message = `The owner of this deployment is not suspended any more${remainingSuspension(row)}`
    await logPlatformAction(tx, row, 'reactivate', { message }, now)
  }
}

async function failNotAllowed(tx: Tx, id: string): Promise<never> {
  const row = await findDeployment(tx, id)
  if (!row || row.status === 'destroyed') throw new Failure('not_found', { deployment_id: id })
  const { desired, suspended_by } = row
  throw new Failure('not_allowed_now', { deployment_id: id, desired, suspended_by })
}
