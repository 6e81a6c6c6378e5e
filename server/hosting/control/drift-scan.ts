import type { Sql } from '../../platform/postgres/database.ts'
import type { Observed } from '../engine/engine.ts'
import { findLive, listLive, type LiveDeployment } from './drift.store.ts'

/** What hosts run, by name of host and then by deployment; undefined: the host could not be asked. */
export type HostObservations = ReadonlyMap<string, HostObservation | undefined>
export interface HostObservation {
  all: readonly Observed[]
  by_deployment: ReadonlyMap<string, readonly Observed[]>
}

/** So many rows are read in one sweep, beside those of what changed. Up to as many, every sweep looks at all. */
const page_rows = 1_000

/**
 * Which deployments a sweep looks at: those of which hosts show something else than before, at once, and a page of all
 * others, so that in the end each is looked at whatever was missed.
 */
export function openDriftScan(db: Sql) {
  let after: string | null = null
  let shown = new Map<string, ReadonlyMap<string, string>>()
  /** To be looked at again: in the last look somebody was at work on them. */
  const again = new Set<string>()

  function noteChanges(views: HostObservations) {
    const before = shown
    shown = new Map()
    for (const [host, view] of views) {
      if (!view) continue
      const now = new Map([...view.by_deployment].map(([id, instances]) => [id, JSON.stringify(instances)]))
      const then = before.get(host) ?? new Map<string, string>()
      for (const id of new Set([...then.keys(), ...now.keys()])) if (then.get(id) !== now.get(id)) again.add(id)
      shown.set(host, now)
    }
  }

  async function readChanged(read: ReadonlySet<string>) {
    const rows: LiveDeployment[] = []
    const ids = [...again].filter((id) => !read.has(id))
    for (let from = 0; from < ids.length; from += page_rows)
      rows.push(...(await findLive(db, ids.slice(from, from + page_rows))))
    return rows
  }

  return {
    /** The rows to look at now, after these observations. */
    async next(views: HostObservations): Promise<LiveDeployment[]> {
      noteChanges(views)
      const page = await listLive(db, { after, rows_max: page_rows })
      const rows = [...page, ...(await readChanged(new Set(page.map(({ id }) => id))))]
      after = page.length < page_rows ? null : (page.at(-1)?.id ?? null)
      const changed = new Set(again)
      again.clear()
      for (const { id, is_leased, is_idle } of rows) if (changed.has(id) && (is_leased || !is_idle)) again.add(id)
      return rows
    },
    /** Has these looked at in the next sweep too. */
    lookAgain(ids: readonly string[]) {
      for (const id of ids) again.add(id)
    },
  }
}
