import type { Sql } from '../../platform/postgres/database.ts'
import { EngineError } from '../engine/engine.ts'
import { listHostCapacities, lockPlacement } from './hosts.store.ts'
import { claimOf, type WorkRow } from './leases.store.ts'
import { chooseHost, type HostCapacity } from './placement.rules.ts'
import { placeFollower, type FollowerClaim } from './replicas.store.ts'
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
    const others = row.followers.map(({ host_server }) => host_server)
    await assignHost(tx, claimOf(row, owner), chooseApart(await listHostCapacities(tx, hosts.names), row, others))
  })

/** The same for another replica of it (D-105). */
export const placeFollowerOf = ({ db, hosts }: PlacementDeps, row: WorkRow, claim: FollowerClaim) =>
  db.transaction(async (tx) => {
    await lockPlacement(tx)
    const others = [row.host_server, ...row.followers.map(({ host_server }) => host_server)]
    await placeFollower(tx, claim, chooseApart(await listHostCapacities(tx, hosts.names), row, others))
  })

/** A host without another replica where one has room, else any. Fails with the fault `no_capacity`. */
function chooseApart(hosts: readonly HostCapacity[], row: WorkRow, others: readonly (string | null)[]) {
  const apart = hosts.filter(({ name }) => !others.includes(name))
  const name = chooseHost(apart, row) ?? chooseHost(hosts, row)
  if (name === undefined) throw new EngineError('no_capacity', 'No container host that answers has room for it.')
  return name
}

/**
 * Whether the host still has the memory for a release that needs more than what serves. The row reserves it from the moment of the
 * change, so of two that would exceed the host together neither starts. Fails with the fault `no_capacity`.
 */
export async function requireRoom(db: Sql, row: Pick<WorkRow, 'memory_limit_mb' | 'reserved_memory_mb'>, host: string) {
  if (row.memory_limit_mb <= row.reserved_memory_mb) return
  const [capacity] = await listHostCapacities(db, [host])
  if (capacity && capacity.reserved_memory_mb > capacity.memory_mb)
    throw new EngineError('no_capacity', 'Its container host has no room for more memory.')
}
