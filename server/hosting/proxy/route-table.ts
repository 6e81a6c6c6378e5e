import type { Sql } from '../../platform/postgres/database.ts'
import type { Logger } from '../../platform/log.ts'
import { destinationOf, namesOf, type Destination, type RouteRow } from './routing.rules.ts'
import { findRoutes, listRoutes } from './routes.store.ts'

export interface Route {
  row: RouteRow
  destination: Destination
}

/**
 * Which deployment answers under which name, as far as the table `deployments` was read. It is all in memory, so that
 * an unknown name costs no query and known ones answer while the database is away.
 */
export interface RouteTable {
  /** The route of a name in small letters. */
  find(name: string): Route | undefined
  /** The route of a deployment. */
  get(deployment_id: string): Route | undefined
  /** Something was announced of this deployment: reads it again. Resolves when that is done, or failed. */
  refresh(deployment_id: string): Promise<void>
  /** Reads everything again. Resolves when that is done, or failed. */
  reload(): Promise<void>
  /** Resolves at the next change of this deployment's route, at the latest after `ms` or when `signal` says so. */
  nextChange(deployment_id: string, ms: number, signal: AbortSignal): Promise<void>
  /** Has `effect` told of every deployment whose route changed or went. */
  onChange(effect: (deployment_id: string, route: Route | undefined) => void): void
  size(): number
  /** When everything was last read, in milliseconds of `Date.now`; 0 before the first time. */
  loadedAt(): number
}

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
  const waiting = openWaiting()
  const effects: ((deployment_id: string, route: Route | undefined) => void)[] = []

  function changed(id: string) {
    const route = index.get(id)
    for (const effect of effects) survive(id, () => effect(id, route))
    waiting.wake(id)
  }

  /** What goes wrong with one deployment keeps no other from being reached. */
  function survive(deployment_id: string, work: () => void) {
    try {
      work()
    } catch (error) {
      log.error({ deployment_id, err: error }, 'a change of a route was not carried out in full')
    }
  }

  async function readSome(ids: string[]) {
    const rows = await findRoutes(db, ids)
    for (const id of ids) index.drop(id)
    for (const row of rows) survive(row.id, () => index.put(row))
    for (const id of ids) changed(id)
  }

  async function readAll() {
    const rows: RouteRow[] = []
    for (let after: string | null = null; ;) {
      const page: RouteRow[] = await listRoutes(db, { after, rows_max: page_rows })
      rows.push(...page.filter(({ desired }) => desired !== 'destroyed'))
      if (page.length < page_rows) break
      after = page.at(-1)?.id ?? null
    }
    const before = index
    const next = newIndex(apps_domain)
    for (const row of rows) survive(row.id, () => next.put(row))
    index = next
    loaded_at = Date.now()
    for (const id of new Set([...before.ids(), ...index.ids()]))
      if (!isSame(before.get(id)?.row, index.get(id)?.row)) changed(id)
  }

  const reading = inTurn(async (all, ids) => {
    try {
      await (all ? readAll() : readSome(ids))
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'routes could not be read: those known are kept')
    }
  })

  return {
    find: (name) => index.find(name),
    get: (id) => index.get(id),
    refresh: (id) => reading.ask(id),
    reload: () => reading.ask(undefined),
    nextChange: waiting.next,
    onChange: (effect) => {
      effects.push(effect)
    },
    size: () => index.size(),
    loadedAt: () => loaded_at,
  }
}

/** Routes by deployment and by name. */
function newIndex(apps_domain: string) {
  const routes = new Map<string, Route>()
  const names = new Map<string, string>()
  return {
    find: (name: string) => routes.get(names.get(name) ?? ''),
    get: (id: string) => routes.get(id),
    ids: () => routes.keys(),
    size: () => routes.size,
    put(row: RouteRow) {
      routes.set(row.id, { row, destination: destinationOf(row) })
      for (const name of namesOf(row, apps_domain)) names.set(name, row.id)
    },
    drop(id: string) {
      const route = routes.get(id)
      if (!route) return
      routes.delete(id)
      // A name may have gone to another deployment meanwhile.
      for (const name of namesOf(route.row, apps_domain)) if (names.get(name) === id) names.delete(name)
    },
  }
}

/** Those who wait for something to happen to a deployment. */
function openWaiting() {
  const waiting = new Map<string, Set<() => void>>()
  return {
    wake(id: string) {
      for (const wake of waiting.get(id) ?? []) wake()
    },
    next: (id: string, ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const waiters = waiting.get(id) ?? new Set()
        const wake = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          waiters.delete(wake)
          if (waiters.size === 0 && waiting.get(id) === waiters) waiting.delete(id)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        waiting.set(id, waiters.add(wake))
        if (signal.aborted) wake()
        else signal.addEventListener('abort', wake)
      }),
  }
}

const isSame = (a: RouteRow | undefined, b: RouteRow | undefined) => JSON.stringify(a) === JSON.stringify(b)

/**
 * One reading after the other, so that an older one never overwrites a newer. What is asked for while one is under way
 * is read together next.
 */
function inTurn(read: (all: boolean, ids: string[]) => Promise<void>) {
  let wanted: { all: boolean; ids: Set<string> } | undefined
  let next: Promise<void> = Promise.resolve()
  return {
    ask(id: string | undefined): Promise<void> {
      if (!wanted) {
        const batch = { all: false, ids: new Set<string>() }
        wanted = batch
        next = next.then(() => {
          wanted = undefined
          return read(batch.all, [...batch.ids])
        })
      }
      if (id === undefined) wanted.all = true
      else wanted.ids.add(id)
      return next
    },
  }
}
