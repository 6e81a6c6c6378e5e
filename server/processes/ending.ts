import { standardOutputLog, type Logger } from '../platform/log.ts'

/** How long the process waits for its last log lines. */
const last_lines_ms = 2_000
/** The time for queued writes, after the time for requests in flight. */
const last_writes_ms = 10_000

/** The maximum time for a process to stop: the drain, the requests in flight, the queued writes. */
export const finish_ms = ({
  drain_api_seconds,
  shutdown_seconds,
}: Record<'drain_api_seconds' | 'shutdown_seconds', number>) =>
  (drain_api_seconds + shutdown_seconds) * 1_000 + last_writes_ms

/** Ends the process if it has not ended by itself after this time. */
export function limitStop(log: Logger, limit_ms: number) {
  setTimeout(() => {
    log.error('the stop took too long')
    process.exit(1)
  }, limit_ms).unref()
}

/** Ends the process after its last log lines. */
export async function end(log: Logger, code: number, message?: string): Promise<never> {
  if (message !== undefined) log.info(message)
  await standardOutputLog().drain(last_lines_ms)
  process.exit(code)
}
