import type { AppCaller } from '../../contract/caller.ts'
import { isSuspended } from '../accounts/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { sqlState } from '../platform/postgres/errors.ts'
import type { Reads } from '../platform/postgres/reads.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { isTimeZone } from '../platform/time-zone.ts'
import { sha256 } from '../platform/secrets.ts'
import type { Balances, Totals } from './balances.service.ts'
import type { Ledger } from './ledger.service.ts'
import { offsetOf, type LedgerResult, type Metadata } from './rules.ts'
import { isKeyUsed } from './ledger.store.ts'
import { listDays, listOffsets } from './store.ts'

export interface PointsDeps {
  db: Database
  clock: Clock
  ledger: Ledger
  balances: Balances
  reads: Reads
  totals: Totals
  /** The points that tools of the MCP server may move in 24 hours if the person has set no daily limit (D-156). */
  agent_daily_limit: number
}

/**
 * The result of an applied order, also of one applied by an earlier call with its key. Throws the failure of any other.
 */
export function requireApplied<Result extends LedgerResult>(result: Result): Result {
  const { outcome } = result
  switch (outcome) {
    case 'applied':
    case 'replayed':
      return result
    case 'key_reused':
      throw new Failure('idempotency_key_reused')
    case 'limit_reached':
      throw new Failure('points_limit_reached')
    case 'unknown_account':
      throw new Failure('user_not_found')
    default:
      throw new Failure(outcome)
  }
}

export interface Movement {
  /** The caller's balance after this movement. */
  points: number
  transfer_id: string
  /** True if an earlier call with the same Idempotency-Key did the work. */
  replayed: boolean
}

const toMovement = ({ from_after, transfer_id, outcome }: LedgerResult): Movement => ({
  points: from_after,
  transfer_id,
  replayed: outcome === 'replayed',
})

interface Spend {
  amount: number
  description?: string
  reference?: string
  metadata?: Metadata
}

/**
 * Spends points of the user; the app's account earns them (D-09, D-45, D-46).
 * Fails with `insufficient_points`, `spending_limit_reached`, `points_limit_reached` or `idempotency_key_reused`.
 */
export async function spend(
  deps: PointsDeps,
  caller: AppCaller,
  { amount, description, reference, metadata }: Spend,
  idempotency_key?: string,
): Promise<Movement> {
  const { user_id, app_id } = caller
  const result = await deps.ledger({
    id: newId(),
    kind: 'spend',
    from_account: user_id,
    to_account: app_id,
    amount,
    app_id,
    description,
    reference,
    metadata,
    agent_limit: agentLimit(deps, caller),
    idempotency_key,
    request_hash: requestHash(idempotency_key, [amount, description, ...namesOf({ reference, metadata })]),
  })
  return toMovement(requireApplied(result))
}

/**
 * The limit of a call by a tool (D-156). A call that the person was not asked about is allowed only within a limit that
 * the person set.
 */
const agentLimit = ({ agent_daily_limit }: Pick<PointsDeps, 'agent_daily_limit'>, { agent }: AppCaller) =>
  agent && (agent.was_asked ? agent_daily_limit : 0)

interface Transfer extends Spend {
  to_user_id: string
}

/**
 * Sends points from the user to another one (D-09, D-45, D-46).
 * Fails as `spend` does, with `user_not_found` (D-89, D-124), `muted`, and with `validation_failed` for a transfer to oneself.
 */
export async function transfer(
  deps: PointsDeps & { people: BetweenPeople },
  caller: AppCaller,
  { amount, to_user_id, description, reference, metadata }: Transfer,
  idempotency_key?: string,
): Promise<Movement> {
  const { db, ledger, people } = deps
  const { user_id, app_id } = caller
  if (to_user_id === user_id) throw invalidField('to_user_id', 'another_user')
  const refusal = await refusalOf({ db, people }, { user_id, to_user_id, description })
  if (refusal && !(await isRepeated(db, { user_id, app_id, idempotency_key }))) throw refusal
  const result = await ledger({
    id: newId(),
    kind: 'transfer',
    from_account: user_id,
    to_account: to_user_id,
    amount,
    app_id,
    description: description === undefined ? undefined : people.shown(description),
    reference,
    metadata,
    agent_limit: agentLimit(deps, caller),
    idempotency_key,
    request_hash: requestHash(idempotency_key, [amount, to_user_id, description, ...namesOf({ reference, metadata })]),
  })
  return toMovement(requireApplied(result))
}

/** Checks by the social domain of a transfer between two people; `app.ts` connects them. */
export interface BetweenPeople {
  /**
   * The reason why a person may not send points to another, or request them, without an app (D-137): `muted`,
   * `user_not_found` or `not_friends`. A parallel block waits until the transaction ends. Called before other rows are
   * locked.
   */
  directRefusalOf(
    tx: Tx,
    pair: { user_id: string; other_id: string; is_for_friends: boolean },
  ): Promise<Failure | undefined>
  /** The reason why the transfer or its text is refused: `user_not_found` or `muted`. */
  refusalOf(message: Message): Promise<Failure | undefined>
  /** The text as the recipient reads it. */
  shown(text: string): string
}

interface Message {
  user_id: string
  to_user_id: string
  description: string | undefined
}

/** Suspended users are unknown to others. */
async function refusalOf({ db, people }: { db: Sql; people: BetweenPeople }, message: Message) {
  const { to_user_id } = message
  const [suspended, refusal] = await Promise.all([isSuspended(db, to_user_id), people.refusalOf(message)])
  return refusal ?? (suspended ? new Failure('user_not_found', { to_user_id, why: 'suspended' }) : undefined)
}

/** An existing transfer is replayed even if a new one would be refused. */
const isRepeated = async (db: Sql, { user_id, app_id, idempotency_key: key }: UsedKey) =>
  key !== undefined && (await isKeyUsed(db, { user_id, app_id, operation: 'transfer', key }))

interface UsedKey {
  user_id: string
  app_id: string
  idempotency_key: string | undefined
}

/** The optional fields of a request. Absent fields are omitted, so that hashes of 0.1 stay the same. */
export const namesOf = ({ reference, metadata }: { reference?: string | undefined; metadata?: Metadata | undefined }) =>
  reference === undefined && metadata === undefined ? [] : [reference, metadata]

/** The hash of a request with an idempotency key. */
export const requestHash = (key: string | undefined, request: unknown[]) =>
  key === undefined ? undefined : sha256(JSON.stringify(request))

/** The balance of the user or app; 0 for an account that does not exist. */
export const getBalance = ({ balances }: Pick<PointsDeps, 'balances'>, account_id: string) => balances(account_id)

interface SeriesQuery {
  days?: number
  time_zone?: string
}

/**
 * The points that the account earned, spent and held on each of the last days, including today (D-48). Fails with `validation_failed`
 * for an unknown time zone.
 */
export async function readSeries(
  { db, clock }: Pick<PointsDeps, 'db' | 'clock'>,
  account_id: string,
  { days = 30, time_zone = 'UTC' }: SeriesQuery,
) {
  if (!isTimeZone(time_zone)) throw unknownTimeZone()
  try {
    // No abbreviation has a slash; the time zone data of Node and PostgreSQL may differ in version.
    if (!time_zone.includes('/') && !(await isReadAlike(db, time_zone, clock()))) throw unknownTimeZone()
    return { time_zone, days: await listDays(db.adHoc, { account_id, days, time_zone, now: clock() }) }
  } catch (error) {
    // A time zone that Node knows but this version of PostgreSQL does not.
    if (sqlState(error) === '22023') throw unknownTimeZone()
    throw error
  }
}

/**
 * Whether PostgreSQL interprets a name as the same time zone. It prefers abbreviations: its CET is always an hour ahead
 * of UTC, while the zone of that name has summer time.
 */
async function isReadAlike(db: Sql, time_zone: string, now: Date) {
  const year = now.getUTCFullYear()
  const moments = [now, new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year, 6, 1))]
  const offsets = await listOffsets(db, time_zone, moments)
  return moments.every((moment, at) => offsets[at] === offsetOf(time_zone, moment))
}

const unknownTimeZone = () => invalidField('time_zone', 'time_zone')
