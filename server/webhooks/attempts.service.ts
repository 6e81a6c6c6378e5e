import { decisions } from '../../contract/decisions.ts'
import { createBatcher } from '../platform/batching/batcher.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { Receiver } from '../platform/safe-post.ts'
import { recordAttempts, type AttemptResult, type DueDelivery } from './dispatch.store.ts'
import { noticeSwitchedOff } from './notices.service.ts'
import type { RequestOf } from './requests.service.ts'
import { attemptError, keptAnswer, nextAttemptAt, status_gone } from './rules.ts'
import { lockAppOf, switchOffFailing } from './store.ts'
import type { Turn } from './turn.service.ts'

interface AttemptsDeps {
  db: Database
  clock: Clock
  random: () => number
}

/** Attempts at deliveries. Their results are written in batches. */
export interface Attempts {
  /** Sends a delivery once and writes the result; writes nothing if a stop aborted the request. */
  make(turn: Turn, delivery: DueDelivery, requestOf: RequestOf): Promise<void>
  drain(): Promise<void>
}

const { off_after_days } = decisions.webhooks

export function openAttempts(deps: AttemptsDeps, aborted: AbortSignal): Attempts {
  const { clock, random } = deps
  const record = createBatcher<AttemptResult, void>({
    run: async (results) => {
      await writeResults(deps, results)
      return results.map(() => undefined)
    },
    name: 'webhook_attempts',
    batch_max: 256,
    queue_max: 16_384,
  })
  return {
    drain: () => record.drain(),
    async make(turn, delivery, requestOf) {
      const started_at = clock()
      const began_ms = performance.now()
      const attempted = await send(turn.receiver, () => requestOf(delivery, started_at), aborted)
      if (!attempted) return
      const { retry_after, ...outcome } = attempted
      const success = outcome.status_code !== null && outcome.status_code >= 200 && outcome.status_code < 300
      turn.note(success)
      await record({
        ...outcome,
        webhook_id: turn.webhook_id,
        delivery_id: delivery.id,
        tries: delivery.tries,
        started_at,
        duration_ms: Math.round(performance.now() - began_ms),
        success,
        next_attempt_at: success
          ? null
          : nextAttemptAt({ now: clock(), attempts: delivery.tries + 1, retry_after, random: random() }),
      })
    },
  }
}

/** Sends one request; undefined if it was aborted, so that its outcome is unknown. */
async function send(receiver: Receiver, makeRequest: () => ReturnType<RequestOf>, aborted: AbortSignal) {
  try {
    const { body, headers } = await makeRequest()
    const answer = await receiver.post(body, headers, aborted)
    const { status: status_code, retry_after } = answer
    return { status_code, retry_after, error: null, answer: keptAnswer(answer.body) }
  } catch (error) {
    if (aborted.aborted) return undefined
    return { status_code: null, retry_after: undefined, error: attemptError(error), answer: null }
  }
}

/** Writes results, and switches off webhooks that are gone or have failed for too long. */
async function writeResults({ db, clock }: AttemptsDeps, results: AttemptResult[]) {
  const now = clock()
  const failing_before = secondsAfter(now, -off_after_days * 86_400)
  const failing = await db.transaction((tx) => recordAttempts(tx, { now, failing_before }, results))
  const gone = new Set(results.flatMap((result) => (result.status_code === status_gone ? [result.webhook_id] : [])))
  for (const id of new Set([...failing, ...gone])) {
    const is_gone = gone.has(id)
    await db.transaction(async (tx) => {
      // Locked before the webhook, in the same order as in operations of its people.
      await lockAppOf(tx, id)
      if (!(await switchOffFailing(tx, id, { now, failing_before: is_gone ? now : failing_before }))) return
      await noticeSwitchedOff(tx, id, { is_gone, now })
    })
  }
}
