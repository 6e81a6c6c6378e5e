import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/postgres/database.ts'
import type { Logger } from '../../../platform/log.ts'
import { openCleanup, type Cleanup } from './cleanup.ts'
import { EngineError, type Observed } from '../../engine/engine.ts'
import { openHealth, type EngineView, type Probe } from './health.ts'
import { withDeadline, type Hosts } from './hosts.ts'
import { leaveHosts, listLostHosts, listRetiredHosts, unassign } from './hosts.store.ts'
import { makeDue } from '../reconcile/leases.store.ts'
import { nextStep, no_history, type InstanceRow } from '../reconcile/plan.rules.ts'
import { noteNodes } from './nodes.ts'
import { accepts } from '../reconcile/unanswered.rules.ts'
import { openDriftScan, type HostObservation, type HostObservations } from './drift-scan.ts'
import { markUnknown, type LiveDeployment } from './drift.store.ts'
import type { Timing } from '../timing.rules.ts'

export interface DriftDeps {
  db: Database
  clock: Clock
  log: Logger
  hosts: Hosts
  timing: Timing
  /** Called when a check made deployments due. */
  wake(): void
}

export interface DriftDetector {
  stop(): Promise<void>
}

/** The maximum of deployments that one check marks as unknown; the next check continues. */
const unknown_rows_max = 1_000
const listeners_seconds = 15
/** After a start or an outage of the database, other workers get this long to report their hosts. */
const grace_seconds_max = 60

/** Compares observations with the desired state, `drift_seconds` after the end of the previous check. */
export function startDriftDetector(deps: DriftDeps): DriftDetector {
  const { log, timing } = deps
  const closing = new AbortController()
  const cleanup = openCleanup(deps, closing.signal)
  const checkDrift = openDriftCheck(deps, cleanup, closing.signal)
  let latest = Promise.resolve()
  let timer: NodeJS.Timeout
  const next = () => {
    latest = checkDrift()
      .catch((error: Error) => {
        if (!closing.signal.aborted) log.warn({ error: error.message }, 'a drift check failed')
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

/** A drift check that keeps state between its calls: the last observations, and the time since which the database is reachable. */
function openDriftCheck(deps: DriftDeps, cleanup: Cleanup, closing: AbortSignal) {
  const { db, hosts, timing, wake } = deps
  const scan = openDriftScan(db)
  const health = openHealth({ db, timing })
  /** The time since which every check has succeeded. */
  let succeeding_since: number | undefined

  return async function checkDrift() {
    const since = succeeding_since ?? performance.now()
    succeeding_since = undefined
    const observations = await observeAll(deps)
    if (closing.aborted) return
    await markUnknownOnUnreachable(deps, observations)
    const rows = await scan.next(observations)
    await noteNodes(db, rows, observations)
    const due = rows.filter((row) => !row.is_leased && needsWork(deps, observations, row))
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
    succeeding_since = since
    const isObserved = (host_server: string | null) =>
      host_server !== null && observations.get(host_server) !== undefined
    const view = engineView(deps, observations, closing)
    scan.recheck(await health.probe(rows, isObserved, view))
    for (const host of hosts.all) host.setSilent(health.isSilent(host.name))
    for (const probe of await health.findCutOff(rows, isObserved, view)) markCutOff(deps, observations, probe)
    for (const host of hosts.all) {
      const observation = observations.get(host.name)
      if (observation) cleanup.start(host, observation.all)
    }
  }
}

function engineView({ hosts }: DriftDeps, observations: HostObservations, closing: AbortSignal): EngineView {
  return {
    isUnhealthy: (probe) => servingContainer(observations, probe)?.health === 'unhealthy',
    async listens({ id, port, number, host_server, serving_generation }) {
      const engine = hosts.find(host_server ?? '')?.engine
      if (!engine || serving_generation === null) return false
      const instance = { id, generation: serving_generation, replica: number }
      const found = await withDeadline(listeners_seconds, closing, (signal) =>
        engine.listeners(instance, signal),
      ).catch(() => undefined)
      return accepts(found, port)
    },
  }
}

const servingContainer = (observations: HostObservations, { id, number, host_server, serving_generation }: Probe) =>
  observations
    .get(host_server ?? '')
    ?.by_deployment.get(id)
    ?.find(({ replica, generation }) => replica === number && generation === serving_generation)

/** Marks the instance's container as cut off, so that the next check recreates it. */
function markCutOff({ hosts, log }: DriftDeps, observations: HostObservations, probe: Probe) {
  const container = servingContainer(observations, probe)
  if (!container) return
  hosts.find(probe.host_server ?? '')?.markCutOff(container)
  log.warn({ deployment_id: probe.id, instance: probe.number }, 'a container has lost its port: it is recreated')
}

async function observeAll({ hosts, log }: DriftDeps): Promise<HostObservations> {
  const observations = await Promise.all(
    hosts.all.map(async (host): Promise<[string, HostObservation | undefined]> => {
      try {
        const all = await host.observe()
        return [host.name, { all, by_deployment: groupByDeployment(all) }]
      } catch (error) {
        // An EngineError is logged by the host's poll; any other error is logged here.
        if (!(error instanceof EngineError))
          log.warn({ host: host.name, err: error }, 'the observation of a container host failed')
        return [host.name, undefined]
      }
    }),
  )
  return new Map(observations)
}

function groupByDeployment(all: readonly Observed[]) {
  const groups = new Map<string, Observed[]>()
  for (const instance of all) {
    const group = groups.get(instance.id)
    if (group) group.push(instance)
    else groups.set(instance.id, [instance])
  }
  return groups
}

async function markUnknownOnUnreachable({ db }: DriftDeps, observations: HostObservations) {
  const unreachable = [...observations].filter(([, observation]) => observation === undefined).map(([name]) => name)
  if (unreachable.length > 0) await markUnknown(db, unreachable, unknown_rows_max)
}

function needsWork(deps: DriftDeps, observations: HostObservations, row: LiveDeployment) {
  const { clock, log, timing } = deps
  const observe = (instance: InstanceRow) => {
    const host = deps.hosts.find(instance.host_server ?? '')
    const observation = host && observations.get(host.name)
    const of_number = observation?.by_deployment.get(row.id)?.filter(({ replica }) => replica === instance.number)
    return observation && host.countRestarts(instance, of_number ?? [])
  }
  try {
    const step = nextStep(row, { now: clock(), timing, observe, historyOf: () => no_history })
    return step.do !== 'nothing' && step.do !== 'wait' && step.do !== 'await_host'
  } catch (error) {
    log.error({ deployment_id: row.id, err: error }, 'the drift of a deployment could not be computed')
    return false
  }
}

type LostDeps = Pick<DriftDeps, 'db' | 'log' | 'timing' | 'wake'>

/** Stops routing to hosts that do not answer, if others serve. Later, if enabled, places their instances on other hosts. */
export async function unassignLost(deps: LostDeps) {
  const { db, timing } = deps
  const { leave_lost_seconds, replace_lost_seconds } = timing
  const replaces = replace_lost_seconds > 0
  const leave_seconds = replaces ? Math.min(leave_lost_seconds, replace_lost_seconds) : leave_lost_seconds
  await leave(deps, await listLostHosts(db, leave_seconds))
  if (!replaces) return
  const lost = await listLostHosts(db, replace_lost_seconds)
  if (lost.length > 0) await unassignFrom(deps, lost, 'lost')
}

/** Unassigns instances from hosts that no worker has in its settings. Their deployments continue without the host. */
async function unassignRetired(deps: DriftDeps) {
  const { db, hosts, timing } = deps
  const { retired_seconds } = timing
  const retired = await listRetiredHosts(db, { configured_hosts: hosts.names, retired_seconds })
  if (retired.length === 0) return
  await leave(deps, retired)
  await markUnknown(db, retired, unknown_rows_max)
  await unassignFrom(deps, retired, 'retired')
}

const unassigned_because = {
  lost: 'a container host is lost: its deployment is placed on another',
  retired: 'a container host is retired: its deployment is unassigned',
}

async function unassignFrom({ db, log, timing, wake }: LostDeps, hosts: readonly string[], why: 'lost' | 'retired') {
  const unassigned = await unassign(db, hosts, { why, includes_running: timing.replace_lost_seconds > 0 })
  for (const { id, host_server } of unassigned)
    log.warn({ deployment_id: id, host: host_server }, unassigned_because[why])
  if (unassigned.length > 0) wake()
}

/** Stops routing to these hosts for deployments with several instances (D-105). */
async function leave({ db, log }: LostDeps, away: readonly string[]) {
  if (away.length === 0) return
  for (const { id, host_server } of await leaveHosts(db, away))
    log.warn(
      { deployment_id: id, host: host_server },
      'a container host is away: other replicas of its deployment serve',
    )
}
