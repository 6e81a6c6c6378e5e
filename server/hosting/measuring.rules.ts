import { decisions } from '../../contract/decisions.ts'

/** The measurements of workers and routers, which the API reads (D-104), belong to slots of this length. */
export const { slot_seconds } = decisions.deployment_upkeep

/** The beginning of the slot that holds this time. */
export const slotOf = (time: Date) => new Date(Math.floor(time.getTime() / (slot_seconds * 1000)) * slot_seconds * 1000)

/** Upper bounds of the counts of latencies, in milliseconds; the last count is of what took longer. */
export const latency_bounds_ms = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

/** The place of a latency among the counts. */
export function latencyPlace(ms: number) {
  const place = latency_bounds_ms.findIndex((bound) => ms <= bound)
  return place < 0 ? latency_bounds_ms.length : place
}

/**
 * The latency that this share of the requests did not exceed, in milliseconds: evenly spread between two bounds, and the highest bound for
 * what took longer. Null without requests.
 */
export function latencyBelow(share: number, counts: readonly number[]) {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = total * share
  for (const [place, count] of counts.entries()) {
    const [low = 0, high = low] = [latency_bounds_ms[place - 1], latency_bounds_ms[place]]
    if (count >= left) return Math.round((low + ((high - low) * left) / count) * 10) / 10
    left -= count
  }
  return latency_bounds_ms.at(-1)!
}
