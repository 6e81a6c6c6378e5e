import { Failure } from './failure.ts'

/** The SQLSTATE of an error that came from PostgreSQL, or the code of one that came from the network. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** True when the error is a violation of this unique constraint or index. */
export const violates = (error: unknown, constraint: string) =>
  sqlState(error) === '23505' && (error as { constraint?: string }).constraint === constraint

const never_sent = new WeakSet<Error>()

/** Notes that no connection could be opened, whatever the reason: the statement that wanted it was not sent. */
export function neverSent(error: Error): Error {
  never_sent.add(error)
  return error
}

/** True when a statement failed before it was sent, so that it has certainly done nothing. */
export const wasNeverSent = (error: unknown) => error instanceof Error && never_sent.has(error)

const away_states =
  /^(57P0[1-5]|53300|08\d\d\d|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|EPIPE|ETIMEDOUT)$/
const away_messages =
  /connection (terminated|ended)|client (has encountered|was closed)|timeout exceeded when trying to connect|read timeout/i

/** True when an error means that the database cannot be reached, rather than that it refused a statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof Failure) return error.code === 'outcome_unknown'
  return wasNeverSent(error) || away_states.test(sqlState(error) ?? '') || away_messages.test(error.message)
}

/** A prepared statement whose columns a migration has changed since; nothing was carried out. */
export const isStalePlan = (error: unknown) =>
  sqlState(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** True when PostgreSQL has undone a transaction that may well succeed when it is repeated. */
export const isRepeatable = (error: unknown) =>
  sqlState(error) === '40001' || sqlState(error) === '40P01' || isStalePlan(error)
