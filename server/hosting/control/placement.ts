import { EngineError } from '../engine/engine.ts'
import { findPlaces, lockPlaces } from './hosts.store.ts'
import { claimOf, type WorkRow } from './leases.store.ts'
import { choosePlace } from './placement.rules.ts'
import { placeOn } from './steps.store.ts'
import type { ReconcilerDeps } from './step-context.ts'

type PlacementDeps = Pick<ReconcilerDeps, 'db' | 'owner'> & { hosts: { names: string[] } }

/**
 * Chooses a host for a deployment and promises it the room there, one after the other over all workers: memory is never
 * promised twice. Fails with the fault `no_capacity`.
 */
export const place = ({ db, hosts, owner }: PlacementDeps, row: WorkRow) =>
  db.transaction(async (tx) => {
    await lockPlaces(tx)
    const name = choosePlace(await findPlaces(tx, hosts.names), row)
    if (name === undefined) throw new EngineError('no_capacity', 'No container host that answers has room for it.')
    await placeOn(tx, claimOf(row, owner), name)
  })
