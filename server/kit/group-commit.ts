import { Failure } from './failure.ts'

export interface GroupCommitOptions<Call, Answer> {
  /** Carries out a batch in order and answers each call: with its answer, or with the error that only this caller gets. */
  run(batch: Call[]): Promise<(Answer | Error)[]>
  batch_max: number
  /** Calls that may wait beside the batch in flight; one more is refused with `overloaded`. */
  waiting_max: number
  /** What every caller of a batch gets when `run` itself throws. */
  failed?: (error: unknown) => unknown
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
  const { run, batch_max, waiting_max, failed = (error) => error } = options
  let waiting: Waiting<Call, Answer>[] = []
  let running = false
  let in_flight = Promise.resolve()

  async function runWaiting() {
    running = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batch_max)
      waiting = waiting.slice(batch_max)
      try {
        settle(batch, await run(batch.map(({ call }) => call)))
      } catch (error) {
        for (const { reject } of batch) reject(failed(error))
      }
    }
    running = false
  }

  function call(input: Call): Promise<Answer> {
    if (waiting.length >= waiting_max)
      return Promise.reject(new Failure('overloaded', { waiting: waiting.length }, { retry_after_seconds: 1 }))
    return new Promise((resolve, reject) => {
      waiting.push({ call: input, resolve, reject })
      if (!running) in_flight = runWaiting()
    })
  }

  return Object.assign(call, {
    async drain() {
      while (running) await in_flight
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
