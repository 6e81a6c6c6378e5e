import { secondsAfter, type Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { forEachItem } from '../../platform/each.ts'
import type { Logger } from '../../platform/log.ts'
import { openBackoff, type Backoff } from './backoff.ts'
import type { Observed } from '../engine/engine.ts'
import { within, type Host } from './hosts.ts'
import { findOrphans, instanceKey } from './drift.rules.ts'
import { findAppsOnHost, findKnown, findUnusedImages, deleteImage, postponeImage } from './drift.store.ts'
import type { Timing } from './timing.rules.ts'

export interface CleanupDeps {
  db: Database
  clock: Clock
  log: Logger
  timing: Timing
}

/** Takes away what belongs to nobody. Each host by itself: one on which nothing can be removed holds up no other. */
export interface Cleanup {
  /** Begins to clear a host of which this was seen, unless that is still under way. */
  begin(host: Host, seen: readonly Observed[]): void
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
}

const call_seconds = 60
/** Of one host, in one pass. */
const looked_max = 1_000
const removed_max = 20
const images_max = 20
const at_once = 4

/** What is remembered of a host between two passes. */
interface Memory {
  suspects: ReadonlySet<string>
  /** Where the next pass over what it runs begins. */
  from: number
  /** Apps whose network may have to go. */
  networks: Set<string>
  postponed: Backoff
  collected_at: number
}

interface Pass extends CleanupDeps {
  closing: AbortSignal
  host: Host
  memory: Memory
}

export function openCleanup(deps: CleanupDeps, closing: AbortSignal): Cleanup {
  const memories = new Map<string, Memory>()
  const running = new Map<string, Promise<void>>()
  const memoryOf = (name: string) => {
    const known = memories.get(name)
    if (known) return known
    const networks = new Set<string>()
    const memory = {
      suspects: new Set<string>(),
      from: 0,
      networks,
      postponed: openBackoff(),
      collected_at: performance.now(),
    }
    memories.set(name, memory)
    return memory
  }
  return {
    begin(host, seen) {
      if (running.has(host.name)) return
      const pass = { ...deps, closing, host, memory: memoryOf(host.name) }
      const done = clear(pass, seen)
        .catch((error: Error) => {
          if (!closing.aborted) deps.log.warn({ host: host.name, error: error.message }, 'a host could not be cleared')
        })
        .finally(() => running.delete(host.name))
      running.set(host.name, done)
    },
    async settled() {
      await Promise.all(running.values())
    },
  }
}

async function clear(pass: Pass, seen: readonly Observed[]) {
  const { memory, timing } = pass
  await clearOrphans(pass, seen)
  await clearNetworks(pass)
  if (performance.now() - memory.collected_at < timing.collect_seconds * 1000) return
  memory.collected_at = performance.now()
  await collectImages(pass)
}

/** What a pass looks at: what was suspected before, and of the rest as much as may be read at once, in turn. */
function lookedAt({ memory }: Pass, seen: readonly Observed[]) {
  if (seen.length <= looked_max) return seen
  const from = memory.from % seen.length
  memory.from = from + looked_max
  const turn = new Set([...seen, ...seen].slice(from, from + looked_max))
  return seen.filter((instance) => turn.has(instance) || memory.suspects.has(instanceKey(instance)))
}

/** Removes what belongs to nobody, or moved to another host; nothing at all when it would be incredibly much. */
async function clearOrphans(pass: Pass, seen: readonly Observed[]) {
  const { db, clock, log, timing, host, memory } = pass
  const looked = lookedAt(pass, seen)
  // Read after the observation: what was seen and is not here now has no row.
  const known = await findKnown(db, [...new Set(looked.map(({ id }) => id))])
  const found = findOrphans({
    host: host.name,
    seen: looked,
    known: new Map(known.map((row) => [row.id, row])),
    suspected: memory.suspects,
    now: clock(),
    orphan_seconds: timing.orphan_seconds,
  })
  memory.suspects = found.suspected
  if (found.refused)
    log.error(
      { host: host.name, observed: looked.length, suspected: found.suspected.size },
      'so many containers belong to no deployment that the database may be the wrong one: none is removed',
    )
  const due = [...found.remove, ...found.strays].filter(
    (seen_one) => !memory.postponed.isPostponed(instanceKey(seen_one)),
  )
  await forEachItem(due.slice(0, removed_max), (orphan) => removeOrphan(pass, orphan), { at_once })
}

async function removeOrphan(pass: Pass, orphan: Observed) {
  const { closing, log, host, memory } = pass
  const { id: workload, generation, app_id } = orphan
  const about = { host: host.name, deployment_id: workload, generation }
  await surviving(pass, instanceKey(orphan), about, async () => {
    await within(call_seconds, closing, (signal) => host.engine.remove({ workload, generation }, signal))
    memory.networks.add(app_id)
    log.info(about, 'a container that belongs to no deployment here was removed')
  })
}

/** An app whose last container here was an orphan needs no network here. */
async function clearNetworks(pass: Pass) {
  const { db, closing, host, memory } = pass
  const due = [...memory.networks].filter((app_id) => !memory.postponed.isPostponed(app_id))
  if (due.length === 0) return
  const used = new Set((await findAppsOnHost(db, host.name, due)).map(({ app_id }) => app_id))
  await forEachItem(due, (app_id) =>
    surviving(pass, app_id, { host: host.name, app_id }, async () => {
      // Another orphan of the app may still hang on it: it is asked for again with that one.
      if (!used.has(app_id))
        await within(call_seconds, closing, (signal) => host.engine.remove({ network_of_app: app_id }, signal))
      memory.networks.delete(app_id)
    }),
  )
}

/** One that cannot be removed is left alone for a while, and the others are gone on with. */
async function surviving(
  { closing, log, memory: { postponed } }: Pass,
  key: string,
  about: Record<string, unknown>,
  work: () => Promise<void>,
) {
  try {
    await work()
    postponed.reset(key)
  } catch (error) {
    if (closing.aborted) throw error
    const seconds = postponed.failed(key)
    log.warn({ ...about, seconds, error: (error as Error).message }, 'what belongs to nobody could not be removed')
  }
}

/** Removes images that we fetched and nobody needs any more, a bounded number. One that stays is looked at again later. */
async function collectImages({ db, clock, log, timing, closing, host }: Pass) {
  const used_before = secondsAfter(clock(), -timing.image_seconds)
  const unused = await findUnusedImages(db, { target: host.name, used_before, rows_max: images_max })
  const [error] = await forEachItem(unused, async ({ image }) => {
    const about = { host: host.name, image }
    try {
      const removal = await within(call_seconds, closing, (signal) => host.engine.remove({ image }, signal))
      if (removal === 'gone') {
        await deleteImage(db, host.name, image)
        log.info(about, 'an image that nobody needs was removed')
        return
      }
      log.info(about, 'an image that no deployment needs is in use: it stays')
    } catch (error) {
      if (closing.aborted) throw error
      log.warn({ ...about, error: (error as Error).message }, 'an image could not be removed')
    }
    await postponeImage(db, host.name, image, clock())
  })
  if (error !== undefined) throw error as Error
}
