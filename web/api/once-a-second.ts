const second_ms = 1_000

/** A function that calls `run` once a second at most: at once after a pause, else at the end of the second. */
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
