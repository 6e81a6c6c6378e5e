import { PlazaError } from './failure.ts'

/** The failure of a call whose signal was aborted. */
export const abortedBy = (signal: AbortSignal, operation?: string, is_outcome_unknown = false) =>
  new PlazaError({
    code: 'aborted',
    detail: 'the signal was aborted',
    operation,
    is_outcome_unknown,
    cause: signal.reason,
  })

/** Waits; rejects as soon as the signal is aborted. */
export const pause = (seconds: number, signal?: AbortSignal, operation?: string) =>
  new Promise<void>((done, fail) => {
    const abort = () => {
      clearTimeout(timer)
      fail(abortedBy(signal as AbortSignal, operation))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      done()
    }, seconds * 1000)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })

/** The result of `work`; rejects as soon as the signal is aborted, while the work continues for other callers. */
export const sharedWork = <Result>(work: Promise<Result>, signal?: AbortSignal, operation?: string) =>
  signal === undefined
    ? work
    : new Promise<Result>((done, fail) => {
        const abort = () => fail(abortedBy(signal, operation))
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort, { once: true })
        work.then(done, fail).finally(() => signal.removeEventListener('abort', abort))
      })

/** Seconds to wait after this many failures: exponential, with random jitter. */
export const backoffSeconds = (failures: number, first: number, most: number) =>
  Math.min(first * 2 ** (failures - 1), most) * (0.5 + Math.random() / 2)

/** A signal that aborts with another one or by `abort`; `release` detaches it. */
export function linkedSignal(signal?: AbortSignal) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  let timer: ReturnType<typeof setTimeout> | undefined
  let is_late = false
  const after = (seconds: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      is_late = true
      abort()
    }, seconds * 1000)
  }
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    /** Aborts after this many seconds, unless called again before. */
    abortAfter: after,
    /** Cancels the timer. */
    stopClock: () => clearTimeout(timer),
    isLate: () => is_late,
    abort,
    release: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}
