import type { Clock } from '../kit/clock.ts'
import type { Database } from '../kit/database.ts'
import type { Logger } from '../kit/log.ts'
import { secondsAfter } from '../kit/clock.ts'
import { EngineError, type Observed } from './engine/engine.ts'
import { openHealth } from './health.service.ts'
import { within, type Host, type Hosts } from './hosts.service.ts'
import { leaveLostHosts, leaveRetiredHosts, markUnknownOnRetired } from './hosts.store.ts'
import { makeDue } from './leases.store.ts'
import { nextStep, no_memory } from './reconciler.rules.ts'
import { findOrphans } from './sweep.rules.ts'
import { findLive, findUnusedImages, forgetImage, markUnknown, type SweptRow } from './sweep.store.ts'
import type { Timing } from './timing.rules.ts'

export interface SweepDeps {
  db: Database
  clock: Clock
  log: Logger
  hosts: Hosts
  timing: Timing
  /** Told when a sweep made deployments due. */
  wake(): void
}

export interface Sweeps {
  stop(): Promise<void>
}

/** What a host runs, by deployment too; undefined: it could not be asked. */
type View = { all: readonly Observed[]; of: ReadonlyMap<string, Observed[]> } | undefined

const images_max = 20
/** After a start, or a while without the database, other workers may have to say first that they are there. */
const steady_seconds_max = 60
const call_seconds = 60

/** Compares, every few seconds, what all hosts run with what is wanted. One at a time, however long one takes. */
export function startSweeps(deps: SweepDeps): Sweeps {
  const { log, timing } = deps
  const closing = new AbortController()
  const sweep = openSweep(deps, closing.signal)
  let latest = Promise.resolve()
  let timer: NodeJS.Timeout
  const next = () => {
    latest = sweep()
      .catch((error: Error) => {
        if (!closing.signal.aborted) log.warn({ error: error.message }, 'a sweep was broken off')
      })
      .then(() => {
        if (!closing.signal.aborted) timer = setTimeout(next, timing.sweep_seconds * 1000)
      })
  }
  timer = setTimeout(next, timing.sweep_seconds * 1000)
  return {
    async stop() {
      closing.abort()
      clearTimeout(timer)
      await latest
    },
  }
}

/** One sweep; made to be called again and again, since it remembers what it saw last. */
function openSweep(deps: SweepDeps, closing: AbortSignal) {
  const { db, clock, hosts, timing, wake } = deps
  const suspects = new Map<string, ReadonlySet<string>>()
  const health = openHealth({ db, clock, timing })
  let collected_at = performance.now()
  /** Since when sweeps reach the database each time. */
  let steady_since: number | undefined

  return async function sweep() {
    const since = steady_since ?? performance.now()
    steady_since = undefined
    const views = await observeAll(hosts)
    if (closing.aborted) return
    // Read after the observation: whoever is seen and is not here now has no row.
    const live = await findLive(db)
    await markUnknownWhereBlind(deps, views, live)
    const due = live.filter((row) => row.is_idle && !row.is_leased && needsWork(deps, views, row))
    if (due.length > 0) {
      await makeDue(
        db,
        due.map(({ id }) => id),
      )
      wake()
    }
    await leaveLost(deps)
    if (performance.now() - since >= Math.min(steady_seconds_max, timing.retired_seconds) * 1000)
      await leaveRetired(deps)
    steady_since = since
    await health.look(live.filter(({ host_server }) => host_server !== null && views.get(host_server) !== undefined))
    for (const host of hosts.all) {
      const seen = views.get(host.name)
      if (seen) await clearOrphans(deps, closing, { host, seen: seen.all, live, suspects })
    }
    if (performance.now() - collected_at < timing.collect_seconds * 1000) return
    collected_at = performance.now()
    for (const host of hosts.all) if (views.get(host.name)) await collectImages(deps, closing, host)
  }
}

async function observeAll({ all }: Hosts) {
  const views = await Promise.all(
    all.map(async (host): Promise<[string, View]> => {
      try {
        const all = await host.observe()
        return [host.name, { all, of: byDeployment(all) }]
      } catch (error) {
        if (error instanceof EngineError) return [host.name, undefined]
        throw error
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

async function markUnknownWhereBlind({ db }: SweepDeps, views: ReadonlyMap<string, View>, live: readonly SweptRow[]) {
  const blind = live.filter(
    ({ host_server, status, health_status }) =>
      host_server !== null &&
      views.has(host_server) &&
      views.get(host_server) === undefined &&
      (status === 'running' || status === 'deploying') &&
      health_status !== 'unknown',
  )
  if (blind.length > 0)
    await markUnknown(
      db,
      blind.map(({ id }) => id),
    )
}

function needsWork({ clock, timing, hosts }: SweepDeps, views: ReadonlyMap<string, View>, row: SweptRow) {
  const host = row.host_server === null ? undefined : hosts.find(row.host_server)
  const view = host && views.get(host.name)
  if (row.host_server !== null && !view) return false
  const mine = host?.counted(row, view?.of.get(row.id) ?? []) ?? []
  return nextStep(row, mine, { now: clock(), memory: no_memory, timing }).do !== 'nothing'
}

interface OrphanScene {
  host: Host
  seen: readonly Observed[]
  live: readonly SweptRow[]
  suspects: Map<string, ReadonlySet<string>>
}

/** Removes what belongs to nobody, or moved to another host; nothing at all when it would be incredibly much. */
async function clearOrphans(deps: SweepDeps, closing: AbortSignal, { host, seen, live, suspects }: OrphanScene) {
  const { clock, log, timing } = deps
  const found = findOrphans({
    host: host.name,
    seen,
    known: new Map(live.map((row) => [row.id, row])),
    suspected: suspects.get(host.name) ?? new Set(),
    now: clock(),
    orphan_seconds: timing.orphan_seconds,
  })
  suspects.set(host.name, found.suspected)
  if (found.refused)
    log.error(
      { host: host.name, observed: seen.length, suspected: found.suspected.size },
      'so many containers belong to no deployment that the database may be the wrong one: none is removed',
    )
  const removed = [...found.remove, ...found.strays]
  for (const { id, generation } of removed) {
    await within(call_seconds, closing, (signal) => host.engine.remove({ workload: id, generation }, signal))
    log.info(
      { host: host.name, deployment_id: id, generation },
      'a container that belongs to no deployment here was removed',
    )
  }
  const removed_keys = new Set(removed)
  for (const app_id of new Set(removed.map((instance) => instance.app_id))) {
    const is_used =
      seen.some((instance) => instance.app_id === app_id && !removed_keys.has(instance)) ||
      live.some((row) => row.app_id === app_id && row.host_server === host.name)
    if (!is_used)
      await within(call_seconds, closing, (signal) => host.engine.remove({ network_of_app: app_id }, signal))
  }
}

async function leaveLost({ db, log, timing, wake }: SweepDeps) {
  if (timing.replace_lost_seconds === 0) return
  const moved = await leaveLostHosts(db, timing.replace_lost_seconds)
  for (const { id, host_server } of moved)
    log.warn({ deployment_id: id, host: host_server }, 'a container host is lost: a deployment is placed anew')
  if (moved.length > 0) wake()
}

/** Does what is asked for of deployments whose host is configured nowhere any more without it. */
async function leaveRetired({ db, log, hosts, timing, wake }: SweepDeps) {
  const query = { own: hosts.names, retired_seconds: timing.retired_seconds }
  await markUnknownOnRetired(db, query)
  const left = await leaveRetiredHosts(db, { ...query, even_running: timing.replace_lost_seconds > 0 })
  for (const { id, host_server } of left)
    log.warn({ deployment_id: id, host: host_server }, 'a container host is configured nowhere: it is given up')
  if (left.length > 0) wake()
}

/** Removes images that we fetched and nobody needs any more, a bounded number. */
async function collectImages({ db, clock, log, timing }: SweepDeps, closing: AbortSignal, host: Host) {
  const used_before = secondsAfter(clock(), -timing.image_seconds)
  for (const { image } of await findUnusedImages(db, { target: host.name, used_before, rows_max: images_max })) {
    await within(call_seconds, closing, (signal) => host.engine.remove({ image }, signal))
    await forgetImage(db, host.name, image)
    log.info({ host: host.name, image }, 'an image that nobody needs was removed')
  }
}
