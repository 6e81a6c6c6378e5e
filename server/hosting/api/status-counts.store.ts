import type { DeploymentStatus } from '../../../contract/states.ts'
import type { Sql } from '../../platform/postgres/database.ts'

/** The number of deployments by status, except destroyed ones. */
export async function countByStatus(db: Sql) {
  const counts = { pending: 0, deploying: 0, running: 0, stopped: 0 }
  const rows = await db.sql<{ status: Exclude<DeploymentStatus, 'destroyed'>; deployments: number }>`
    select status, count(*) as deployments from deployments where status <> 'destroyed' group by status`
  for (const { status, deployments } of rows) counts[status] = deployments
  return counts
}
