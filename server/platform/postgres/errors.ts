import { Failure } from '../failure.ts'

/** The SQLSTATE of an error from PostgreSQL, or the code of one from the network. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** True if the error is a violation of this unique constraint or index. */
export const violates = (error: unknown, constraint: string) =>
  sqlState(error) === '23505' && (error as { constraint?: string }).constraint === constraint

const never_sent = new WeakSet<Error>()

/** Marks the error of a connection that could not be opened: its statement was not sent. */
export function neverSent(error: Error): Error {
  never_sent.add(error)
  return error
}

/** True if a statement failed before it was sent, so that it certainly had no effect. */
export const wasNeverSent = (error: unknown) => error instanceof Error && never_sent.has(error)

/** Out of disk, memory, connections, file handles (class 53), or failing disks (58030). */
const exhausted_states = /^(53\d\d\d|58030)$/
/** A standby, a demoted primary, or a server that was set to read-only. */
const read_only_state = '25006'

/** True if PostgreSQL refused a statement because this session, or its server, does not take writes. */
export const isReadOnly = (error: unknown) => sqlState(error) === read_only_state

export const isOutOfSpace = (error: unknown) => sqlState(error) === '53100'

/** True if another session or another server may accept the refused write. */
export const refusesWrites = (error: unknown) => isReadOnly(error) || isOutOfSpace(error)

/** True if a statement certainly had no effect: it was never sent, or PostgreSQL refused it for lack of resources. */
export const hasDoneNothing = (error: unknown) =>
  wasNeverSent(error) || isReadOnly(error) || exhausted_states.test(sqlState(error) ?? '')

const unavailable_states =
  /^(57P0[1-5]|08\d\d\d|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|EPIPE|ETIMEDOUT)$/
const unavailable_messages =
  /connection (terminated|ended|was retired)|client (has encountered|was closed)|timeout exceeded when trying to connect|read timeout/i

/** True if an error means that the database cannot be reached or cannot write, for any reason; false if it refused the statement itself. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof Failure) return error.code === 'outcome_unknown'
  return (
    hasDoneNothing(error) || unavailable_states.test(sqlState(error) ?? '') || unavailable_messages.test(error.message)
  )
}

/**
 * True if a statement failed because of its prepared statement, so that it had no effect and may be sent again. Several are in flight on a
 * connection: if one could not be prepared, for example on a locked table, the others behind it refer to a statement that does not exist
 * (26000). When they are sent again, two of them may prepare it (42P05).
 */
export const isUnprepared = (error: unknown) => sqlState(error) === '26000' || sqlState(error) === '42P05'

/** True if a lock could not be taken within the `lock_timeout`: the statement or transaction had no effect. */
export const isLockTimeout = (error: unknown) => sqlState(error) === '55P03' || isUnprepared(error)

/** True if a migration has changed the columns of a prepared statement: nothing was executed. */
export const isStalePlan = (error: unknown) =>
  sqlState(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** True if PostgreSQL has rolled back a transaction that may succeed when repeated. */
export const isRepeatable = (error: unknown) =>
  sqlState(error) === '40001' || sqlState(error) === '40P01' || isStalePlan(error)
