import type { Clock } from './clock.ts'
import { clocks_apart, isTooFarAhead, secondsAfter } from './clock.ts'
import { allValues, countRows, type Database, type Sql } from './postgres/database.ts'
import { createBatcher } from './batching/batcher.ts'
import type { RowLocks } from './batching/row-locks.ts'

export interface Count {
  /** Calls in this window, including this one. */
  count: number
  resets_at: Date
}

/** Counts calls by key in fixed windows, in the database: all instances share the counts, and a restart keeps them (D-05). */
export interface RateCounter {
  hit(key: string, seconds: number): Promise<Count>
  /** Reads the counts of these windows without counting a call; undefined for a key without a current window. */
  peek(windows: readonly Window[]): Promise<(Count | undefined)[]>
  drain(): Promise<void>
}

interface Window {
  key: string
  seconds: number
}

/** Hits that arrive together are counted in one statement. */
export function openRateCounter(db: Database, clock: Clock): RateCounter {
  const connection = db.pipelinedConnection()
  const batcher = createBatcher<Window, Count>({
    name: 'rate_limits',
    run: (hits) => countHits(connection, clock(), hits),
    batch_max: 512,
    queue_max: 8_192,
    locks: { keysOf: ({ key }) => [key], ...countLocks(db.locks) },
  })
  return {
    hit: (key, seconds) => batcher({ key, seconds }),
    peek: (windows) => findCounts(db, clock(), windows),
    drain: () => batcher.drain(),
  }
}

/** Counts a batch. Each key's row is written once, in key order, so that batches of several processes cannot deadlock. */
async function countHits(db: Sql, now: Date, hits: Window[]): Promise<Count[]> {
  const sums = new Map<string, { hits: number; resets_at: Date }>()
  for (const { key, seconds } of hits) {
    const sum = sums.get(key)
    if (sum) sum.hits++
    else sums.set(key, { hits: 1, resets_at: secondsAfter(now, seconds) })
  }
  const entries = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = await addHits(db, now, entries)
  const counted = new Map(rows.map((row) => [row.key, { next: row.count - sums.get(row.key)!.hits, ...row }]))
  return hits.map(({ key }) => {
    const row = counted.get(key)!
    return { count: ++row.next, resets_at: row.resets_at }
  })
}

const addHits = (db: Sql, now: Date, entries: [string, { hits: number; resets_at: Date }][]) =>
  db.sql<{ key: string; count: number; resets_at: Date }>`
    insert into rate_limits as r (key, count, resets_at)
    select * from unnest(
      ${entries.map(([key]) => key)}::text[],
      ${entries.map(([, { hits }]) => hits)}::integer[],
      ${entries.map(([, { resets_at }]) => resets_at)}::timestamptz[]
    )
    on conflict (key) do update
       set count = least(1000000000, case when r.resets_at <= ${now} or r.resets_at > excluded.resets_at + ${clocks_apart}::interval
                                          then excluded.count else r.count + excluded.count end),
           resets_at = case when r.resets_at <= ${now} or r.resets_at > excluded.resets_at + ${clocks_apart}::interval
                            then excluded.resets_at else r.resets_at end
    returning key, count, resets_at`

/** A limit of calls under a key, in a window that starts with the first call. */
export interface Bound {
  key: string
  seconds: number
  max: number
}

/**
 * Counts a call under each key. If one of them has reached its limit, counts it under none and fails with the error that `refusal` makes
 * from the window that ends last. Parallel calls wait for each other, so that exactly as many succeed as the limits allow.
 */
export const countWithin = (
  db: Database,
  now: Date,
  bounds: readonly Bound[],
  refusal: (reached: Count) => Error,
): Promise<void> =>
  db.transaction(async (tx) => {
    const maxima = new Map(bounds.map(({ key, max }) => [key, max]))
    const entries = bounds
      .map(({ key, seconds }): [string, { hits: number; resets_at: Date }] => [
        key,
        { hits: 1, resets_at: secondsAfter(now, seconds) },
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const counted = await addHits(tx, now, entries)
    const [reached] = counted
      .filter(({ key, count }) => count > maxima.get(key)!)
      .sort((a, b) => b.resets_at.getTime() - a.resets_at.getTime())
    // Rolls the count back.
    if (reached) throw refusal(reached)
  })

/** Reverts a count of `countWithin`. A window without a call has not started. */
export const uncount = (db: Sql, now: Date, bounds: readonly Bound[]) =>
  db.sql`
    with counted as (
      select key from rate_limits
       where key = any(${bounds.map(({ key }) => key)}::text[]) and resets_at > ${now} and count > 0
       order by key collate "C" for update
    )
    update rate_limits r
       set count = r.count - 1, resets_at = case when r.count = 1 then ${now} else r.resets_at end
      from counted c
     where r.key = c.key`

async function findCounts(db: Sql, now: Date, windows: readonly Window[]) {
  const rows = await db.sql<Count & { key: string }>`
    select key, count, resets_at from rate_limits where key = any(${windows.map(({ key }) => key)}::text[]) and resets_at > ${now}`
  return windows.map(({ key, seconds }) =>
    rows.find((row) => row.key === key && !isTooFarAhead(row.resets_at, now, seconds)),
  )
}

/** Finds and awaits the row locks that `addHits` needs. */
const countLocks = (db: Sql): RowLocks => ({
  async findLocked(keys) {
    return allValues(db.sql<{ key: string }>`
      with free as materialized (
        select key from rate_limits where key = any(${keys}::text[]) for no key update skip locked
      )
      select r.key from rate_limits r left join free on free.key = r.key
       where r.key = any(${keys}::text[]) and free.key is null`)
  },
  waitFor: (key) => db.sql`select from rate_limits where key = ${key} for no key update`,
})

/** Deletes up to `rows_max` expired windows; returns how many. */
export const purgeExpiredCounts = (db: Sql, now: Date, rows_max: number): Promise<number> =>
  countRows(db.sql`
    delete from rate_limits
     where key = any(array(
       select key from rate_limits where resets_at <= ${now}
        order by resets_at limit ${rows_max} for update skip locked))
    returning key`)
