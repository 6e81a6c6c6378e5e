import { secondsAfter } from '../platform/clock.ts'
import { firstId } from '../platform/ids.ts'
import { circulationAt } from '../points/circulation.service.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Clock } from '../platform/clock.ts'
import { countFailedJobs } from '../platform/failed-jobs.ts'
import type { Database } from '../platform/postgres/database.ts'
import {
  completeDay,
  countActivePeople,
  findRegistrations,
  listCountedDays,
  purgeDays,
  recordDay,
} from './figures.store.ts'
import type { AdminDeps } from './service.ts'
import { countPending } from './store.ts'

const day_seconds = 86_400
const days_shown = 30
const { figures_kept_days } = decisions.admin_lists
/** Limits the cost of each count. */
const counted_max = 10_000

const nameOf = (day: Date) => day.toISOString().slice(0, 10)

/**
 * Counts the people who were active today, failed jobs and open decisions. Repeated during the day, because only the
 * last use of a session is stored; soon after midnight it also completes the previous day.
 */
export async function countDay({ db, clock }: { db: Database; clock: Clock }) {
  const now = clock()
  const today = new Date(nameOf(now))
  const [yesterday, tomorrow] = [secondsAfter(today, -day_seconds), secondsAfter(today, day_seconds)]
  const activeOf = (since: Date, until: Date) => countActivePeople(db.adHoc, { since, until })
  await completeDay(db, { day: nameOf(yesterday), active_people: await activeOf(yesterday, today) })
  const pending = await countPending(db, counted_max, clock())
  await recordDay(db, {
    day: nameOf(today),
    active_people: await activeOf(today, tomorrow),
    failed_jobs: await countFailedJobs(db),
    open_decisions: Object.values(pending).reduce((sum, count) => sum + count, 0),
  })
  await purgeDays(db, nameOf(secondsAfter(today, -figures_kept_days * day_seconds)))
}

/** People, points and open work of the last days, from counters, balances at the ends of days, and counted days. */
export async function getFigures({ accounts: { db, clock } }: AdminDeps) {
  const now = clock()
  const today = new Date(nameOf(now))
  const starts = Array.from({ length: days_shown + 1 }, (_, at) =>
    secondsAfter(today, (at + 1 - days_shown) * day_seconds),
  )
  const [registered, balances, counted] = await Promise.all([
    findRegistrations(db, starts.map(firstId)),
    circulationAt(db, starts),
    listCountedDays(db, starts[0]!),
  ])
  const counted_days = new Map(counted.map((one) => [one.day, one]))
  const days = starts.slice(0, days_shown).map((start, at) => {
    const kept = counted_days.get(nameOf(start))
    return {
      day: nameOf(start),
      signups: registered[at + 1]! - registered[at]!,
      active_people: kept?.active_people ?? null,
      issued: balances[at + 1]!.issued - balances[at]!.issued,
      spent: kept?.spent ?? 0,
      in_circulation: balances[at + 1]!.in_circulation,
      failed_jobs: kept?.failed_jobs ?? null,
      open_decisions: kept?.open_decisions ?? null,
    }
  })
  return { registrations: registered.at(-1)!, in_circulation: balances.at(-1)!.in_circulation, days }
}
