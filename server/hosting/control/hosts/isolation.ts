import type { Database } from '../../../platform/postgres/database.ts'
import type { Logger } from '../../../platform/log.ts'
import { EngineError, type ProbedMachine, type ProbeTarget } from '../../engine/engine.ts'
import { withDeadline, type Host, type Hosts } from './hosts.ts'
import { describeFindings, isolationOf, refusalOf } from './isolation.rules.ts'
import type { Isolation, IsolationPolicy, MachineIsolation, Refusal } from './isolation.rules.ts'
import { claimProbe, listIsolation, makeRefusedDue, saveIsolation } from './isolation.store.ts'
import { notIsolated } from '../reconcile/platform-error.ts'
import type { Timing } from '../timing.rules.ts'

/** The settings of isolation. */
export interface IsolationSettings extends IsolationPolicy {
  /**
   * Additional targets that no app may reach, and targets (`address:port`) that every app may reach. Called before each
   * probe, because names are looked up.
   */
  findTargets(): Promise<{ targets: ProbeTarget[]; allowed: ReadonlySet<string> }>
}

export interface IsolationDeps {
  db: Database
  log: Logger
  hosts: Pick<Hosts, 'all'>
  timing: Timing
  /** `trusted`: no host is probed or refused. */
  isolation: IsolationSettings | 'trusted'
  /** Called when deployments that waited may start. */
  wake(): void
}

/** Reads the probe results of all workers. */
export function openIsolation(db: Database, isolation: IsolationSettings | 'trusted'): Isolation {
  async function findRefusals(hosts: readonly string[]) {
    if (isolation === 'trusted' || hosts.length === 0) return new Map<string, Refusal>()
    const machines = await listIsolation(db, hosts)
    return new Map(
      hosts.flatMap((host) => {
        const own = machines.filter((machine) => machine.host === host && machine.state !== 'trusted')
        const refusal = refusalOf(host, own, isolation)
        return refusal ? [[host, refusal] as const] : []
      }),
    )
  }
  return {
    findRefusals,
    async requireIsolated(host) {
      const refusal = (await findRefusals([host])).get(host)
      if (refusal) throw notIsolated(refusal)
    },
  }
}

/** Probes each host when it is due: when a worker starts with it, then regularly, and soon again while it is not isolated. */
export function startIsolationProbes(deps: IsolationDeps) {
  const { db, log, hosts, timing, isolation } = deps
  const closing = new AbortController()
  const probe = openProber(deps, closing.signal)
  const checkAll = async () => {
    for (const host of isolation === 'trusted' ? [] : hosts.all) {
      if (closing.signal.aborted) return
      await probe(host).catch((error: Error) => {
        if (!closing.signal.aborted)
          log.warn({ host: host.name, error: error.message }, 'a container host was not probed')
      })
    }
  }
  let is_running = true
  let latest = (isolation === 'trusted' ? trustAll(db, hosts.all) : checkAll())
    .catch((error: Error) => log.warn({ error: error.message }, 'the isolation of container hosts was not saved'))
    .finally(() => (is_running = false))
  const timer = setInterval(() => {
    if (is_running) return
    is_running = true
    latest = checkAll().finally(() => (is_running = false))
  }, timing.isolation_poll_seconds * 1000)
  return {
    async stop() {
      closing.abort()
      clearInterval(timer)
      await latest
    },
  }
}

const first_wait_seconds = 5

/** Probes one host if it is due and no other worker probes it, and saves the results. */
function openProber({ db, log, timing, isolation, wake }: IsolationDeps, closing: AbortSignal) {
  const logChange = openChangeLog(log)
  /**
   * The delay before the next probe of each host that is not isolated. It is short at first: a firewall may be loaded
   * shortly after the engine.
   */
  const waits = new Map<string, number>()

  function secondsUntilNext(host: string, is_good: boolean) {
    const seconds = Math.min((waits.get(host) ?? first_wait_seconds / 2) * 2, timing.isolation_again_seconds)
    if (is_good) waits.delete(host)
    else waits.set(host, seconds)
    return is_good ? timing.isolation_seconds : seconds
  }

  /** Undefined if the engine does not answer; the earlier results remain. */
  async function probeOne(
    { name, engine }: Host,
    targets: readonly ProbeTarget[],
  ): Promise<ProbedMachine[] | undefined> {
    try {
      return await withDeadline(timing.isolation_probe_seconds, closing, (signal) => engine.probe(targets, signal))
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      log.debug({ host: name, fault: error.fault }, `a container host was not probed: ${error.message}`)
      const is_away = error.fault === 'unreachable' || error.fault === 'timeout'
      return is_away ? undefined : [{ node: null, failure: error.message, found: [] }]
    }
  }

  return async (host: Host) => {
    if (isolation === 'trusted' || !(await claimProbe(db, host.name, timing.isolation_probe_seconds))) return
    const { targets, allowed } = await isolation.findTargets()
    const machines = await probeOne(host, targets)
    if (!machines) return
    const found = machines.map((machine) => isolationOf(host.name, machine, allowed))
    const is_good = found.length > 0 && found.every(({ state }) => state === 'isolated')
    await saveIsolation(db, host.name, found, secondsUntilNext(host.name, is_good))
    logChange(host.name, found)
    if (!refusalOf(host.name, found, isolation) && (await makeRefusedDue(db)).length > 0) wake()
  }
}

/** Logs the probe results of a host if they changed. */
function openChangeLog(log: Logger) {
  const states = new Map<string, string>()
  return (host: string, found: readonly MachineIsolation[]) => {
    const state = JSON.stringify(found)
    if (states.get(host) === state) return
    states.set(host, state)
    for (const { node, state: how, found: reached, reason } of found) {
      const place = node === '' ? { host } : { host, node }
      if (how === 'reachable')
        log.warn(
          place,
          `containers of this host reach targets that no app may reach, so nothing new starts there: ${describeFindings(reached)}`,
        )
      else if (how === 'unchecked') log.warn(place, `the isolation of a container host could not be checked: ${reason}`)
      else log.info(place, 'a container host isolates its containers')
    }
  }
}

async function trustAll(db: Database, hosts: readonly Host[]) {
  for (const { name } of hosts)
    await saveIsolation(db, name, [{ host: name, node: '', state: 'trusted', found: [], reason: null }], 0)
}
