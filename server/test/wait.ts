/** Waits for this many milliseconds of real time. */
export const sleep = (ms: number) => new Promise<void>((next) => setTimeout(next, ms))

export interface WaitOptions {
  timeout_ms?: number
  /** The interval of checks. By default it grows from 5 ms to 100. */
  interval_ms?: number
}

/** Polls until the condition holds. After some minutes or the given time, throws with `what` or its result. */
export async function waitUntil(
  condition: () => Promise<boolean> | boolean,
  what: string | (() => string) = 'the condition',
  { timeout_ms = 200_000, interval_ms }: WaitOptions = {},
) {
  const deadline = Date.now() + timeout_ms
  for (let pause = interval_ms ?? 5; !(await condition()); pause = interval_ms ?? Math.min(pause * 1.3, 100)) {
    if (Date.now() > deadline)
      throw new Error(`${typeof what === 'string' ? what : what()} did not come within ${timeout_ms / 1000} s`)
    await sleep(pause)
  }
}

/** True if a GET of this URL returns 2xx; false if nothing listens. */
export const isOk = (url: string) =>
  fetch(url).then(
    (reply) => reply.ok,
    () => false,
  )
