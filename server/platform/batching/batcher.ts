import { isLockTimeout } from '../postgres/errors.ts'
import { Failure } from '../failure.ts'
import { BlockedCalls, type BlockedCallsOptions } from './blocked-calls.ts'
import type { RowLocks } from './row-locks.ts'

export interface BatcherOptions<Call, Answer> {
  /** Carries out a batch in order and answers each call: with its answer, or with the error that only this caller gets. */
  run(batch: Call[]): Promise<(Answer | Error)[]>
  batch_max: number
  /** Calls that may wait beside the batch in flight; one more is refused with `overloaded`. */
  queue_max: number
  /**
   * How many calls must wait for a second batch to be sent while the first is still in flight, so that the database
   * need not wait for us in between. Only where `run` keeps the order of batches by itself (one pipelined connection).
   */
  send_ahead_at?: number
  /** What each caller of a batch gets when `run` itself throws. */
  failed?: (error: unknown, call: Call) => unknown
  /**
   * The rows for which a call may have to wait, for a `run` that fails with `isLocked`, having done nothing, after a
   * short wait: a batch that met a lock is sent again without the calls that need the locked row. Those wait by
   * themselves, and fail with `overloaded` after a second.
   */
  locks?: CallLocks<Call>
}

export interface CallLocks<Call> extends RowLocks {
  keysOf(call: Call): string[]
}

export interface Batcher<Call, Answer> {
  (call: Call): Promise<Answer>
  /** Resolves when nothing waits and nothing is in flight. */
  drain(): Promise<void>
}

interface QueuedCall<Call, Answer> {
  call: Call
  resolve(answer: Answer): void
  reject(error: unknown): void
  refused_at?: number
}

/**
 * Calls that arrive while a batch is in flight form the next batch; a lone call waits for nothing.
 * Order of arrival is kept, a refused call does not disturb its neighbours, and the queue is bounded:
 * beyond `queue_max` a call fails with `overloaded`.
 */
export function createBatcher<Call, Answer>(options: BatcherOptions<Call, Answer>): Batcher<Call, Answer> {
  const { run, batch_max, queue_max, send_ahead_at = Infinity, failed = (error) => error } = options
  let waiting: QueuedCall<Call, Answer>[] = []
  const in_flight = new Set<Promise<void>>()
  const aside = options.locks && putAside(options.locks, { calls_max: queue_max / 4, release, send: carryOut })

  function release(calls: QueuedCall<Call, Answer>[]) {
    waiting = [...calls, ...waiting]
    send()
  }

  /** Sends what waits: at once where nothing is in flight, a second batch ahead once enough wait for it. */
  function send() {
    while (waiting.length > 0 && (in_flight.size === 0 || (in_flight.size === 1 && waiting.length >= send_ahead_at))) {
      const batch = waiting.slice(0, batch_max)
      waiting = waiting.slice(batch_max)
      const sent = carryOut(batch).finally(() => {
        in_flight.delete(sent)
        send()
      })
      in_flight.add(sent)
    }
  }

  async function carryOut(batch: QueuedCall<Call, Answer>[], times_sent = 1): Promise<void> {
    try {
      settle(batch, await run(batch.map(({ call }) => call)))
    } catch (error) {
      if (aside && isLockTimeout(error)) return aside.resend(batch, times_sent)
      for (const { call, reject } of batch) reject(failed(error, call))
    }
  }

  function call(input: Call): Promise<Answer> {
    if (waiting.length >= queue_max)
      return Promise.reject(new Failure('overloaded', { waiting: waiting.length }, { retry_after_seconds: 1 }))
    return new Promise((resolve, reject) => {
      const next = { call: input, resolve, reject }
      if (aside?.holdIfBlocked(next)) return
      waiting.push(next)
      send()
    })
  }

  return Object.assign(call, {
    async drain() {
      do {
        while (in_flight.size > 0) await Promise.all(in_flight)
        await aside?.drain()
      } while (in_flight.size > 0)
    },
  })
}

function putAside<Call, Answer>(
  { keysOf, ...locks }: CallLocks<Call>,
  ways: Pick<BlockedCallsOptions<QueuedCall<Call, Answer>>, 'calls_max' | 'release' | 'send'>,
) {
  return new BlockedCalls<QueuedCall<Call, Answer>>({
    ...ways,
    locks,
    keysOf: ({ call }) => keysOf(call),
    refuse: ({ reject }) =>
      reject(new Failure('overloaded', { why: 'another transaction keeps a row locked' }, { retry_after_seconds: 1 })),
  })
}

function settle<Call, Answer>(batch: QueuedCall<Call, Answer>[], answers: (Answer | Error)[]) {
  if (answers.length !== batch.length) throw new Error(`a batch of ${batch.length} got ${answers.length} answers`)
  for (const [at, { resolve, reject }] of batch.entries()) {
    const answer = answers[at] as Answer | Error
    if (answer instanceof Error) reject(answer)
    else resolve(answer)
  }
}
