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
/** Streams opened, and outputs of ended containers read, between two writes: so that a start does not take an engine over. */
const openings_max = 32
const trim_ms = 15_000
const touch_ms = 3_600_000

/**
 * Collects what the containers of each host write (D-64), each line once. One worker collects a host; another one takes over when it is
 * gone. Hosts are collected apart from each other and from the work on deployments.
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

/** The collecting of one host, in rounds: each writes what was taken since the last one, and opens the streams that are missing. */
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

/** The right of one worker to collect a host. */
function openLease(db: Database, { host, owner, seconds }: { host: string; owner: string; seconds: number }) {
  let until = 0
  return {
    /** True while it is held; renewed at half of its time. */
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

/** Periodic work: deletes output beyond the bounds, and notes that containers are still there. */
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

/** The readers of a host's instances, and what they have taken and not written. */
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

  /** The known state of these deployments is stale: they are read again from the position of another worker. */
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
    /** Readers for all that the host shows. */
    follow: (observed: readonly Observed[]) => followObserved(deps, { readers, sources, forget }, observed),
    /** Writes what was taken; returns the deployments of which there was something. */
    async write() {
      const { written, refused } = await writer.write(sources)
      if (refused.size > 0) await readAnew(refused)
      for (const reader of readers.values()) reader.written()
      return written
    },
    /** Opens the streams that are missing, after what is known of their deployments is read. */
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

/** Makes readers of new instances, and forgets those that are gone once their last line is written. */
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
