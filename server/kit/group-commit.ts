import { Failure } from './failure.ts'

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
}

/**
 * Calls that arrive while a batch is in flight form the next batch; a lone call waits for nothing.
 * Order of arrival is kept, a refused call does not disturb its neighbours, and the queue is bounded:
 * beyond `waiting_max` a call fails with `overloaded`.
 */
export function groupCommit<Call, Answer>(options: GroupCommitOptions<Call, Answer>): GroupCommit<Call, Answer> {
  const { run, batch_max, waiting_max, ahead_at = Infinity, failed = (error) => error } = options
  let waiting: Waiting<Call, Answer>[] = []
  const in_flight = new Set<Promise<void>>()

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

  async function carryOut(batch: Waiting<Call, Answer>[]) {
    try {
      settle(batch, await run(batch.map(({ call }) => call)))
    } catch (error) {
      for (const { call, reject } of batch) reject(failed(error, call))
    }
  }

  function call(input: Call): Promise<Answer> {
    if (waiting.length >= waiting_max)
      return Promise.reject(new Failure('overloaded', { waiting: waiting.length }, { retry_after_seconds: 1 }))
    return new Promise((resolve, reject) => {
      waiting.push({ call: input, resolve, reject })
      send()
    })
  }

  return Object.assign(call, {
    async drain() {
      while (in_flight.size > 0) await Promise.all(in_flight)
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
