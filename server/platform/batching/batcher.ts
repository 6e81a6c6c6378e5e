import { isLockTimeout } from '../postgres/errors.ts'
import { Failure } from '../failure.ts'
import { BlockedCalls, type BlockedCallsOptions } from './blocked-calls.ts'
import { batcherMetrics, type BatcherMetrics } from './metrics.ts'
import type { RowLocks } from './row-locks.ts'

export interface BatcherOptions<Call, Answer> {
  /** The subject of its calls, for the metrics: the same in every process. */
  name: string
  /** Executes a batch in order. Returns for each call its answer, or an error for that caller alone. */
  run(batch: Call[]): Promise<(Answer | Error)[]>
  batch_max: number
  /** The maximum of calls queued behind the batch in flight. Further calls fail with `overloaded`. */
  queue_max: number
  /**
   * A second batch is sent while the first is in flight once this many calls are queued, and at least as many as the
   * first batch has, so that the database need not wait for this process in between. A smaller second batch would cost
   * each of its calls more. Only for a `run` that keeps the order of batches (a pipelined connection).
   */
  send_ahead_at?: number
  /** The result for each caller of a batch when `run` itself throws. */
  failed?: (error: unknown, call: Call) => unknown
  /**
   * The rows that calls may have to wait for. Only for a `run` that fails with `isLockTimeout` after a short wait,
   * without any effect: such a batch is sent again without the calls that need the locked row. These are held until the
   * row is free, and fail with `overloaded` after a second.
   */
  locks?: CallLocks<Call>
}

export interface CallLocks<Call> extends RowLocks {
  keysOf(call: Call): string[]
}

export interface Batcher<Call, Answer> {
  (call: Call): Promise<Answer>
  /** True while a batch is in flight. */
  isBusy(): boolean
  /** Resolves when nothing is queued, held or in flight. */
  drain(): Promise<void>
}

interface QueuedCall<Call, Answer> {
  call: Call
  resolve(answer: Answer): void
  reject(error: unknown): void
  queued_at: number
  refused_at?: number
}

/**
 * Calls that arrive while a batch is in flight form the next batch; a call that arrives alone is sent immediately.
 * Calls keep their order of arrival, and a failed call does not affect the others of its batch. The queue is bounded:
 * beyond `queue_max`, a call fails with `overloaded`.
 */
export function createBatcher<Call, Answer>(options: BatcherOptions<Call, Answer>): Batcher<Call, Answer> {
  const { run, batch_max, queue_max, send_ahead_at = Infinity, failed = (error) => error } = options
  const metrics = batcherMetrics(options.name)
  let queue: QueuedCall<Call, Answer>[] = []
  const in_flight = new Set<Promise<void>>()
  let send_ahead_min = send_ahead_at
  const blocked =
    options.locks && createBlockedCalls(options.locks, { calls_max: queue_max / 4, release, send: execute, metrics })

  function release(calls: QueuedCall<Call, Answer>[]) {
    queue = [...calls, ...queue]
    metrics.queue.add(calls.length)
    send()
  }

  /** Sends queued calls: immediately if nothing is in flight, or as a second batch ahead once enough are queued. */
  function send() {
    while (queue.length > 0 && (in_flight.size === 0 || (in_flight.size === 1 && queue.length >= send_ahead_min))) {
      const batch = queue.splice(0, batch_max)
      send_ahead_min = Math.max(send_ahead_at, batch.length)
      const sent_at = performance.now()
      metrics.queue.add(-batch.length)
      metrics.size.observe(batch.length)
      metrics.wait.observe((sent_at - batch[0]!.queued_at) / 1_000)
      const sent = execute(batch).finally(() => {
        metrics.seconds.observe((performance.now() - sent_at) / 1_000)
        in_flight.delete(sent)
        send()
      })
      in_flight.add(sent)
    }
  }

  async function execute(batch: QueuedCall<Call, Answer>[], attempt = 1): Promise<void> {
    try {
      answer(batch, await run(batch.map(({ call }) => call)))
    } catch (error) {
      if (blocked && isLockTimeout(error)) return blocked.resend(batch, attempt)
      for (const { call, reject } of batch) reject(failed(error, call))
    }
  }

  function enqueue(call: Call): Promise<Answer> {
    if (queue.length >= queue_max) {
      metrics.overloaded.add()
      return Promise.reject(new Failure('overloaded', { waiting: queue.length }, { retry_after_seconds: 1 }))
    }
    return new Promise((resolve, reject) => {
      const queued = { call, resolve, reject, queued_at: performance.now() }
      if (blocked?.holdIfBlocked(queued)) return
      queue.push(queued)
      metrics.queue.add()
      send()
    })
  }

  return Object.assign(enqueue, {
    isBusy: () => in_flight.size > 0,
    async drain() {
      do {
        while (in_flight.size > 0) await Promise.all(in_flight)
        await blocked?.drain()
      } while (in_flight.size > 0)
    },
  })
}

function createBlockedCalls<Call, Answer>(
  { keysOf, ...locks }: CallLocks<Call>,
  {
    metrics,
    ...callbacks
  }: Pick<BlockedCallsOptions<QueuedCall<Call, Answer>>, 'calls_max' | 'release' | 'send'> & {
    metrics: BatcherMetrics
  },
) {
  return new BlockedCalls<QueuedCall<Call, Answer>>({
    ...callbacks,
    locks,
    keysOf: ({ call }) => keysOf(call),
    held: (by) => metrics.held.add(by),
    refuse: ({ reject }) => {
      metrics.overloaded.add()
      reject(new Failure('overloaded', { why: 'another transaction keeps a row locked' }, { retry_after_seconds: 1 }))
    },
  })
}

function answer<Call, Answer>(batch: QueuedCall<Call, Answer>[], answers: (Answer | Error)[]) {
  if (answers.length !== batch.length) throw new Error(`a batch of ${batch.length} got ${answers.length} answers`)
  for (const [at, { resolve, reject }] of batch.entries()) {
    const result = answers[at] as Answer | Error
    if (result instanceof Error) reject(result)
    else resolve(result)
  }
}
