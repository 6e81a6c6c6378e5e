/** A second signal within this time is a duplicate: npm forwards a signal that the whole process group gets. */
const duplicate_ms = 1_000

export type StopSignal = 'SIGINT' | 'SIGTERM'
/** `replaced`: a successor is ready, and the other processes continue. */
export type StopReason = StopSignal | 'replaced'

interface StopOptions {
  /** True if SIGHUP, which a closed terminal sends, has the same effect as SIGTERM. */
  hangup: boolean
}

/**
 * Handles SIGTERM and SIGINT from the start, because process 1 of a container would otherwise ignore them. A second signal, more than a
 * second later, ends the process immediately.
 */
export function onStopSignal(stop: (signal: StopSignal) => void, { hangup }: StopOptions) {
  let first_ms: number | undefined
  const handle = (signal: StopSignal) => {
    if (first_ms === undefined) {
      first_ms = performance.now()
      stop(signal)
    } else if (performance.now() - first_ms > duplicate_ms) {
      process.stderr.write('Plaza was asked to stop a second time: it ends at once.\n')
      process.exit(1)
    }
  }
  process.on('SIGINT', handle).on('SIGTERM', handle)
  if (hangup) process.on('SIGHUP', () => handle('SIGTERM'))
}
