import { decisions } from '../../../../contract/decisions.ts'
import type { Database } from '../../../platform/postgres/database.ts'
import type { Logger } from '../../../platform/log.ts'
import type { Observed } from '../../engine/engine.ts'
import { endCollecting, findSources, leaseCollecting, touchSources, trimOutput } from './collector.store.ts'
import type { Host, Hosts } from '../hosts/hosts.ts'
import { openObservations } from './observations.rules.ts'
import { openOutputReader, type OutputReader, type ReaderDeps } from './output-reader.ts'
import { openOutputSource, type OutputSource } from './output-source.rules.ts'
import { openOutputWriter } from './output-writer.ts'
import type { Timing } from '../timing.rules.ts'

export interface CollectorDeps {
  db: Database
  log: Logger
  hosts: Hosts
  timing: Timing
  owner: string
}

const { kept_lines_max: lines_max, kept_bytes_max: bytes_max } = decisions.container_output
/**
 * The maximum of streams to open, and of outputs of ended containers to read, between two writes, so that a start does
 * not overload an engine.
 */
const openings_max = 32
const trim_ms = 15_000
const touch_ms = 3_600_000

/**
 * Collects the output of the containers of each host (D-64), each line once. One worker collects a host; when it is
 * gone, another one takes over. Hosts are collected independently of each other and of the work on deployments.
 */
export function startCollector(deps: CollectorDeps) {
  const loops = deps.hosts.all.map((host) => startLoop(deps, host))
  return { stop: async () => void (await Promise.all(loops.map((stop) => stop()))) }
}

function startLoop(deps: CollectorDeps, host: Host) {
  const { log, timing } = deps
  const collecting = openCollecting(deps, host)
  let is_stopping = false
  let is_failing = false
  let latest = Promise.resolve()
  const noteFailure = (error: Error) => {
    if (!is_failing) log.warn({ host: host.name, error: error.message }, 'the output of containers was not saved')
    is_failing = true
  }
  const run = () => {
    latest = collecting
      .round()
      .then(() => {
        is_failing = false
      })
      .catch(noteFailure)
      .then(() => {
        if (!is_stopping) timer = setTimeout(run, timing.output_seconds * 1000)
      })
  }
  let timer = setTimeout(run, 0)
  return async () => {
    is_stopping = true
    clearTimeout(timer)
    await latest
    await collecting.stop()
  }
}

const keyOf = ({ id, generation, replica }: Observed) => `${id} ${generation} ${replica}`

/** Collects one host in rounds. Each round writes the lines taken since the last one and opens missing streams. */
function openCollecting({ db, owner, timing }: CollectorDeps, host: Host) {
  const lease = openLease(db, { host: host.name, owner, seconds: timing.lease_seconds })
  const upkeep = openUpkeep(db)
  const held = openHeldOutput(db, host)
  const observations = openObservations<Observed>()
  const stopObserving = host.onObserved(observations.add)
  return {
    async round() {
      if (!(await lease.hold())) return held.close()
      const seen = observations.all()
      if (!seen) return
      held.follow(seen)
      upkeep.written(await held.write())
      await held.openMissing()
      await upkeep.run(held.sources)
    },
    async stop() {
      stopObserving()
      await held.stop()
      await lease.end()
    },
  }
}

/** The lease of one worker for collecting a host. */
function openLease(db: Database, { host, owner, seconds }: { host: string; owner: string; seconds: number }) {
  let until = 0
  return {
    /** True while the lease is held. Renews it after half of its time. */
    async hold() {
      const now = performance.now()
      if (now < until - seconds * 500) return true
      const is_leased = await leaseCollecting(db, { host, owner, seconds })
      until = is_leased ? now + seconds * 1000 : 0
      return is_leased
    },
    async end() {
      if (until > 0) await endCollecting(db, { host, owner }).catch(() => {})
    },
  }
}

type Sources = Map<string, Map<string, OutputSource>>

/** Periodic work: deletes output beyond the limits, and records that sources still exist. */
function openUpkeep(db: Database) {
  const touched = new Set<string>()
  let next_trim = performance.now() + trim_ms
  let next_touch = performance.now() + touch_ms
  return {
    written(deployment_ids: Iterable<string>) {
      for (const id of deployment_ids) touched.add(id)
    },
    async run(sources: Sources) {
      const now = performance.now()
      if (now >= next_trim && touched.size > 0) {
        next_trim = now + trim_ms
        await trimOutput(db.adHoc, [...touched], { lines_max, bytes_max })
        touched.clear()
      }
      if (now < next_touch) return
      next_touch = now + touch_ms
      const ids = [...sources.values()].flatMap((own) => [...own.values()].flatMap((source) => source.id() ?? []))
      await touchSources(db, ids)
    },
  }
}

/** The readers of a host's instances, and the lines that they have taken but not written. */
function openHeldOutput(db: Database, host: Host) {
  const readers = new Map<string, OutputReader>()
  /** By deployment and the engine's id. */
  const sources: Sources = new Map()
  const writer = openOutputWriter(db)
  const deps: ReaderDeps = {
    engine: host.engine,
    sourceOf(instance, name) {
      const own = sources.get(instance.id)!
      let source = own.get(name)
      if (!source) own.set(name, (source = openOutputSource(undefined)))
      writer.knows(source, { ...instance, deployment_id: instance.id, source: name })
      return source
    },
    sourcesOf: (instance) => sources.get(instance.id) ?? [],
  }

  function forget(id: string) {
    for (const source of sources.get(id)?.values() ?? []) writer.forget(source)
    sources.delete(id)
  }

  /** Drops the state of these deployments, which is stale: it is read again from the position of the other worker. */
  async function readAnew(deployment_ids: ReadonlySet<string>) {
    for (const [key, reader] of readers)
      if (deployment_ids.has(reader.instance().id)) {
        await reader.close()
        readers.delete(key)
      }
    deployment_ids.forEach(forget)
  }

  const closeReaders = () => Promise.all([...readers.values()].map((reader) => reader.close()))

  return {
    sources,
    /** Starts readers for all observed instances. */
    follow: (observed: readonly Observed[]) => followObserved(deps, { readers, sources, forget }, observed),
    /** Writes the lines that were taken; returns the deployments that had some. */
    async write() {
      const { written, refused } = await writer.write(sources)
      if (refused.size > 0) await readAnew(refused)
      for (const reader of readers.values()) reader.written()
      return written
    },
    /** Opens missing streams, after the state of their deployments was read. */
    async openMissing() {
      const missing = [...readers.values()].filter((reader) => reader.isWaiting()).slice(0, openings_max)
      const unknown = [...new Set(missing.map((reader) => reader.instance().id))].filter((id) => !sources.has(id))
      if (unknown.length > 0) {
        const stored = await findSources(db, unknown)
        for (const id of unknown) sources.set(id, new Map())
        for (const known of stored) sources.get(known.deployment_id)!.set(known.source, openOutputSource(known))
      }
      for (const reader of missing) reader.open()
    },
    async close() {
      await closeReaders()
      readers.clear()
      sources.clear()
      writer.forgetAll()
    },
    async stop() {
      await closeReaders()
      await writer.write(sources).catch(() => {})
    },
  }
}

interface Held {
  readers: Map<string, OutputReader>
  sources: Sources
  forget(deployment_id: string): void
}

/** Creates readers for new instances, and removes those of ended instances once their last line is written. */
function followObserved(deps: ReaderDeps, { readers, sources, forget }: Held, observed: readonly Observed[]) {
  const present = new Set<string>()
  for (const instance of observed) {
    const key = keyOf(instance)
    present.add(key)
    const reader = readers.get(key)
    if (reader) reader.observed(instance)
    else readers.set(key, openOutputReader(deps, instance))
  }
  for (const [key, reader] of readers) {
    if (present.has(key)) continue
    reader.gone()
    if (!reader.isReading()) readers.delete(key)
  }
  const ids = new Set([...readers.values()].map((reader) => reader.instance().id))
  for (const [id, own] of sources)
    if (!ids.has(id) && [...own.values()].every((source) => source.pendingBytes() === 0)) forget(id)
}
