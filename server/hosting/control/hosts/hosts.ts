import { coalesce } from '../../../platform/coalesce.ts'
import { setMaxListeners } from 'node:events'
import { engines, type EngineKind } from '../../../../contract/kinds/engines.ts'
import type { Database } from '../../../platform/postgres/database.ts'
import type { Logger } from '../../../platform/log.ts'
import { EngineError, type ContainerEngine, type EngineInfo, type Observed } from '../../engine/engine.ts'
import { openEngine, type EngineSpec, type OpenedEngine } from '../../engine/open.ts'
import { engine_reachable } from '../../metrics.ts'
import { findInstallation, saveHostNotes, saveReachableHost, saveUnreachableHost } from './hosts.store.ts'
import { absolute_scale, relativeScale } from '../reconcile/restarts.rules.ts'
import type { Timing } from '../timing.rules.ts'
import { instanceKey } from './drift.rules.ts'

/** A container host that this process works on. */
export interface Host {
  name: string
  kind: EngineKind
  engine: ContainerEngine
  /**
   * Lists the instances on the host, from an observation that began after this call; concurrent calls share one. Fails with an EngineError.
   */
  observe(): Promise<readonly Observed[]>
  /**
   * Calls `listener` with each observation of the host or of one deployment on it, whoever requested it. Returns a function that ends this.
   */
  onObserved(listener: ObservationListener): () => void
  /** The containers of one deployment. Fails with an EngineError. */
  observeOne(deployment_id: string): Promise<readonly Observed[]>
  /** Sets if none of its ports is reachable: the host counts as unreachable then, although its engine answers. */
  setSilent(is_silent: boolean): void
  /** Reports this container as cut off in later observations, although its engine does not see that. */
  markCutOff(container: Observed): void
  /** Converts the restart counts of observed containers of an instance to its row's scale. */
  countRestarts(row: { restarts_seen: number | null }, observed: readonly Observed[]): Observed[]
}

type ObservationListener = (observed: readonly Observed[], deployment_id?: string) => void

interface PolledHost extends Host {
  isSilent(): boolean
}

export interface Hosts {
  find(name: string): Host | undefined
  all: readonly Host[]
  names: string[]
  /** Stops polling and aborts calls in progress. */
  close(): Promise<void>
}

export interface HostsDeps {
  db: Database
  log: Logger
  engines: readonly OpenedEngine[]
  timing: Timing
}

/** Opens the configured engines; makes no call to them. */
export async function openEngines(db: Database, specs: readonly EngineSpec[], network_range: string) {
  if (specs.length === 0) return []
  const installation_id = await findInstallation(db)
  return specs.map((spec) => openEngine(spec, { installation_id, network_range }))
}

/** Polls each host and saves the result in `container_hosts` (D-65); gives workers access to the hosts. */
export async function openHosts({ db, log, engines, timing }: HostsDeps): Promise<Hosts> {
  const closing = new AbortController()
  const hosts = engines.map((opened) => openHost(opened, closing.signal, timing))
  const polls = hosts.map((host) => pollHost({ db, log, timing, signal: closing.signal }, host))
  await Promise.all(polls.map(({ first }) => first))
  const by_name = new Map(hosts.map((host) => [host.name, host]))
  return {
    find: (name) => by_name.get(name),
    all: hosts,
    names: hosts.map(({ name }) => name),
    async close() {
      closing.abort()
      await Promise.all(polls.map(({ stop }) => stop()))
    },
  }
}

function openHost({ name, kind, engine }: OpenedEngine, closing: AbortSignal, { observe_seconds }: Timing): PolledHost {
  const scale = engines[kind].counts_restarts ? absolute_scale : relativeScale()
  const cut_off = new Set<string>()
  const observe = async (id?: string) => {
    const observed = await withDeadline(observe_seconds, closing, (signal) => engine.observe(signal, id))
    return cut_off.size === 0 ? observed : observed.map((each) => withCutOff(each, cut_off))
  }
  const listeners = new Set<ObservationListener>()
  let is_silent = false
  return {
    name,
    kind,
    engine,
    onObserved(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    observe: coalesce(async () => {
      const observed = await observe()
      scale.retain(observed)
      const keys = new Set(observed.map(containerKey))
      for (const key of cut_off) if (!keys.has(key)) cut_off.delete(key)
      for (const listener of listeners) listener(observed)
      return observed
    }),
    async observeOne(deployment_id) {
      const observed = await observe(deployment_id)
      for (const listener of listeners) listener(observed, deployment_id)
      return observed
    },
    countRestarts: (row, observed) =>
      observed.map((container) => ({ ...container, restarts: scale.restartsOf(row, container) })),
    markCutOff: (container) => void cut_off.add(containerKey(container)),
    setSilent(is) {
      is_silent = is
    },
    isSilent: () => is_silent,
  }
}

/** Includes the time of creation: a container that replaces another one has a different key. */
const containerKey = (container: Observed) => `${instanceKey(container)} ${container.created_at.getTime()}`

const withCutOff = (container: Observed, cut_off: ReadonlySet<string>): Observed =>
  container.phase === 'running' && cut_off.has(containerKey(container)) ? { ...container, is_cut_off: true } : container

/** Runs a call with a deadline, even if the call ignores its signal. Fails with the fault `timeout`. */
export async function withDeadline<Result>(
  seconds: number,
  outer: AbortSignal,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  // Many concurrent calls listen to one signal, and Node warns of a leak above ten listeners.
  setMaxListeners(0, outer, controller.signal)
  outer.addEventListener('abort', stop)
  const timer = setTimeout(stop, seconds * 1000)
  if (outer.aborted) stop()
  const timed_out = new Promise<never>((_, reject) => {
    const fail = () => reject(new EngineError('timeout', 'The engine did not answer in time.'))
    if (controller.signal.aborted) fail()
    else controller.signal.addEventListener('abort', fail, { once: true })
  })
  try {
    return await Promise.race([call(controller.signal), timed_out])
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', stop)
  }
}

/** Logs the host's limitations and its advice to the operator, once. */
function logReachable(log: Logger, host: string, { version, advice, limits }: EngineInfo) {
  log.info({ host, version, limits }, 'a container host is reachable')
  for (const text of advice) log.warn({ host }, `advice for a container host: ${text}`)
}

interface PollDeps {
  db: Database
  log: Logger
  timing: Timing
  signal: AbortSignal
}

/** Polls a host's `info` and saves the answer or the fault. */
function pollHost({ db, log, timing, signal }: PollDeps, { name, kind, engine, isSilent }: PolledHost) {
  let reachable: boolean | undefined
  const logSaveError = (error: Error) =>
    log.warn({ host: name, error: error.message }, 'the state of a container host was not saved')
  const poll = async () => {
    try {
      const info = await withDeadline(timing.host_seconds, signal, (inner) => engine.info(inner))
      if (isSilent())
        throw new EngineError('unreachable', 'Its engine answers, and none of the ports of its containers does.')
      await saveReachableHost(db, { ...info, name }, { is_first: reachable === undefined })
      await saveHostNotes(db, { ...info, name })
      if (reachable !== true) logReachable(log, name, info)
      reachable = true
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof EngineError)) return logSaveError(error as Error)
      if (reachable !== false)
        log.warn({ host: name, fault: error.fault }, `a container host is unreachable: ${error.message}`)
      reachable = false
      await saveUnreachableHost(db, { name, kind, fault: error.fault, quiet_seconds: timing.host_seconds * 2 }).catch(
        logSaveError,
      )
    }
  }
  const stopShowing = engine_reachable.read(() =>
    reachable === undefined ? undefined : [{ labels: { host: name }, value: Number(reachable) }],
  )
  const first = poll()
  let latest = first
  let polling = true
  void first.finally(() => {
    polling = false
  })
  const timer = setInterval(() => {
    if (polling) return
    polling = true
    latest = poll().finally(() => {
      polling = false
    })
  }, timing.host_seconds * 1000)
  return {
    first,
    async stop() {
      stopShowing()
      clearInterval(timer)
      await latest
    },
  }
}
