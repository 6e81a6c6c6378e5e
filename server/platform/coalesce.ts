/**
 * Runs `work` once at a time. Calls during a run share the next one, which therefore shows the effects of everything
 * that preceded them.
 */
export function coalesce<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> | undefined
  let next: Promise<Result> | undefined
  const begin = () => {
    next = undefined
    const now = work()
    running = now
      .catch(() => {})
      .finally(() => {
        // Otherwise a call between this run and the next would start a third one.
        if (next === undefined) running = undefined
      })
    return now
  }
  return () => {
    if (!running) return begin()
    next ??= running.then(begin)
    return next
  }
}
