const second_ms = 1_000

/** A function that runs at once where the last run is a second ago, else when it is; calls before then are one. */
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
