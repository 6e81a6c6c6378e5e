import { Failure } from './failure.ts'

/** A queue that runs large work one piece at a time. Fails with `overloaded` if `waiting_max` calls are waiting. */
export function openTurns(waiting_max: number) {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (waiting >= waiting_max) throw new Failure('overloaded', { waiting }, { retry_after_seconds: 2 })
    waiting++
    const result = last.then(work).finally(() => waiting--)
    last = result.catch(() => undefined)
    return result
  }
}
