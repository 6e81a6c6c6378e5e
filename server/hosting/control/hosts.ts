import { setMaxListeners } from 'node:events'
import type { Database } from '../../platform/postgres/database.ts'
import type { Logger } from '../../platform/log.ts'
import { EngineError, type ContainerEngine, type Observed } from '../engine/engine.ts'
import { openEngine, type EngineSpec, type OpenedEngine } from '../engine/open.ts'
import { findInstallation, saveReachableHost, saveUnreachableHost } from './hosts.store.ts'
import { absolute_scale, relativeScale } from './restarts.rules.ts'
import type { Timing } from './timing.rules.ts'

/** A container host that this process works on. */
export interface Host {
  name: string
  kind: EngineSpec['kind']
  engine: ContainerEngine
  /**
   * What the host runs, by an observation that began after this call; many who ask at once share one. Fails with an
   * EngineError.
   */
  observe(): Promise<readonly Observed[]>
  /** What it runs of one deployment, with restarts counted as the row does. Fails with an EngineError. */
  observeOne(row: RestartCountRow): Promise<Observed[]>
  /** The same, of instances that were observed already. */
  countRestarts(row: RestartCountRow, own: readonly Observed[]): Observed[]
}

interface RestartCountRow {
  id: string
  restarts_seen: number
}

export interface Hosts {
  find(name: string): Host | undefined
  all: readonly Host[]
  names: string[]
  /** Asks them no more. */
  close(): Promise<void>
}

export interface HostsDeps {
  db: Database
  log: Logger
  engines: readonly OpenedEngine[]
  timing: Timing
}

/** Opens the ports to the configured engines; nothing is asked of them yet. */
export async function openEngines(db: Database, specs: readonly EngineSpec[], network_range: string) {
  if (specs.length === 0) return []
  const installation_id = await findInstallation(db)
  return specs.map((spec) => openEngine(spec, { installation_id, network_range }))
}

/** Keeps what is known of each host fresh in the table (D-65), and lets many ask at once what it runs. */
export async function openHosts({ db, log, engines, timing }: HostsDeps): Promise<Hosts> {
  const closing = new AbortController()
  const hosts = engines.map((opened) => openHost(opened, closing.signal, timing))
  const watches = hosts.map((host) => pollHost({ db, log, timing, signal: closing.signal }, host))
  await Promise.all(watches.map(({ first }) => first))
  const by_name = new Map(hosts.map((host) => [host.name, host]))
  return {
    find: (name) => by_name.get(name),
    all: hosts,
    names: hosts.map(({ name }) => name),
    async close() {
      closing.abort()
      await Promise.all(watches.map(({ stop }) => stop()))
    },
  }
}

function openHost({ name, kind, engine }: OpenedEngine, closing: AbortSignal, { observe_seconds }: Timing): Host {
  const scale = kind === 'swarm' ? relativeScale() : absolute_scale
  const observe = (id?: string) => withDeadline(observe_seconds, closing, (signal) => engine.observe(signal, id))
  const countRestarts = (row: RestartCountRow, own: readonly Observed[]) =>
    own.map((instance) => ({ ...instance, restarts: scale.restartsOf(row, instance) }))
  return {
    name,
    kind,
    engine,
    observe: coalesceObservations(async () => {
      const seen = await observe()
      scale.retain(seen)
      return seen
    }),
    observeOne: async (row) => countRestarts(row, await observe(row.id)),
    countRestarts,
  }
}

/** Carries a call out with a deadline that holds even where the call does not heed its signal. */
export async function withDeadline<Result>(
  seconds: number,
  outer: AbortSignal,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  // As many calls as there are may hang on either signal; the engine's client listens once for each of its own.
  setMaxListeners(0, outer, controller.signal)
  outer.addEventListener('abort', stop)
  const timer = setTimeout(stop, seconds * 1000)
  if (outer.aborted) stop()
  const ended = new Promise<never>((_, reject) => {
    const refuse = () => reject(new EngineError('timeout', 'The engine did not answer in time.'))
    if (controller.signal.aborted) refuse()
    else controller.signal.addEventListener('abort', refuse, { once: true })
  })
  try {
    return await Promise.race([call(controller.signal), ended])
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', stop)
  }
}

/** Joins calls: all that come while one is under way share the next, which sees whatever they did before. */
function coalesceObservations<Seen>(observe: () => Promise<Seen>): () => Promise<Seen> {
  let running: Promise<unknown> | undefined
  let next: Promise<Seen> | undefined
  const begin = () => {
    next = undefined
    const now = observe()
    running = now
      .catch(() => {})
      .finally(() => {
        running = undefined
      })
    return now
  }
  return () => {
    if (!running) return begin()
    next ??= running.then(begin)
    return next
  }
}

interface PollDeps {
  db: Database
  log: Logger
  timing: Timing
  signal: AbortSignal
}

/** Asks a host what it is, again and again, and writes the answer down. */
function pollHost({ db, log, timing, signal }: PollDeps, { name, kind, engine }: Host) {
  let reachable: boolean | undefined
  const notNoted = (error: Error) => log.warn({ host: name, error: error.message }, 'a container host was not noted')
  const look = async () => {
    try {
      const info = await withDeadline(timing.host_seconds, signal, (inner) => engine.info(inner))
      await saveReachableHost(db, { ...info, name })
      if (reachable !== true) log.info({ host: name, version: info.version }, 'a container host is reachable')
      reachable = true
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof EngineError)) return notNoted(error as Error)
      if (reachable !== false)
        log.warn({ host: name, fault: error.fault }, `a container host is out of reach: ${error.message}`)
      reachable = false
      await saveUnreachableHost(db, { name, kind, fault: error.fault, quiet_seconds: timing.host_seconds * 2 }).catch(
        notNoted,
      )
    }
  }
  const first = look()
  let latest = first
  let looking = true
  void first.finally(() => {
    looking = false
  })
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    latest = look().finally(() => {
      looking = false
    })
  }, timing.host_seconds * 1000)
  return {
    first,
    async stop() {
      clearInterval(timer)
      await latest
    },
  }
}
