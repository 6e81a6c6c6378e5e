import { newId } from '../../platform/ids.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { countUndestroyed, destroyAllOfOwner, emptyEnvironments } from './leaving.store.ts'
import { logIntent, notifyRoutes } from './store.ts'

export { hosting_erasure, hosting_sections, listRunningOfOwner as deploymentsOfOwner } from './leaving.store.ts'

/** Requests the destruction of a leaving person's deployments, including suspended ones. Workers destroy them after the commit. */
export async function destroyDeploymentsOf(tx: Tx, owner_id: string, now: Date) {
  for (const { id, generation } of await destroyAllOfOwner(tx, owner_id, now)) {
    const details = { message: 'The owner of this deployment has left.' }
    await logIntent(tx, {
      id: newId(),
      deployment_id: id,
      generation,
      action: 'destroy',
      initiated_by: null,
      details,
      now,
    })
    await notifyRoutes(tx, id)
  }
  await emptyEnvironments(tx, owner_id)
}

/** True if deployments of an owner are not destroyed yet. */
export const hasDeployments = async (db: Sql, owner_id: string) => (await countUndestroyed(db, owner_id)) > 0
