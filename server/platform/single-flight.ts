/** Carries `work` out once at a time: whoever asks while it is under way gets the answer of the run under way. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () =>
    (running ??= work().finally(() => {
      running = undefined
    }))
}
