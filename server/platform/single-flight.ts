/** Allows only one run of `work` at a time: a call during a run returns the result of that run. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () =>
    (running ??= work().finally(() => {
      running = undefined
    }))
}
