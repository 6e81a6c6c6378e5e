import { secondsAfter, type Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/postgres/database.ts'
import { forEachItem } from '../../../platform/each.ts'
import type { Logger } from '../../../platform/log.ts'
import { openBackoff, type Backoff } from './backoff.ts'
import type { Observed } from '../../engine/engine.ts'
import { withDeadline, type Host } from './hosts.ts'
import { findOrphans, instanceKey } from './drift.rules.ts'
import { findAppsOnHost, findKnown, findUnusedImages, deleteImage, postponeImage } from './drift.store.ts'
import type { Timing } from '../timing.rules.ts'

export interface CleanupDeps {
  db: Database
  clock: Clock
  log: Logger
  timing: Timing
}

/** Removes orphans: containers and networks of no deployment, and unused images. Hosts are cleaned independently. */
export interface Cleanup {
  /** Starts cleaning a host with this observation, unless its last pass is still running. */
  start(host: Host, observed: readonly Observed[]): void
  /** Resolves when no pass is running. */
  idle(): Promise<void>
}

const call_seconds = 60
/** Bounds of one pass over one host. */
const checked_max = 1_000
const removed_max = 20
const images_max = 20
const concurrency = 4

/** The state of a host between two passes. */
interface HostState {
  suspected: ReadonlySet<string>
  /** Where the next slice of observed instances begins. */
  next_index: number
  /** Apps whose network on the host may be unused. */
  network_app_ids: Set<string>
  backoff: Backoff
  images_collected_at: number
}

interface Pass extends CleanupDeps {
  closing: AbortSignal
  host: Host
  state: HostState
}

export function openCleanup(deps: CleanupDeps, closing: AbortSignal): Cleanup {
  const states = new Map<string, HostState>()
  const running = new Map<string, Promise<void>>()
  const stateOf = (name: string) => {
    const known = states.get(name)
    if (known) return known
    const state: HostState = {
      suspected: new Set<string>(),
      next_index: 0,
      network_app_ids: new Set<string>(),
      backoff: openBackoff(),
      images_collected_at: performance.now(),
    }
    states.set(name, state)
    return state
  }
  return {
    start(host, observed) {
      if (running.has(host.name)) return
      const pass = { ...deps, closing, host, state: stateOf(host.name) }
      const done = cleanHost(pass, observed)
        .catch((error: Error) => {
          if (!closing.aborted) deps.log.warn({ host: host.name, error: error.message }, 'the cleanup of a host failed')
        })
        .finally(() => running.delete(host.name))
      running.set(host.name, done)
    },
    async idle() {
      await Promise.all(running.values())
    },
  }
}

async function cleanHost(pass: Pass, observed: readonly Observed[]) {
  const { state, timing } = pass
  await removeOrphans(pass, observed)
  await removeUnusedNetworks(pass)
  if (performance.now() - state.images_collected_at < timing.image_collection_seconds * 1000) return
  state.images_collected_at = performance.now()
  await removeUnusedImages(pass)
}

/** The instances to check in this pass: those that the previous pass suspected, and the next slice of all others. */
function selectInstances({ state }: Pass, observed: readonly Observed[]) {
  if (observed.length <= checked_max) return observed
  const from = state.next_index % observed.length
  state.next_index = from + checked_max
  const slice = new Set([...observed, ...observed].slice(from, from + checked_max))
  return observed.filter((instance) => slice.has(instance) || state.suspected.has(instanceKey(instance)))
}

/** Removes orphans and stale copies; removes nothing if there are implausibly many. */
async function removeOrphans(pass: Pass, observed: readonly Observed[]) {
  const { db, clock, log, timing, host, state } = pass
  const checked = selectInstances(pass, observed)
  // Read after the observation: an instance without a row now has no deployment.
  const known = await findKnown(db, [...new Set(checked.map(({ id }) => id))])
  const found = findOrphans({
    host: host.name,
    observed: checked,
    known,
    suspected: state.suspected,
    now: clock(),
    orphan_seconds: timing.orphan_seconds,
  })
  state.suspected = found.suspected
  if (found.too_many)
    log.error(
      { host: host.name, observed: checked.length, suspected: found.suspected.size },
      'too many containers belong to no deployment: the database may be the wrong one, so none is removed',
    )
  const due = [...found.remove, ...found.stale_copies].filter(
    (instance) => !state.backoff.isPostponed(instanceKey(instance)),
  )
  await forEachItem(due.slice(0, removed_max), (orphan) => removeOrphan(pass, orphan), { at_once: concurrency })
}

async function removeOrphan(pass: Pass, orphan: Observed) {
  const { closing, log, host, state } = pass
  const { id: workload, generation, replica, app_id } = orphan
  const fields = { host: host.name, deployment_id: workload, generation, replica }
  await withBackoff(pass, instanceKey(orphan), fields, async () => {
    await withDeadline(call_seconds, closing, (signal) => host.engine.remove({ workload, generation, replica }, signal))
    state.network_app_ids.add(app_id)
    log.info(fields, 'an orphaned container was removed')
  })
}

/** Removes the networks of apps whose last container on the host was an orphan. */
async function removeUnusedNetworks(pass: Pass) {
  const { db, closing, host, state } = pass
  const due = [...state.network_app_ids].filter((app_id) => !state.backoff.isPostponed(app_id))
  if (due.length === 0) return
  const used = new Set((await findAppsOnHost(db, host.name, due)).map(({ app_id }) => app_id))
  await forEachItem(due, (app_id) =>
    withBackoff(pass, app_id, { host: host.name, app_id }, async () => {
      // The engine keeps a network that another orphan still uses; removing that orphan adds the app again.
      if (!used.has(app_id))
        await withDeadline(call_seconds, closing, (signal) => host.engine.remove({ network_of_app: app_id }, signal))
      state.network_app_ids.delete(app_id)
    }),
  )
}

/** Runs one removal. A failure is logged and postpones that item only. */
async function withBackoff(
  { closing, log, state: { backoff } }: Pass,
  key: string,
  fields: Record<string, unknown>,
  remove: () => Promise<void>,
) {
  try {
    await remove()
    backoff.reset(key)
  } catch (error) {
    if (closing.aborted) throw error
    const seconds = backoff.recordFailure(key)
    log.warn(
      { ...fields, seconds, error: (error as Error).message },
      'an orphaned container or network could not be removed',
    )
  }
}

/** Removes a bounded number of images that the platform pulled and no deployment needs. An image in use is checked again later. */
async function removeUnusedImages({ db, clock, log, timing, closing, host }: Pass) {
  const used_before = secondsAfter(clock(), -timing.unused_image_seconds)
  const unused = await findUnusedImages(db, { target: host.name, used_before, rows_max: images_max })
  const [error] = await forEachItem(unused, async ({ image }) => {
    const fields = { host: host.name, image }
    try {
      const removal = await withDeadline(call_seconds, closing, (signal) => host.engine.remove({ image }, signal))
      if (removal === 'gone') {
        await deleteImage(db, host.name, image)
        log.info(fields, 'an unused image was removed')
        return
      }
      log.info(fields, 'an image that no deployment needs is in use and stays')
    } catch (error) {
      if (closing.aborted) throw error
      log.warn({ ...fields, error: (error as Error).message }, 'an image could not be removed')
    }
    await postponeImage(db, host.name, image, clock())
  })
  if (error !== undefined) throw error as Error
}
