import { decisions } from '../../contract/decisions.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { violates } from '../platform/postgres/database.ts'
import { countFailure, refuseTooManyFailures } from './login-throttle.service.ts'
import type { LoginOrigin } from './login.service.ts'
import { noteSignIn, storeUndo } from './notices.service.ts'
import { countPasskeyLogin } from './metrics.ts'
import { newRecoveryCodeHashes } from './recovery-codes.service.ts'
import {
  askForPasskey,
  checkPasskey,
  consumeAnswered,
  countUse,
  getRelyingParty,
  mailPasskeyNotice,
  newChallenge,
} from './passkey-answers.service.ts'
import { creationOptions } from './passkeys.rules.ts'
import {
  countPasskeys,
  countRecoveryCodes,
  endSecondFactor,
  findPasskey,
  findPasskeySecondFactor,
  insertPasskey,
  listPasskeysOf,
  removePasskey,
  requireSecondFactor,
  setPasskeyName,
} from './passkeys.store.ts'
import { requireProof, type Proof } from './proof.service.ts'
import { getUser, type AccountsDeps } from './service.ts'
import { beginSession, requireSession } from './sessions.service.ts'
import { findUser } from './store.ts'
import { clearRecoveryCodes, replaceRecoveryCodes } from './two-factor.store.ts'
import { checkNewPasskey, type NewPasskeyAnswer, type PasskeyAnswer } from './webauthn.service.ts'

const { passkeys_max } = decisions.passkeys

/** The caller's passkeys, newest first, and whether a sign-in with the password asks for one. */
export async function listPasskeys({ db }: Pick<AccountsDeps, 'db'>, user_id: string) {
  const [passkeys, { required }] = await Promise.all([
    listPasskeysOf(db, user_id, passkeys_max),
    findPasskeySecondFactor(db, user_id),
  ])
  return { passkeys, second_factor: required }
}

/**
 * The options for a new passkey. The challenge carries the proof: it is valid for this login session, once.
 * Fails as `requireProof` does, with `too_many_passkeys` or `passkeys_unavailable`.
 */
export async function startRegistration(deps: AccountsDeps, caller: UserCaller, proof: Proof) {
  const party = getRelyingParty(deps)
  const { user_id, session_id } = caller
  if ((await countPasskeys(deps.db, user_id)) >= passkeys_max) throw new Failure('too_many_passkeys', { user_id })
  const user = await requireProof(deps, caller, proof)
  const passkeys = await listPasskeysOf(deps.db, user_id, passkeys_max)
  const challenge = await newChallenge(deps, { purpose: 'register', user_id, session_id })
  return creationOptions({ party, challenge, passkeys }, user)
}

/**
 * Adds a passkey to the caller's account, and mails the owner a code to undo it (D-122). Fails with
 * `passkey_challenge_over`, `passkey_unusable`, `passkey_taken`, `too_many_passkeys` or `passkeys_unavailable`.
 */
export async function registerPasskey(
  deps: AccountsDeps,
  caller: UserCaller,
  { name, response }: { name: string; response: NewPasskeyAnswer },
) {
  const { db, clock } = deps
  const { user_id, session_id } = caller
  const party = getRelyingParty(deps)
  const occasion = { purpose: 'register', user_id, session_id } as const
  const challenge = await consumeAnswered(deps, response.response.clientDataJSON, occasion)
  const result = await checkNewPasskey(party, { answer: response, challenge })
  if ('why' in result) throw new Failure('passkey_unusable', { user_id, why: result.why })
  const row = {
    ...result.facts,
    id: newId(),
    user_id,
    name,
    now: clock(),
    transports: response.response.transports ?? [],
    discoverable: response.clientExtensionResults?.credProps?.rk ?? null,
  }
  try {
    await db.transaction(async (tx) => {
      if (!(await insertPasskey(tx, row, passkeys_max))) throw new Failure('too_many_passkeys', { user_id })
      await requireSession(deps, tx, caller)
      const user = await findUser(tx, user_id)
      const undoable = user?.email_verified ? ({ ...user, user_id, kind: 'passkey' } as const) : undefined
      const undo = undoable && { undo_id: await storeUndo(tx, undoable, row.now) }
      await mailPasskeyNotice(tx, { user_id, name, event: 'added', ...undo })
    })
  } catch (error) {
    throw violates(error, 'passkeys_credential') ? new Failure('passkey_taken', { user_id }) : error
  }
  return { ...row, copy_suspected_at: null, inserted_at: row.now, last_used_at: null }
}

/** Renames one of the caller's passkeys. Fails with `not_found`. */
export const renamePasskey = ({ db }: AccountsDeps, user_id: string, change: { id: string; name: string }) =>
  orFail(setPasskeyName(db, { user_id, ...change }), 'not_found', { user_id })

/**
 * Removes one of the caller's passkeys and mails the owner. The last one also ends the second factor by passkey, and
 * the recovery codes unless an authenticator app uses them. Fails as `requireProof` does, or with `not_found`.
 */
export async function deletePasskey(
  deps: AccountsDeps,
  caller: UserCaller,
  { id, proof }: { id: string; proof: Proof },
) {
  const { user_id } = caller
  await requireProof(deps, caller, proof)
  await deps.db.transaction(async (tx) => {
    const name = await removePasskey(tx, { id, user_id })
    if (name === undefined) throw new Failure('not_found', { user_id })
    await requireSession(deps, tx, caller)
    await mailPasskeyNotice(tx, { user_id, name, event: 'removed' })
    if (await endSecondFactor(tx, user_id, true)) await clearRecoveryCodes(tx, user_id)
  })
}

/**
 * Turns the second factor by passkey for sign-ins with the password on or off; returns new recovery codes if it made
 * some, otherwise null. Fails as `requireProof` does, or with `no_passkeys`.
 */
export async function setSecondFactor(
  deps: AccountsDeps,
  caller: UserCaller,
  { enabled, proof }: { enabled: boolean; proof: Proof },
) {
  const { user_id } = caller
  if (enabled) getRelyingParty(deps)
  await requireProof(deps, caller, proof)
  return deps.db.transaction(async (tx) => {
    if (!enabled) {
      await requireSession(deps, tx, caller)
      if (await endSecondFactor(tx, user_id, false)) {
        await clearRecoveryCodes(tx, user_id)
        await mailPasskeyNotice(tx, { user_id, name: '', event: 'not_required' })
      }
      return null
    }
    const turned_on = await requireSecondFactor(tx, { user_id, now: deps.clock() })
    if (turned_on === undefined) throw new Failure('no_passkeys', { user_id })
    await requireSession(deps, tx, caller)
    if (turned_on) await mailPasskeyNotice(tx, { user_id, name: '', event: 'required' })
    if ((await countRecoveryCodes(tx, user_id)) > 0) return null
    const { recovery_codes, code_hashes } = newRecoveryCodeHashes(deps, user_id)
    await replaceRecoveryCodes(tx, user_id, code_hashes, deps.clock())
    return recovery_codes
  })
}

/** The options for a proof. Fails with `no_passkeys` or `passkeys_unavailable`. */
export const askForProof = (deps: AccountsDeps, { user_id, session_id }: UserCaller) =>
  askForPasskey(deps, { purpose: 'proof', user_id, session_id })

const sign_in = { purpose: 'sign_in', user_id: null, session_id: null } as const

/** The options for a sign-in without a password. Fails with `passkeys_unavailable`. */
export const askForSignIn = (deps: AccountsDeps) => askForPasskey(deps, sign_in)

/**
 * Signs in with a passkey whose authenticator verified the person, which counts as both factors (D-108). Failures count
 * for the account like wrong passwords (D-91). Fails with `invalid_passkey`, `passkey_copied`,
 * `passkey_challenge_over`, `too_many_failures`, `account_suspended` or `passkeys_unavailable`.
 */
export async function logInWithPasskey(deps: AccountsDeps, answer: PasskeyAnswer, origin: LoginOrigin) {
  try {
    const signed_in = await checkLogin(deps, answer, origin)
    countPasskeyLogin('success')
    return signed_in
  } catch (error) {
    countPasskeyLogin(error instanceof Failure ? error.code : 'error')
    throw error
  }
}

/** The checks of a sign-in with a passkey, in order. */
async function checkLogin(deps: AccountsDeps, answer: PasskeyAnswer, { address, user_agent }: LoginOrigin) {
  const { db } = deps
  const claimed = await findPasskey(db, Buffer.from(answer.id, 'base64url'))
  // Unknown passkeys count too, each as an account that does not exist.
  const attempt = { user_id: claimed?.user_id ?? null, email: `passkey ${answer.id}`, address }
  await refuseTooManyFailures(deps, attempt)
  const used = await checkPasskey(deps, answer, sign_in).catch(async (error: unknown) => {
    if (error instanceof Failure && error.code === 'invalid_passkey') await countFailure(deps, attempt)
    throw error
  })
  const user = await getUser(db, used.passkey.user_id)
  if (user.suspended) throw new Failure('account_suspended', { user_id: user.id })
  await countUse(deps, used)
  const token = await beginSession(deps, db, { user_id: user.id, password_hash: user.password_hash, user_agent })
  await noteSignIn(deps, { user_id: user.id, address, user_agent })
  return { token, user }
}
