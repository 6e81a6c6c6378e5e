import { EngineError } from '../engine/engine.ts'
import { listHostCapacities, lockPlacement } from './hosts.store.ts'
import { claimOf, type WorkRow } from './leases.store.ts'
import { chooseHost } from './placement.rules.ts'
import { assignHost } from './steps.store.ts'
import type { ReconcilerDeps } from './step-context.ts'

type PlacementDeps = Pick<ReconcilerDeps, 'db' | 'owner'> & { hosts: { names: string[] } }

/**
 * Chooses a host for a deployment and reserves its resources there. An advisory lock serialises placements of all workers, so
 * memory is never overcommitted. Fails with the fault `no_capacity`.
 */
export const placeDeployment = ({ db, hosts, owner }: PlacementDeps, row: WorkRow) =>
  db.transaction(async (tx) => {
    await lockPlacement(tx)
    const name = chooseHost(await listHostCapacities(tx, hosts.names), row)
    if (name === undefined) throw new EngineError('no_capacity', 'No container host that answers has room for it.')
    await assignHost(tx, claimOf(row, owner), name)
  })
