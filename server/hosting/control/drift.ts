import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/database.ts'
import type { Logger } from '../../platform/log.ts'
import { openCleanup, type Cleanup } from './cleanup.ts'
import { EngineError, type Observed } from '../engine/engine.ts'
import { openHealth } from './health.ts'
import type { Hosts } from './hosts.ts'
import { unassignFromLostHosts, unassignFromRetiredHosts, markUnknownOnRetired } from './hosts.store.ts'
import { makeDue } from './leases.store.ts'
import { nextStep, no_history } from './plan.rules.ts'
import { openDriftScan, type HostObservation, type HostObservations } from './drift-scan.ts'
import { markUnknown, type LiveDeployment } from './drift.store.ts'
import type { Timing } from './timing.rules.ts'

export interface DriftDeps {
  db: Database
  clock: Clock
  log: Logger
  hosts: Hosts
  timing: Timing
  /** Told when a sweep made deployments due. */
  wake(): void
}

export interface DriftDetector {
  stop(): Promise<void>
}

/** Deployments of hosts out of reach whose health is marked in one sweep; the next ones follow in the next. */
const unknown_rows_max = 1_000
/** After a start, or a while without the database, other workers may have to say first that they are there. */
const grace_seconds_max = 60

/** Compares, every few seconds, what all hosts run with what is wanted. One at a time, however long one takes. */
export function startDriftDetector(deps: DriftDeps): DriftDetector {
  const { log, timing } = deps
  const closing = new AbortController()
  const cleanup = openCleanup(deps, closing.signal)
  const sweep = openDriftCheck(deps, cleanup, closing.signal)
  let latest = Promise.resolve()
  let timer: NodeJS.Timeout
  const next = () => {
    latest = sweep()
      .catch((error: Error) => {
        if (!closing.signal.aborted) log.warn({ error: error.message }, 'a sweep was broken off')
      })
      .then(() => {
        if (!closing.signal.aborted) timer = setTimeout(next, timing.drift_seconds * 1000)
      })
  }
  timer = setTimeout(next, timing.drift_seconds * 1000)
  return {
    async stop() {
      closing.abort()
      clearTimeout(timer)
      await latest
      await cleanup.idle()
    },
  }
}

/** One sweep; made to be called again and again, since it remembers what it saw last. */
function openDriftCheck(deps: DriftDeps, cleanup: Cleanup, closing: AbortSignal) {
  const { db, clock, hosts, timing, wake } = deps
  const round = openDriftScan(db)
  const health = openHealth({ db, clock, timing })
  /** Since when sweeps reach the database each time. */
  let steady_since: number | undefined

  return async function sweep() {
    const since = steady_since ?? performance.now()
    steady_since = undefined
    const views = await observeAll(deps)
    if (closing.aborted) return
    await markUnknownOnUnreachable(deps, views)
    const rows = await round.next(views)
    const due = rows.filter((row) => row.is_idle && !row.is_leased && needsWork(deps, views, row))
    if (due.length > 0) {
      await makeDue(
        db,
        due.map(({ id }) => id),
      )
      wake()
    }
    await unassignLost(deps)
    if (performance.now() - since >= Math.min(grace_seconds_max, timing.retired_seconds) * 1000)
      await unassignRetired(deps)
    steady_since = since
    const seen = rows.filter(({ host_server }) => host_server !== null && views.get(host_server) !== undefined)
    round.lookAgain(await health.look(seen))
    for (const host of hosts.all) {
      const view = views.get(host.name)
      if (view) cleanup.start(host, view.all)
    }
  }
}

async function observeAll({ hosts, log }: DriftDeps): Promise<HostObservations> {
  const views = await Promise.all(
    hosts.all.map(async (host): Promise<[string, HostObservation | undefined]> => {
      try {
        const all = await host.observe()
        return [host.name, { all, by_deployment: byDeployment(all) }]
      } catch (error) {
        // Who watches the host says that it is out of reach; an answer that nobody understands is said here.
        if (!(error instanceof EngineError))
          log.warn({ host: host.name, err: error }, 'what a container host runs could not be read')
        return [host.name, undefined]
      }
    }),
  )
  return new Map(views)
}

function byDeployment(all: readonly Observed[]) {
  const groups = new Map<string, Observed[]>()
  for (const instance of all) {
    const group = groups.get(instance.id)
    if (group) group.push(instance)
    else groups.set(instance.id, [instance])
  }
  return groups
}

async function markUnknownOnUnreachable({ db }: DriftDeps, views: HostObservations) {
  const blind = [...views].filter(([, view]) => view === undefined).map(([name]) => name)
  if (blind.length > 0) await markUnknown(db, blind, unknown_rows_max)
}

function needsWork({ clock, log, timing, hosts }: DriftDeps, views: HostObservations, row: LiveDeployment) {
  const host = row.host_server === null ? undefined : hosts.find(row.host_server)
  const view = host && views.get(host.name)
  if (row.host_server !== null && !view) return false
  try {
    const mine = host?.countRestarts(row, view?.by_deployment.get(row.id) ?? []) ?? []
    return nextStep(row, mine, { now: clock(), history: no_history, timing }).do !== 'nothing'
  } catch (error) {
    log.error({ deployment_id: row.id, err: error }, 'a deployment could not be compared with what its host runs')
    return false
  }
}

async function unassignLost({ db, log, timing, wake }: DriftDeps) {
  if (timing.replace_lost_seconds === 0) return
  const moved = await unassignFromLostHosts(db, timing.replace_lost_seconds)
  for (const { id, host_server } of moved)
    log.warn({ deployment_id: id, host: host_server }, 'a container host is lost: a deployment is placed anew')
  if (moved.length > 0) wake()
}

/** Does what is asked for of deployments whose host is configured nowhere any more without it. */
async function unassignRetired({ db, log, hosts, timing, wake }: DriftDeps) {
  const query = { configured_hosts: hosts.names, retired_seconds: timing.retired_seconds }
  await markUnknownOnRetired(db, query)
  const left = await unassignFromRetiredHosts(db, { ...query, include_running: timing.replace_lost_seconds > 0 })
  for (const { id, host_server } of left)
    log.warn({ deployment_id: id, host: host_server }, 'a container host is configured nowhere: it is given up')
  if (left.length > 0) wake()
}
