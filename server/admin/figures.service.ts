import { secondsAfter } from '../platform/clock.ts'
import { firstId } from '../platform/ids.ts'
import { circulationAt } from '../points/circulation.service.ts'
import { findRegistrations, findSpentByDay } from './figures.store.ts'
import type { AdminDeps } from './service.ts'

const day_seconds = 86_400
const days_shown = 30

const nameOf = (day: Date) => day.toISOString().slice(0, 10)

/** People and points of the last days, from counters, balances at the ends of days, and the counted days of apps. */
export async function getFigures({ accounts: { db, clock } }: AdminDeps) {
  const now = clock()
  const today = new Date(nameOf(now))
  const starts = Array.from({ length: days_shown + 1 }, (_, at) =>
    secondsAfter(today, (at + 1 - days_shown) * day_seconds),
  )
  const [registered, balances, spent] = await Promise.all([
    findRegistrations(db, starts.map(firstId)),
    circulationAt(db, starts),
    findSpentByDay(db, starts[0]!),
  ])
  const days = starts.slice(0, days_shown).map((start, at) => ({
    day: nameOf(start),
    signups: registered[at + 1]! - registered[at]!,
    issued: balances[at + 1]!.issued - balances[at]!.issued,
    spent: spent.get(nameOf(start)) ?? 0,
    in_circulation: balances[at + 1]!.in_circulation,
  }))
  return { registrations: registered.at(-1)!, in_circulation: balances.at(-1)!.in_circulation, days }
}
