const second_ms = 1_000

/**
 * Returns a function that calls `run` at most once a second: immediately after a pause, otherwise at the end of the
 * second.
 */
export function onceASecond(run: () => void) {
  let ran_at = -second_ms
  let waiting: ReturnType<typeof setTimeout> | undefined
  return () => {
    waiting ??= setTimeout(
      () => {
        waiting = undefined
        ran_at = performance.now()
        run()
      },
      Math.max(0, ran_at + second_ms - performance.now()),
    )
  }
}
