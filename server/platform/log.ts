import { pino, type Logger } from 'pino'
import { openLogOutput, openStandardOutput, type LogOutput } from './log-output.ts'

export type { Logger }

/**
 * The service's structured log: one JSON object a line. What is logged is chosen field by field, so nothing is
 * redacted (searching every line for secrets cost 2 % of a spend); the tests look for secrets in all they cause to be written.
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

/** What logs of this process write to unless told otherwise: the standard output. The last lines are written at the exit. */
export function standardOutputLog(): LogOutput {
  if (standard) return standard
  const output = openLogOutput({
    fd: openStandardOutput(),
    droppedLine: (lines) =>
      `${JSON.stringify({ level: 'warn', time: new Date(), lines, msg: `${lines} log lines were dropped` })}\n`,
  })
  process.on('exit', () => output.flushSync())
  standard = output
  return output
}

/** The time of a line, formatted once a millisecond. */
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

/** What a log may hold of an error: not PostgreSQL's `detail`, which quotes the values of rows. */
function describeError(error: Error & { code?: string; constraint?: string; where?: string }) {
  const { name, message, stack, code, constraint, where } = error
  return { name, message, stack, code, constraint, where }
}
