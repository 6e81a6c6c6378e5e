/**
 * Returns a function that calls `run` at most once in `pause_ms`: immediately after a pause without calls, otherwise at
 * the end of the pause.
 */
export function onceIn(pause_ms: number, run: () => void) {
  let ran_at = -pause_ms
  let waiting: ReturnType<typeof setTimeout> | undefined
  return () => {
    waiting ??= setTimeout(
      () => {
        waiting = undefined
        ran_at = performance.now()
        run()
      },
      Math.max(0, ran_at + pause_ms - performance.now()),
    )
  }
}
