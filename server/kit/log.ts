import { pino, type Logger } from 'pino'

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
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination ?? pino.destination({ fd: 1, sync: false }),
  )

/** What a log may hold of an error: not PostgreSQL's `detail`, which quotes the values of rows. */
function describeError(error: Error & { code?: string; constraint?: string; where?: string }) {
  const { name, message, stack, code, constraint, where } = error
  return { name, message, stack, code, constraint, where }
}
