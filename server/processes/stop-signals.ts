/** Within this time, a second signal is the first one again: npm passes on what the terminal or the system sends to all. */
const same_ms = 1_000

export type StopSignal = 'SIGINT' | 'SIGTERM'

/**
 * Hears SIGTERM and SIGINT from the first moment on: process 1 of a container would ignore them otherwise. A second
 * signal, a while after the first, ends the process at once.
 */
export function onStopSignal(stop: (signal: StopSignal) => void) {
  let first_ms: number | undefined
  const hear = (signal: StopSignal) => {
    if (first_ms === undefined) {
      first_ms = performance.now()
      stop(signal)
    } else if (performance.now() - first_ms > same_ms) {
      process.stderr.write('Plaza was asked to stop a second time: it ends at once.\n')
      process.exit(1)
    }
  }
  process.on('SIGINT', hear).on('SIGTERM', hear)
}
