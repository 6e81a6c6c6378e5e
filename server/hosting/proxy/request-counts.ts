import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { countRouterAnswer } from '../metrics.ts'
import { latencyPlace, latency_bounds_ms, slotOf, slot_seconds } from '../measuring.rules.ts'
import { addRequestCounts, type RequestCount } from './request-counts.store.ts'
import type { VisitorResponse } from './visitor-response.ts'

export interface RequestCounter {
  /** Counts an answered request. Cheap, and never fails. */
  count(deployment_id: string, status: number, ms: number): void
}

/** Maximum number and age of counts that wait for the database. */
const waiting_max = 20_000
const waiting_seconds = 600
const rows_max = 1_000

const noRequests = (deployment_id: string, at: Date): RequestCount => ({
  deployment_id,
  at,
  statuses: [0, 0, 0, 0],
  latencies: Array<number>(latency_bounds_ms.length + 1).fill(0),
})

/**
 * Counts the requests for each deployment in slots of 15 s (D-104), in memory, and writes new counts once per slot. No request waits for a
 * write. Counts that cannot be written for ten minutes are dropped. Counts may be added twice if the answer to a write is lost.
 */
export function openRequestCounts({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
  let waiting = new Map<string, RequestCount>()
  const count = (deployment_id: string, status: number, ms: number) => {
    const at = slotOf(clock())
    const key = `${deployment_id} ${at.getTime()}`
    let found = waiting.get(key)
    if (!found) {
      if (waiting.size >= waiting_max) return
      found = noRequests(deployment_id, at)
      waiting.set(key, found)
    }
    const place = Math.min(5, Math.max(2, Math.floor(status / 100))) - 2
    found.statuses[place]!++
    found.latencies[latencyPlace(ms)]!++
  }

  async function flush() {
    const taken = [...waiting.values()]
    waiting = new Map()
    for (let from = 0; from < taken.length; from += rows_max) {
      try {
        await addRequestCounts(db, taken.slice(from, from + rows_max))
      } catch (error) {
        log.debug({ error: (error as Error).message }, 'counts of requests were not written')
        return keepForLater(taken.slice(from))
      }
    }
  }

  /** Returns unwritten counts to memory, unless they are too old or too many. */
  function keepForLater(left: readonly RequestCount[]) {
    const oldest = clock().getTime() - waiting_seconds * 1000
    for (const { deployment_id, at, statuses, latencies } of left) {
      if (at.getTime() < oldest) continue
      const key = `${deployment_id} ${at.getTime()}`
      const since = waiting.get(key)
      if (since) {
        statuses.forEach((amount, place) => (since.statuses[place]! += amount))
        latencies.forEach((amount, place) => (since.latencies[place]! += amount))
      } else if (waiting.size < waiting_max) waiting.set(key, { deployment_id, at, statuses, latencies })
    }
  }

  let flushing: Promise<void> | undefined
  const flushOnce = () =>
    (flushing ??= flush().finally(() => {
      flushing = undefined
    }))
  const timer = setInterval(() => void flushOnce(), slot_seconds * 1000)
  return {
    count,
    flush: flushOnce,
    /** The slots that are not written yet. */
    waiting: () => waiting.size,
    /** Writes the remaining counts; they are lost if the database is unavailable. */
    async close() {
      clearInterval(timer)
      await flushing
      await flush()
    },
  }
}

/**
 * A listener that counts a response when it is closed, if it was sent. Its latency ends with the container's headers,
 * because a body may stream for hours.
 */
export const openResponseCounter = (counter: RequestCounter) =>
  function countIfSent(this: VisitorResponse) {
    const { headersSent, statusCode, is_own, deployment_id, began_at, answered_at } = this
    if (!headersSent) return
    countRouterAnswer(statusCode, is_own ? 'router' : 'container')
    if (deployment_id !== undefined)
      counter.count(deployment_id, statusCode, (answered_at || performance.now()) - began_at)
  }
