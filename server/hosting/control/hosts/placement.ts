import type { Database, Sql, Tx } from '../../../platform/postgres/database.ts'
import { createBatcher } from '../../../platform/batching/batcher.ts'
import { EngineError } from '../../engine/engine.ts'
import { listHostCapacities, lockPlacement } from './hosts.store.ts'
import { notIsolated } from '../reconcile/platform-error.ts'
import type { Isolation, Refusal } from './isolation.rules.ts'
import { claimOf, type WorkRow } from '../reconcile/leases.store.ts'
import { chooseHost, leastLoaded, type HostCapacity } from './placement.rules.ts'
import { addBeside, assignHost } from '../reconcile/instances.store.ts'

/** Chooses hosts and reserves their resources. */
export interface Placement {
  /**
   * Chooses a host for an instance, apart from the others if possible, and never `from`. Fails with the fault
   * `no_capacity`, or with `host_not_isolated` if only such hosts remain; changes nothing then.
   */
  place(row: WorkRow, number: number, from?: string): Promise<undefined>
  /** Adds an instance on another host that tries the release for which `from` has no room. Fails as `place`. */
  placeBeside(row: WorkRow, number: number, from: string): Promise<undefined>
}

interface PlacementCall {
  row: WorkRow
  /** The hosts of the other instances. */
  others: (string | null)[]
  /** The host that it must leave. */
  from: string | undefined
  assign(tx: Tx, host: string): Promise<unknown>
}

/** The number of hosts to read for one batch, so that its cost does not grow with the number of hosts. */
const candidates_max = 4
/** The interval at which all hosts are read to find those with the least load. */
const survey_ms = 10_000

/**
 * An advisory lock serialises placements of all workers, so memory is never overcommitted. Deployments that wait while
 * one of this worker's transactions holds or awaits the lock are placed together by its next transaction. The reserved
 * memory of a chosen host is read under the lock; only the selection of hosts to read is remembered.
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
    // More than a worker works on at a time.
    queue_max: 1_000,
    run: async (batch) => {
      const refusals = await isolation.findRefusals(hosts.names)
      return db.transaction((tx) => placeAll(tx, { names: hosts.names, refusals, survey }, batch))
    },
  })
  const othersOf = ({ instances }: WorkRow, number: number) =>
    instances.filter((each) => each.number !== number).map(({ host_server }) => host_server)
  const claim = (row: WorkRow, number: number) => ({ ...claimOf(row, owner), number })
  return {
    place: (row, number, from) =>
      call({
        row,
        others: othersOf(row, number),
        from,
        assign: (tx, host) => assignHost(tx, claim(row, number), host),
      }),
    placeBeside: (row, number, from) =>
      call({
        row,
        others: othersOf(row, number),
        from,
        assign: (tx, host) => addBeside(tx, claim(row, number), host),
      }),
  }
}

/** Remembers the reservations of hosts, to find those with the least load. */
function openSurvey() {
  let known: HostCapacity[] = []
  let until = 0
  return {
    /** The hosts to read: a few with the least load if that is known, else all. */
    candidates(names: readonly string[]) {
      if (names.length <= candidates_max || performance.now() >= until) return names
      return leastLoaded(
        known.filter(({ name }) => names.includes(name)),
        candidates_max,
      )
    },
    /** `found` contains the hosts among `read` that are reachable. */
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

/** Places each deployment for which a host has room. Returns for each the error if it was not placed. */
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
    // A host that has room and no other instance of the deployment.
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
 * Fails with the fault `no_capacity` unless the host has the memory for all its reservations. A row reserves a release's memory from the
 * moment of the change, so if two would together exceed the host, neither starts. A host that does not answer is not checked.
 */
export async function requireRoom(db: Sql, host: string) {
  const [capacity] = await listHostCapacities(db, [host])
  if (capacity && capacity.reserved_memory_mb > capacity.memory_mb)
    throw new EngineError('no_capacity', 'Its container host has no room for more memory.')
}
