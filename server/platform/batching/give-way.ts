import { setTimeout as wait } from 'node:timers/promises'

export interface GiveWayOptions {
  /** True while work that has precedence is under way. */
  isBusy(): boolean
  /** The pause after a piece of work, as a multiple of the time that it took. */
  factor: number
  pause_ms_max: number
  /** Milliseconds, for tests. */
  now?: () => number
  pause?: (ms: number) => Promise<unknown>
}

/**
 * Runs pieces of work. While other work is under way, they run one after another, with a pause between two of them;
 * otherwise each begins immediately.
 */
export function createGiveWay({
  isBusy,
  factor,
  pause_ms_max,
  now = () => performance.now(),
  pause = wait,
}: GiveWayOptions) {
  let before: Promise<unknown> = Promise.resolve()
  let next_at = 0
  async function run<Result>(earlier: Promise<unknown>, work: () => Promise<Result>): Promise<Result> {
    if (isBusy()) {
      await earlier
      await pause(Math.max(0, next_at - now()))
    }
    const started_at = now()
    try {
      return await work()
    } finally {
      const ended_at = now()
      next_at = ended_at + Math.min(factor * (ended_at - started_at), pause_ms_max)
    }
  }
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const running = run(before, work)
    before = running.catch(() => undefined)
    return running
  }
}
