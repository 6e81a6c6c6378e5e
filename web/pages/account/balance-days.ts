import { useQuery } from '@tanstack/react-query'
import { myPointsHistory } from '../../../contract/points.ts'
import { callApi } from '../../api/call.ts'
import { keyOf } from '../../api/hooks.ts'
import type { Movement } from './movements.ts'

const pages_max = 20
const day_ms = 86_400_000

export interface BalanceDay {
  /** Midnight at which the day begins, where the reader is. */
  day: number
  /** The balance when the day ended. */
  balance: number
  earned: number
  spent: number
}

const dayOf = (moment: string | number) => new Date(moment).setHours(0, 0, 0, 0)

/** The midnights of the last days, the oldest first. Days have 23 or 25 hours twice a year. */
const lastDays = (count: number, now = Date.now()) =>
  Array.from({ length: count }, (_, at) => dayOf(dayOf(now) - (count - 1 - at) * day_ms + day_ms / 2))

/** Balance and movements by day, from what the newest movement left backwards. `movements` come newest first. */
function balanceDays(days: readonly number[], movements: readonly Movement[]): BalanceDay[] {
  const by_day = new Map<number, Movement[]>()
  for (const movement of movements) {
    const day = dayOf(movement.inserted_at)
    by_day.set(day, [...(by_day.get(day) ?? []), movement])
  }
  let balance = movements[0]?.points_after ?? 0
  return [...days]
    .reverse()
    .map((day) => {
      const here = by_day.get(day) ?? []
      const sum = (direction: Movement['direction']) =>
        here.reduce((total, movement) => total + (movement.direction === direction ? movement.amount : 0), 0)
      const one = { day, balance, earned: sum('in'), spent: sum('out') }
      balance -= one.earned - one.spent
      return one
    })
    .reverse()
}

async function readDays(count: number) {
  const days = lastDays(count)
  const [since = 0] = days
  const movements: Movement[] = []
  let cursor: string | null | undefined
  for (let pages = 0; pages < pages_max && cursor !== null; pages++) {
    const page: { data: Movement[]; next_cursor: string | null } = await callApi(myPointsHistory, {
      query: { limit: 100, ...(typeof cursor === 'string' && { cursor }) },
    })
    movements.push(...page.data)
    cursor = page.next_cursor
    if (Date.parse(movements.at(-1)?.inserted_at ?? '') < since) cursor = null
  }
  const read_since = typeof cursor === 'string' ? dayOf(movements.at(-1)?.inserted_at ?? since) + day_ms : since
  const known = days.filter((day) => day >= read_since)
  return { days: balanceDays(known, movements), complete: known.length === days.length }
}

/**
 * The balance at the end of each of the last days. Reads the history back to the first of them, or as many pages as a
 * chart is worth: `complete` is false where there were more, and the days before are left out.
 */
export const useBalanceDays = (count: number) =>
  useQuery({ queryKey: [...keyOf(myPointsHistory), 'days', count], queryFn: () => readDays(count) })
