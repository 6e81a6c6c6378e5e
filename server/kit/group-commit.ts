import { isLocked } from './database-errors.ts'
import { Failure } from './failure.ts'
import { PutAside } from './put-aside.ts'
import type { RowLocks } from './row-locks.ts'

export interface GroupCommitOptions<Call, Answer> {
  /** Carries out a batch in order and answers each call: with its answer, or with the error that only this caller gets. */
  run(batch: Call[]): Promise<(Answer | Error)[]>
  batch_max: number
  /** Calls that may wait beside the batch in flight; one more is refused with `overloaded`. */
  waiting_max: number
  /**
   * How many calls must wait for a second batch to be sent while the first is still in flight, so that the database
   * need not wait for us in between. Only where `run` keeps the order of batches by itself (one pipelined connection).
   */
  ahead_at?: number
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

export interface GroupCommit<Call, Answer> {
  (call: Call): Promise<Answer>
  /** Resolves when nothing waits and nothing is in flight. */
  drain(): Promise<void>
}

interface Waiting<Call, Answer> {
  call: Call
  resolve(answer: Answer): void
  reject(error: unknown): void
  refused_at?: number
}

/** How often calls that met a lock are sent again when nobody knows whose: together, and then, divided, each by itself. */
const sent_together = 2
const sent_alone = 4

/**
 * Calls that arrive while a batch is in flight form the next batch; a lone call waits for nothing.
 * Order of arrival is kept, a refused call does not disturb its neighbours, and the queue is bounded:
 * beyond `waiting_max` a call fails with `overloaded`.
 */
export function groupCommit<Call, Answer>(options: GroupCommitOptions<Call, Answer>): GroupCommit<Call, Answer> {
  const { run, batch_max, waiting_max, ahead_at = Infinity, failed = (error) => error } = options
  let waiting: Waiting<Call, Answer>[] = []
  const in_flight = new Set<Promise<void>>()
  const aside = options.locks && putAside(options.locks)

  function putAside({ keysOf, ...locks }: CallLocks<Call>) {
    return new PutAside<Waiting<Call, Answer>>({
      locks,
      keysOf: ({ call }) => keysOf(call),
      calls_max: waiting_max / 4,
      release: (calls) => {
        waiting = [...calls, ...waiting]
        send()
      },
      refuse,
    })
  }

  /** Sends what waits: at once where nothing is in flight, a second batch ahead once enough wait for it. */
  function send() {
    while (waiting.length > 0 && (in_flight.size === 0 || (in_flight.size === 1 && waiting.length >= ahead_at))) {
      const batch = waiting.slice(0, batch_max)
      waiting = waiting.slice(batch_max)
      const sent = carryOut(batch).finally(() => {
        in_flight.delete(sent)
        send()
      })
      in_flight.add(sent)
    }
  }

  async function carryOut(batch: Waiting<Call, Answer>[], times_sent = 1): Promise<void> {
    try {
      settle(batch, await run(batch.map(({ call }) => call)))
    } catch (error) {
      if (aside && isLocked(error)) return sendAgain(batch, await aside.sortOut(batch), times_sent)
      for (const { call, reject } of batch) reject(failed(error, call))
    }
  }

  /** Sends what is left of a batch that met a lock; in halves, where it was sent before and nothing stuck was found. */
  async function sendAgain(batch: Waiting<Call, Answer>[], left: Waiting<Call, Answer>[], times_sent: number) {
    const [first, ...others] = left
    if (first === undefined) return
    if (left.length < batch.length || times_sent < sent_together) return carryOut(left, times_sent + 1)
    if (others.length === 0) return times_sent < sent_alone ? carryOut(left, times_sent + 1) : refuse(first)
    const middle = left.length >> 1
    await carryOut(left.slice(0, middle), times_sent)
    await carryOut(left.slice(middle), times_sent)
  }

  function refuse({ reject }: Waiting<Call, Answer>) {
    reject(new Failure('overloaded', { why: 'another transaction keeps a row locked' }, { retry_after_seconds: 1 }))
  }

  function call(input: Call): Promise<Answer> {
    if (waiting.length >= waiting_max)
      return Promise.reject(new Failure('overloaded', { waiting: waiting.length }, { retry_after_seconds: 1 }))
    return new Promise((resolve, reject) => {
      const next = { call: input, resolve, reject }
      if (aside?.takes(next)) return
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

function settle<Call, Answer>(batch: Waiting<Call, Answer>[], answers: (Answer | Error)[]) {
  if (answers.length !== batch.length) throw new Error(`a batch of ${batch.length} got ${answers.length} answers`)
  for (const [at, { resolve, reject }] of batch.entries()) {
    const answer = answers[at] as Answer | Error
    if (answer instanceof Error) reject(answer)
    else resolve(answer)
  }
}
