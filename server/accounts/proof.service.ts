import { Failure, fieldErrors, fieldsOf, invalidField, orFail, type FieldError } from '../platform/failure.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { findReachedLimits, tooMany, type CounterUse } from './failure-limits.service.ts'
import { checkPasskey, countUse } from './passkey-answers.service.ts'
import { consumeSecondFactor, hasSecondFactor } from './second-factor.service.ts'
import { getUser, type AccountsDeps } from './service.ts'
import { findProvedSession, setProved } from './sessions.store.ts'
import { findUser } from './store.ts'
import type { UserRow } from './user-columns.rules.ts'
import type { PasskeyAnswer } from './webauthn.service.ts'

const { proved_seconds } = decisions.proofs

/**
 * The proof for a change that a stolen session alone must not allow (D-107): password and code, or a passkey (D-108).
 */
export interface Proof {
  password?: string
  totp_code?: string
  passkey?: PasskeyAnswer
}

/** The field errors of a call that requires these fields or a passkey. Accepts a body of any shape. */
export const missingWithoutPasskey =
  (...names: string[]) =>
  (body: unknown): FieldError[] => {
    const sent = fieldsOf(body)
    return names.flatMap((name) =>
      fieldErrors(name, sent.passkey === undefined && sent[name] === undefined && 'required'),
    )
  }

/**
 * Verifies that the caller owns the account: by a passkey with user verification, or by the password and the second
 * factor, if there is one; no check if the session has a proof (D-129). Returns the account as checked. The changing
 * statement must compare its `password_hash`, so that a proof does not outlive its password. Fails as
 * `requirePasswordAndCode` or `requirePasskey` does.
 */
export const requireProof = async (deps: AccountsDeps, caller: UserCaller, proof: Proof): Promise<UserRow> =>
  (await findProved(deps, caller, proof)) ?? requireSentProof(deps, caller, proof)

const requireSentProof = (deps: AccountsDeps, caller: UserCaller, { passkey, ...proof }: Proof) =>
  passkey === undefined ? requirePasswordAndCode(deps, caller.user_id, proof) : requirePasskey(deps, caller, passkey)

/** Whether a body contains a proof. A code alone is not one. */
const isSent = ({ password = '', passkey }: Proof) => password !== '' || passkey !== undefined

/**
 * The account of a call without a proof, if its session has one. Read first: a later change of the password ends the
 * session.
 */
export async function findProved(deps: AccountsDeps, { user_id, session_id }: UserCaller, proof: Proof) {
  if (isSent(proof)) return undefined
  const user = await findUser(deps.db, user_id)
  const session = await findProvedSession(deps.db, { user_id, session_id })
  return session?.proved_until && session.proved_until > deps.clock() ? user : undefined
}

/**
 * Checks the proof of a call that needs a recent one (D-129): the proof in the body, or else a proof or sign-in within
 * the session's last minutes. Fails with `proof_required`, or as `requireProof` does.
 */
export async function requireRecentProof(deps: AccountsDeps, caller: UserCaller, proof: Proof) {
  const { user_id, session_id } = caller
  if (isSent(proof)) return void (await requireSentProof(deps, caller, proof))
  const session = await findProvedSession(deps.db, { user_id, session_id })
  const now = deps.clock()
  const proved_until = session?.proved_until ?? now
  const is_recent = session !== undefined && secondsAfter(session.inserted_at, proved_seconds) > now
  if (!is_recent && proved_until <= now) throw new Failure('proof_required', { user_id })
}

/**
 * Stores a proof for this login session, whose calls need no proof fields for some minutes (D-129); returns the end of
 * that time. Fails as `requireProof` does, or with `wrong_password` if the password changed in the meantime.
 */
export async function prove(deps: AccountsDeps, caller: UserCaller, proof: Proof) {
  const { password_hash } = await requireSentProof(deps, caller, proof)
  const proved_until = secondsAfter(deps.clock(), proved_seconds)
  const { user_id, session_id } = caller
  if (!(await setProved(deps.db, { user_id, session_id, password_hash, proved_until })))
    throw new Failure('wrong_password', { user_id, why: 'changed meanwhile' })
  return proved_until
}

/**
 * Checks a passkey with user verification, for a challenge of this login session. Fails with `wrong_passkey`,
 * `passkey_copied`, `passkey_challenge_over` or `passkeys_unavailable`.
 */
export async function requirePasskey(
  deps: AccountsDeps,
  { user_id, session_id }: UserCaller,
  passkey: PasskeyAnswer,
): Promise<UserRow> {
  try {
    await countUse(deps, await checkPasskey(deps, passkey, { purpose: 'proof', user_id, session_id }))
  } catch (error) {
    const is_invalid = error instanceof Failure && error.code === 'invalid_passkey'
    throw is_invalid ? new Failure('wrong_passkey', error.why) : error
  }
  return getUser(deps.db, user_id)
}

/**
 * Checks the password, then the second factor, if there is one. Failures count for the account (D-91). The limits are
 * checked before and after the password, so that parallel guesses beyond them learn nothing. Fails with
 * `validation_failed` without a password, `too_many_failures`, `wrong_password`, `second_factor_missing`,
 * `invalid_code` or `totp_locked`.
 */
async function requirePasswordAndCode(
  deps: AccountsDeps,
  user_id: string,
  { password, totp_code }: Omit<Proof, 'passkey'>,
): Promise<UserRow> {
  if (password === undefined || password === '') throw invalidField('password', 'required')
  const user = await requirePassword(deps, user_id, password)
  if (await hasSecondFactor(deps.db, user)) {
    if (totp_code === undefined || totp_code === '') throw new Failure('second_factor_missing', { user_id })
    if (!(await consumeSecondFactor(deps, user, totp_code))) throw new Failure('invalid_code', { user_id })
  }
  return user
}

/** Checks the password alone. Fails with `too_many_failures` or `wrong_password`. */
export async function requirePassword(deps: AccountsDeps, user_id: string, password: string): Promise<UserRow> {
  await enforceLimits(deps, user_id, 'peek')
  const user = await orFail(findUser(deps.db, user_id), 'invalid_token', { user_id, why: 'the account is gone' })
  if (!(await deps.passwords.matches(user.password_hash, password))) {
    await enforceLimits(deps, user_id, 'hit')
    throw new Failure('wrong_password', { user_id })
  }
  await enforceLimits(deps, user_id, 'peek')
  return user
}

/** Beyond a limit, right and wrong passwords both fail with `too_many_failures`. */
async function enforceLimits(deps: AccountsDeps, user_id: string, use: CounterUse) {
  const keys = { recent: `proof failures ${user_id}`, today: `proof failures of a day ${user_id}` }
  const { recent, today } = await findReachedLimits(deps, keys, use)
  const reached = today ?? recent
  if (reached) throw tooMany('too_many_failures', deps, reached)
}
