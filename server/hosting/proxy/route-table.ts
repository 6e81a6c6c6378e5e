import type { Sql } from '../../platform/postgres/database.ts'
import { createBatcher } from '../../platform/batching/batcher.ts'
import type { Logger } from '../../platform/log.ts'
import { destinationOf, hostnamesOf, type Destination, type RouteRow } from './routing.rules.ts'
import { findByNames, listRoutes } from './routes.store.ts'

export interface Route {
  row: RouteRow
  destination: Destination
}

/**
 * The routes of all deployments by hostname, from the table `deployments`. They are all in memory, so known hostnames
 * are served while the database is unavailable.
 */
export interface RouteTable {
  /** The route of a lower-case hostname. */
  find(hostname: string): Route | undefined
  get(deployment_id: string): Route | undefined
  /**
   * Searches the database for a deployment that is not in the table yet. Concurrent callers share one query. Also
   * resolves if the query fails.
   */
  findNew(hostname: string): Promise<void>
  /** Reloads the route of this deployment. Also resolves if that fails. */
  refresh(deployment_id: string): Promise<void>
  /** Reloads all routes. Also resolves if that fails. */
  reload(): Promise<void>
  /** Resolves at the next change of this deployment's route, after `ms`, or when `signal` aborts. */
  nextChange(deployment_id: string, ms: number, signal: AbortSignal): Promise<void>
  /** Calls `listener` for every deployment whose route changed or was removed. */
  onChange(listener: RouteListener): void
  size(): number
  /** The time of the last full load in milliseconds of `Date.now`; 0 before the first one. */
  loadedAt(): number
}

type RouteListener = (deployment_id: string, route: Route | undefined) => void

export interface RouteTableOptions {
  db: Sql
  log: Logger
  apps_domain: string
}

const page_rows = 2_000

/** An empty table; `reload` fills it. */
export function openRouteTable({ db, log, apps_domain }: RouteTableOptions): RouteTable {
  let index = newIndex(apps_domain)
  let loaded_at = 0
  const waiters = openWaiters()
  const listeners: RouteListener[] = []

  function notifyChange(id: string) {
    const route = index.get(id)
    for (const listener of listeners) logErrors(id, () => listener(id, route))
    waiters.wake(id)
  }

  /** An error of one deployment does not affect the routes of others. */
  function logErrors(deployment_id: string, work: () => void) {
    try {
      work()
    } catch (error) {
      log.error({ deployment_id, err: error }, 'a route change could not be applied completely')
    }
  }

  async function loadRoutes(ids: string[]) {
    const rows = await listRoutes(db, { ids })
    for (const id of ids) index.drop(id)
    for (const row of rows) logErrors(row.id, () => index.put(row))
    for (const id of ids) notifyChange(id)
  }

  async function loadAll() {
    const rows: RouteRow[] = []
    for (let after: string | null = null; ;) {
      const page: RouteRow[] = await listRoutes(db, { after, rows_max: page_rows })
      rows.push(...page)
      if (page.length < page_rows) break
      after = page.at(-1)?.id ?? null
    }
    const previous = index
    const next = newIndex(apps_domain)
    for (const row of rows) logErrors(row.id, () => next.put(row))
    index = next
    loaded_at = Date.now()
    for (const id of new Set([...previous.ids(), ...index.ids()]))
      if (!isSame(previous.get(id)?.row, index.get(id)?.row)) notifyChange(id)
  }

  const loader = serializeLoads(async (all, ids) => {
    try {
      await (all ? loadAll() : loadRoutes(ids))
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'routes could not be loaded: the previous ones stay in use')
    }
  })

  return {
    findNew: openNewcomers(db, apps_domain, loader.request),
    find: (hostname) => index.find(hostname),
    get: (id) => index.get(id),
    refresh: (id) => loader.request(id),
    reload: () => loader.request(undefined),
    nextChange: waiters.next,
    onChange: (listener) => {
      listeners.push(listener)
    },
    size: () => index.size(),
    loadedAt: () => loaded_at,
  }
}

/** Searches for deployments by hostname, and loads their routes. */
function openNewcomers(db: Sql, apps_domain: string, load: (id: string) => Promise<void>) {
  const suffix = `.${apps_domain}`
  const lookUp = createBatcher<string, void>({
    name: 'new_routes',
    run: async (subdomains) => {
      await Promise.all((await findByNames(db, [...new Set(subdomains)])).map(load))
      return subdomains.map(() => undefined)
    },
    batch_max: 100,
    queue_max: 1_000,
  })
  return async (hostname: string) => {
    const subdomain = hostname.endsWith(suffix) ? hostname.slice(0, -suffix.length) : ''
    if (subdomain !== '' && !subdomain.includes('.')) await lookUp(subdomain).catch(() => {})
  }
}

/** Routes by deployment and by hostname. */
function newIndex(apps_domain: string) {
  const routes = new Map<string, Route>()
  const hostnames = new Map<string, string>()
  return {
    find: (hostname: string) => routes.get(hostnames.get(hostname) ?? ''),
    get: (id: string) => routes.get(id),
    ids: () => routes.keys(),
    size: () => routes.size,
    /** A deployment that is to be destroyed has no route. */
    put(row: RouteRow) {
      if (row.desired === 'destroyed') return
      routes.set(row.id, { row, destination: destinationOf(row) })
      for (const hostname of hostnamesOf(row, apps_domain)) hostnames.set(hostname, row.id)
    },
    drop(id: string) {
      const route = routes.get(id)
      if (!route) return
      routes.delete(id)
      // The hostname may now belong to another deployment.
      for (const hostname of hostnamesOf(route.row, apps_domain))
        if (hostnames.get(hostname) === id) hostnames.delete(hostname)
    },
  }
}

/** Callers that wait for a change of a deployment's route. */
function openWaiters() {
  const by_id = new Map<string, Set<() => void>>()
  return {
    wake(id: string) {
      for (const wake of by_id.get(id) ?? []) wake()
    },
    next: (id: string, ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const waiters = by_id.get(id) ?? new Set()
        const wake = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          waiters.delete(wake)
          if (waiters.size === 0 && by_id.get(id) === waiters) by_id.delete(id)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        by_id.set(id, waiters.add(wake))
        if (signal.aborted) wake()
        else signal.addEventListener('abort', wake)
      }),
  }
}

const isSame = (a: RouteRow | undefined, b: RouteRow | undefined) => JSON.stringify(a) === JSON.stringify(b)

/** Runs loads one at a time, so that an older result never overwrites a newer one. Requests during a load are merged into the next one. */
function serializeLoads(load: (all: boolean, ids: string[]) => Promise<void>) {
  let pending: { all: boolean; ids: Set<string> } | undefined
  let next: Promise<void> = Promise.resolve()
  return {
    request(id: string | undefined): Promise<void> {
      if (!pending) {
        const batch = { all: false, ids: new Set<string>() }
        pending = batch
        next = next.then(() => {
          pending = undefined
          return load(batch.all, [...batch.ids])
        })
      }
      if (id === undefined) pending.all = true
      else pending.ids.add(id)
      return next
    },
  }
}
