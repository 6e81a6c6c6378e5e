import type { DeploymentStatus } from '../../../contract/states.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { Failure } from '../../platform/failure.ts'
import { newId } from '../../platform/ids.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../../platform/page.ts'
import type { DeployAction } from './rules.ts'
import {
  findDeployment,
  liftAdminSuspension,
  liftAllOf,
  listDeploymentsNewestFirst,
  logIntent,
  suspend,
  suspendAllOf,
  type DeploymentRow,
} from './store.ts'

export interface DeploymentQuery extends PageQuery {
  status?: DeploymentStatus
  health_status?: string
  owner_id?: string
  app_id?: string
}

/** Deployments of all apps for an admin, newest first. */
export async function reviewDeployments(db: Sql, query: DeploymentQuery) {
  const size = pageSize(query)
  const rows = await listDeploymentsNewestFirst(db, {
    status: query.status ?? null,
    health_status: query.health_status ?? null,
    owner_id: query.owner_id ?? null,
    app_id: query.app_id ?? null,
    before_id: cursorId(query),
    rows_max: size + 1,
  })
  return toPage(rows, size, (row) => row.id)
}

/** Stops a deployment whatever its owner wants, inside the admin's transaction. Fails with `not_found` or `not_allowed_now`. */
export async function suspendByAdmin(tx: Tx, id: string, reason: string, now: Date) {
  const row = await suspend(tx, { id, suspended_by: 'admin', billing_status: null, now })
  if (!row) return refuse(tx, id)
  await logByPlatform(tx, row, 'suspend', { message: 'The platform suspended this deployment.', reason }, now)
  return row
}

/** Lifts an admin's suspension, inside the admin's transaction. Fails with `not_found` or `not_allowed_now`. */
export async function reactivateByAdmin(tx: Tx, id: string, reason: string | undefined, now: Date) {
  const row = await liftAdminSuspension(tx, id, now)
  if (!row) return refuse(tx, id)
  const message = `The platform lifted ${row.suspended_by === null ? 'the' : 'its'} suspension${remaining(row)}`
  await logByPlatform(tx, row, 'reactivate', { message, ...(reason !== undefined && { reason }) }, now)
  return row
}

const remaining = ({ suspended_by }: DeploymentRow) => {
  if (suspended_by === 'owner') return '; that of its owner remains.'
  return suspended_by === null ? '.' : '; the one for not having paid remains.'
}

/** Stops all deployments of an owner who was suspended (D-88), inside the transaction of that. */
export async function suspendWithOwner(tx: Tx, owner_id: string, now: Date) {
  const message = 'The owner of this deployment is suspended.'
  for (const row of await suspendAllOf(tx, owner_id, now)) await logByPlatform(tx, row, 'suspend', { message }, now)
}

/** Lets those deployments go on, but for those that an admin suspended or nobody paid for. */
export async function reactivateWithOwner(tx: Tx, owner_id: string, now: Date) {
  for (const row of await liftAllOf(tx, owner_id, now)) {
    const message = `The owner of this deployment is not suspended any more${remaining(row)}`
    await logByPlatform(tx, row, 'reactivate', { message }, now)
  }
}

async function refuse(tx: Tx, id: string): Promise<never> {
  const row = await findDeployment(tx, id)
  if (!row || row.status === 'destroyed') throw new Failure('not_found', { deployment_id: id })
  const { desired, suspended_by } = row
  throw new Failure('not_allowed_now', { deployment_id: id, desired, suspended_by })
}

/** An admin acts for the platform: the owner is told why, the audit log who. */
const logByPlatform = (
  tx: Tx,
  { id, generation }: DeploymentRow,
  action: DeployAction,
  details: Record<string, unknown>,
  now: Date,
) => logIntent(tx, { id: newId(), deployment_id: id, generation, action, initiated_by: null, details, now })
