import type { Sql } from '../../../platform/postgres/database.ts'
import type { Observed } from '../../engine/engine.ts'
import { listLive, type LiveDeployment } from './drift.store.ts'

/** The instances on hosts, by host name; undefined if the observation failed. */
export type HostObservations = ReadonlyMap<string, HostObservation | undefined>
export interface HostObservation {
  all: readonly Observed[]
  by_deployment: ReadonlyMap<string, readonly Observed[]>
}

/** Rows of one page. Every check reads all deployments if there are no more than this. */
const page_rows = 1_000

/**
 * Chooses the deployments of each drift check: those whose observation changed, and the next page of all others. A
 * missed change is found when its page is read.
 */
export function openDriftScan(db: Sql) {
  let after: string | null = null
  let last_observations = new Map<string, ReadonlyMap<string, string>>()
  /** Deployments to check again: they changed, or were leased in the last check. */
  const recheck_ids = new Set<string>()

  function recordChanges(observations: HostObservations) {
    const before = last_observations
    last_observations = new Map()
    for (const [host, observation] of observations) {
      if (!observation) continue
      const now = new Map([...observation.by_deployment].map(([id, instances]) => [id, JSON.stringify(instances)]))
      const then = before.get(host) ?? new Map<string, string>()
      for (const id of new Set([...then.keys(), ...now.keys()])) if (then.get(id) !== now.get(id)) recheck_ids.add(id)
      last_observations.set(host, now)
    }
  }

  async function readChanged(read: ReadonlySet<string>) {
    const rows: LiveDeployment[] = []
    const ids = [...recheck_ids].filter((id) => !read.has(id))
    for (let from = 0; from < ids.length; from += page_rows)
      rows.push(...(await listLive(db, { ids: ids.slice(from, from + page_rows) })))
    return rows
  }

  return {
    /** The rows to check after these observations. */
    async next(observations: HostObservations): Promise<LiveDeployment[]> {
      recordChanges(observations)
      const page = await listLive(db, { after, rows_max: page_rows })
      const rows = [...page, ...(await readChanged(new Set(page.map(({ id }) => id))))]
      after = page.length < page_rows ? null : (page.at(-1)?.id ?? null)
      const changed = new Set(recheck_ids)
      recheck_ids.clear()
      for (const { id, is_leased } of rows) if (changed.has(id) && is_leased) recheck_ids.add(id)
      return rows
    },
    /** Adds these to the next check. */
    recheck(ids: readonly string[]) {
      for (const id of ids) recheck_ids.add(id)
    },
  }
}
