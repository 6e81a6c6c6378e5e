import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { closingBalances, readSeries, type SeriesQuery } from './series.rules.ts'
import { countDays, listPeriods } from './series.store.ts'

interface SeriesDeps {
  db: Database
  clock: Clock
}

/** An app's earned and refunded points, and its balance, by day or month (D-99). Fails with `validation_failed`. */
export async function getAppSeries({ db, clock }: SeriesDeps, app_id: string, query: SeriesQuery) {
  const span = readSeries(query, clock())
  return { unit: span.unit, periods: closingBalances(await listPeriods(db.adHoc, app_id, span)) }
}

/** Transfers counted per transaction, and transactions per run of the job. */
const batch_size = 50_000
const batches_max = 200

/** Adds new transfers to the days of apps. Bounded, and safe to run concurrently. */
export async function countNewDays({ db }: { db: Database }) {
  for (let turn = 0; turn < batches_max; turn++) {
    const counted = await db.transaction((tx) => countDays(tx, batch_size))
    if (counted < batch_size) return
  }
}
