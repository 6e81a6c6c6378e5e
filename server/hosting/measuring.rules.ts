import { decisions } from '../../contract/decisions.ts'

/** Workers and routers measure in slots of this length, and the API reads them (D-104). */
export const { slot_seconds } = decisions.deployment_upkeep

/** The start of the slot that contains this time. */
export const slotOf = (time: Date) => new Date(Math.floor(time.getTime() / (slot_seconds * 1000)) * slot_seconds * 1000)

/** Upper bounds of the latency counts, in milliseconds. One more count covers longer requests. */
export const latency_bounds_ms = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

/** The index of the count for a latency. */
export function latencyPlace(ms: number) {
  const place = latency_bounds_ms.findIndex((bound) => ms <= bound)
  return place < 0 ? latency_bounds_ms.length : place
}

/**
 * The latency in milliseconds that this share of the requests did not exceed. Interpolates linearly between two bounds;
 * returns the highest bound for longer requests. Null without requests.
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
