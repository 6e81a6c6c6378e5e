import cluster from 'node:cluster'
import { pino, type Logger } from 'pino'
import { openLogOutput, openStandardOutput, type LogOutput } from './log-output.ts'

export type { Logger }

/**
 * The service's structured log: one JSON object per line. Fields are logged one by one by choice, and nothing is redacted
 * (redaction cost 2 % of a spend); the tests search the log for secrets.
 */
export const openLog = (level: string, destination?: { write(line: string): void }): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination ?? standardOutputLog(),
  )

let standard: LogOutput | undefined

/** The default destination of logs, one per process: the standard output. Buffered lines are written at the exit. */
export function standardOutputLog(): LogOutput {
  if (standard) return standard
  const output = openLogOutput({
    fd: openStandardOutput(),
    is_shared: cluster.isWorker,
    droppedLine: (lines) =>
      `${JSON.stringify({ level: 'warn', time: new Date(), lines, msg: `${lines} log lines were dropped` })}\n`,
  })
  process.on('exit', () => output.flushSync())
  standard = output
  return output
}

/** The time of a line, formatted at most once per millisecond. */
function isoTime() {
  let last = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== last) {
      last = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}

/** The fields of an error that are logged. PostgreSQL's `detail` is not one: it quotes the values of rows. */
function describeError(error: Error & { code?: string; constraint?: string; where?: string }) {
  const { name, message, stack, code, constraint, where } = error
  return { name, message, stack, code, constraint, where }
}
