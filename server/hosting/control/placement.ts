import type { Database, Sql, Tx } from '../../platform/postgres/database.ts'
import { createBatcher } from '../../platform/batching/batcher.ts'
import { EngineError } from '../engine/engine.ts'
import { listHostCapacities, lockPlacement } from './hosts.store.ts'
import { notIsolated } from './platform-error.ts'
import type { Isolation, Refusal } from './isolation.rules.ts'
import { claimOf, type WorkRow } from './leases.store.ts'
import { chooseHost, leastLoaded, type HostCapacity } from './placement.rules.ts'
import { moveFollower, placeFollower, type FollowerClaim } from './replicas.store.ts'
import { assignHost, changeHost } from './steps.store.ts'

/** Chooses hosts, and reserves the resources there. */
export interface Placement {
  /** Chooses a host for a deployment. Fails with the fault `no_capacity`, or `host_not_isolated` where only such hosts are left. */
  place(row: WorkRow): Promise<undefined>
  /** Gives a deployment another host than its own. Fails in the same ways, and changes nothing then. */
  move(row: WorkRow, from: string): Promise<undefined>
  /** Chooses a host for another replica of it (D-105). Fails as `place`. */
  placeFollower(row: WorkRow, claim: FollowerClaim): Promise<undefined>
  /** Places a follower on another host than its own; no request is routed to it then. Fails in the same ways, and changes nothing then. */
  moveFollower(row: WorkRow, claim: FollowerClaim, from: string): Promise<undefined>
}

interface PlacementCall {
  row: WorkRow
  /** Where its other replicas are. */
  others: (string | null)[]
  /** The host that it must leave. */
  from?: string
  assign(tx: Tx, host: string): Promise<unknown>
}

/** Hosts that are read for one batch: what that costs does not grow with the number of hosts. */
const candidates_max = 4
/** All hosts are read after so long, to find those with the least load. */
const survey_ms = 10_000

/**
 * An advisory lock serialises placements of all workers, so memory is never overcommitted. What is to be placed while one of this
 * worker's transactions holds or awaits the lock is placed together by the next. What a chosen host has reserved is read under the
 * lock; which hosts are worth reading is remembered.
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
  const survey = openSurvey()
  const call = createBatcher<PlacementCall, undefined>({
    name: 'placements',
    batch_max: 50,
    // As many as a worker works on, and more.
    queue_max: 1_000,
    run: async (batch) => {
      const refusals = await isolation.findRefusals(hosts.names)
      return db.transaction((tx) => placeAll(tx, { names: hosts.names, refusals, survey }, batch))
    },
  })
  return {
    place: (row) =>
      call({
        row,
        others: row.followers.map(({ host_server }) => host_server),
        assign: (tx, host) => assignHost(tx, claimOf(row, owner), host),
      }),
    move: (row, from) =>
      call({
        row,
        others: row.followers.map(({ host_server }) => host_server),
        from,
        assign: (tx, host) => changeHost(tx, claimOf(row, owner), host),
      }),
    placeFollower: (row, claim) =>
      call({
        row,
        others: [row.host_server, ...row.followers.map(({ host_server }) => host_server)],
        assign: (tx, host) => placeFollower(tx, claim, host),
      }),
    moveFollower: (row, claim, from) =>
      call({
        row,
        others: [row.host_server, ...row.followers.map(({ host_server }) => host_server)],
        from,
        assign: (tx, host) => moveFollower(tx, claim, host),
      }),
  }
}

/** Remembers what hosts had reserved, to find those with the least load. */
function openSurvey() {
  let known: HostCapacity[] = []
  let until = 0
  return {
    /** The hosts to read: a few where it is known which have the least load, else all. */
    candidates(names: readonly string[]) {
      if (names.length <= candidates_max || performance.now() >= until) return names
      return leastLoaded(
        known.filter(({ name }) => names.includes(name)),
        candidates_max,
      )
    },
    /** `found` is what answers of the hosts that were read. */
    learn(read: readonly string[], found: readonly HostCapacity[]) {
      known = [...known.filter(({ name }) => !read.includes(name)), ...found]
      if (read.length > candidates_max) until = performance.now() + survey_ms
    },
  }
}

interface PlacementContext {
  names: readonly string[]
  refusals: ReadonlyMap<string, Refusal>
  survey: ReturnType<typeof openSurvey>
}

/** Places each one that a host has room for; answers why another one was not placed. */
async function placeAll(tx: Tx, { names, refusals, survey }: PlacementContext, batch: readonly PlacementCall[]) {
  await lockPlacement(tx)
  const allowed = names.filter((name) => !refusals.has(name))
  let read: readonly string[] = []
  let capacities: readonly HostCapacity[] = []
  const readHosts = async (some: readonly string[]) => {
    read = some
    capacities = await listHostCapacities(tx, some)
    survey.learn(some, capacities)
  }
  await readHosts(survey.candidates(allowed))
  const answers: (undefined | Error)[] = []
  for (const { row, others, from, assign } of batch) {
    const choose = (but: readonly (string | null)[]) =>
      chooseHost(
        capacities.filter(({ name }) => name !== from && !but.includes(name)),
        row,
      )
    // A host with room and without another replica.
    let name = choose(others)
    if (name === undefined && read.length < allowed.length) {
      await readHosts(allowed)
      name = choose(others)
    }
    name ??= choose([])
    if (name !== undefined) {
      await assign(tx, name)
      reserve(capacities, name, row)
    }
    answers.push(name === undefined ? await whyNot(tx, refusals) : undefined)
  }
  return answers
}

async function whyNot(tx: Tx, refusals: ReadonlyMap<string, Refusal>) {
  const answering = refusals.size > 0 ? await listHostCapacities(tx, [...refusals.keys()]) : []
  if (answering.length === 0) return new EngineError('no_capacity', 'No container host that answers has room for it.')
  const refused = answering.flatMap(({ name }) => refusals.get(name) ?? [])
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

/**
 * Whether the host still has the memory for a release that needs more than what serves. The row reserves it from the moment of the
 * change, so of two that would exceed the host together neither starts. Fails with the fault `no_capacity`.
 */
export async function requireRoom(db: Sql, row: Pick<WorkRow, 'memory_limit_mb' | 'reserved_memory_mb'>, host: string) {
  if (row.memory_limit_mb > row.reserved_memory_mb && !(await hasRoom(db, host)))
    throw new EngineError('no_capacity', 'Its container host has no room for more memory.')
}

/** Whether the host has the memory for all that is reserved there. One that does not answer is not judged. */
export async function hasRoom(db: Sql, host: string) {
  const [capacity] = await listHostCapacities(db, [host])
  return !capacity || capacity.reserved_memory_mb <= capacity.memory_mb
}
