import type { Database, Sql, Tx } from '../../platform/postgres/database.ts'
import { createBatcher } from '../../platform/batching/batcher.ts'
import { EngineError } from '../engine/engine.ts'
import { listHostCapacities, lockPlacement } from './hosts.store.ts'
import { notIsolated } from './platform-error.ts'
import type { Isolation, Refusal } from './isolation.rules.ts'
import { claimOf, type WorkRow } from './leases.store.ts'
import { chooseHost, type HostCapacity } from './placement.rules.ts'
import { placeFollower, type FollowerClaim } from './replicas.store.ts'
import { assignHost } from './steps.store.ts'

/** Chooses hosts, and reserves the resources there. */
export interface Placement {
  /** Chooses a host for a deployment. Fails with the fault `no_capacity`, or `host_not_isolated` where only such hosts are left. */
  place(row: WorkRow): Promise<undefined>
  /** The same for another replica of it (D-105). */
  placeFollower(row: WorkRow, claim: FollowerClaim): Promise<undefined>
}

interface PlacementCall {
  row: WorkRow
  /** Where its other replicas are. */
  others: (string | null)[]
  assign(tx: Tx, host: string): Promise<unknown>
}

/**
 * An advisory lock serialises placements of all workers, so memory is never overcommitted. What is to be placed while one of this
 * worker's transactions holds or awaits the lock is placed together by the next: each of them reads what all deployments reserve.
 */
export function openPlacement({
  db,
  hosts,
  owner,
  isolation,
}: {
  db: Database
  isolation: Isolation
  hosts: { names: string[] }
  /** The worker's id in `lease_owner`. */
  owner: string
}): Placement {
  const call = createBatcher<PlacementCall, undefined>({
    name: 'placements',
    batch_max: 50,
    // As many as a worker works on, and more.
    queue_max: 1_000,
    run: async (batch) => {
      const refusals = await isolation.findRefusals(hosts.names)
      return db.transaction((tx) => placeAll(tx, { names: hosts.names, refusals }, batch))
    },
  })
  return {
    place: (row) =>
      call({
        row,
        others: row.followers.map(({ host_server }) => host_server),
        assign: (tx, host) => assignHost(tx, claimOf(row, owner), host),
      }),
    placeFollower: (row, claim) =>
      call({
        row,
        others: [row.host_server, ...row.followers.map(({ host_server }) => host_server)],
        assign: (tx, host) => placeFollower(tx, claim, host),
      }),
  }
}

/** Places each one that a host has room for; answers why another one was not placed. */
async function placeAll(
  tx: Tx,
  { names, refusals }: { names: string[]; refusals: ReadonlyMap<string, Refusal> },
  batch: readonly PlacementCall[],
) {
  await lockPlacement(tx)
  const all = await listHostCapacities(tx, names)
  const capacities = all.filter((host) => !refusals.has(host.name))
  const refused = all.flatMap((host) => refusals.get(host.name) ?? [])
  const answers: (undefined | Error)[] = []
  for (const { row, others, assign } of batch) {
    const name = chooseApart(capacities, row, others)
    if (name !== undefined) {
      await assign(tx, name)
      reserve(capacities, name, row)
    }
    answers.push(name === undefined ? whyNot(refused) : undefined)
  }
  return answers
}

function whyNot(refused: readonly Refusal[]) {
  if (refused.length === 0) return new EngineError('no_capacity', 'No container host that answers has room for it.')
  return notIsolated({
    plain: [...new Set(refused.map(({ plain }) => plain))].join(' '),
    full: refused.map(({ full }) => full).join('; '),
  })
}

function reserve(capacities: readonly HostCapacity[], host: string, row: WorkRow) {
  for (const capacity of capacities) {
    if (capacity.name !== host) continue
    capacity.reserved_memory_mb += row.memory_limit_mb
    capacity.reserved_millicores += row.cpu_limit_millicores
  }
}

/** A host without another replica where one has room, else any that has. */
function chooseApart(hosts: readonly HostCapacity[], row: WorkRow, others: readonly (string | null)[]) {
  const apart = hosts.filter(({ name }) => !others.includes(name))
  return chooseHost(apart, row) ?? chooseHost(hosts, row)
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
