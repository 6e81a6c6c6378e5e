import type { UserCaller } from '../../contract/caller.ts'
import { Failure, refuseFieldErrors } from '../platform/failure.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { recordChange } from './changes.store.ts'
import { enqueueNotice, enqueueUndo } from './notices.service.ts'
import { findPasskeySecondFactor } from './passkeys.store.ts'
import { findProved, missingWithoutPasskey, requireProof, type Proof } from './proof.service.ts'
import { newRecoveryCodeHashes } from './recovery-codes.service.ts'
import { newTotpSecret, totpStep, totpUri } from './rules.ts'
import { tryCode } from './code-tries.service.ts'
import { hasSecondFactor } from './second-factor.service.ts'
import type { AccountsDeps } from './service.ts'
import { requireSession } from './sessions.service.ts'
import { findUser } from './store.ts'
import { openTotp, sealTotp } from './totp-secrets.rules.ts'
import {
  clearTotp,
  enablePendingTotp,
  lockSecondFactor,
  lockTotp,
  replaceRecoveryCodes,
  setPendingTotp,
} from './two-factor.store.ts'

/** Starts two-factor set-up; logins need no code until `enableTotp`. Fails with `totp_already_enabled`. */
export async function setUpTotp({ db, keys }: AccountsDeps, user_id: string) {
  const user = await findUser(db, user_id)
  const secret = newTotpSecret()
  if (!user || !(await setPendingTotp(db, user_id, sealTotp(keys.totp, secret))))
    throw new Failure('totp_already_enabled')
  return { secret, uri: totpUri(secret, user.email) }
}

/**
 * Enables two-factor authentication after a first valid code; returns the recovery codes, which are stored as hashes
 * only. If a passkey already is the second factor, a session alone must not add another: a proof is required (D-107).
 * Fails with `totp_already_enabled`, `totp_not_set_up`, `invalid_code` or `totp_locked`, and then as `requireProof`
 * does.
 */
export async function enableTotp(
  deps: AccountsDeps,
  caller: UserCaller,
  { code, ...proof }: Proof & { code: string },
): Promise<string[]> {
  const { user_id } = caller
  const { secret } = await pendingTotp(deps, user_id)
  const step = await tryCode(deps, { user_id }, 'totp_locked', async () => totpStep(secret, code.trim(), deps.clock()))
  if (step === undefined) throw new Failure('invalid_code')
  const { required } = await findPasskeySecondFactor(deps.db, user_id)
  const password_hash = required ? (await requireProof(deps, caller, proof)).password_hash : null
  const { recovery_codes, code_hashes } = newRecoveryCodeHashes(deps, user_id)
  for (let attempt = 0; attempt < enable_attempts_max; attempt++) {
    const pending = await pendingTotp(deps, user_id)
    // Another set-up has started; its secret is not verified.
    if (pending.secret !== secret)
      throw new Failure('invalid_code', { user_id, why: 'another set-up was started meanwhile' })
    const enabled = await deps.db.transaction(async (tx) => {
      if (!(await enablePendingTotp(tx, { user_id, password_hash, pending: pending.sealed, step }))) return false
      await requireSession(deps, tx, caller)
      await replaceRecoveryCodes(tx, user_id, code_hashes, deps.clock())
      await noteEnabled(deps, tx, user_id)
      return true
    })
    if (enabled) return recovery_codes
  }
  throw new Failure('invalid_code', { user_id, why: 'the set-up changed during every attempt' })
}

/** `reseal` may replace the sealed secret between the read and the update. */
const enable_attempts_max = 10

/** The secret of a set-up, sealed and in clear. Fails with `totp_already_enabled` or `totp_not_set_up`. */
async function pendingTotp({ db, keys }: AccountsDeps, user_id: string) {
  const user = await findUser(db, user_id)
  if (user?.totp_secret) throw new Failure('totp_already_enabled')
  const sealed = user?.totp_pending_secret
  if (!sealed) throw new Failure('totp_not_set_up')
  const opened = openTotp(keys.totp, sealed, user.totp_key_id)
  if (!opened) throw new Failure('totp_not_set_up', { user_id, why: 'its secret is sealed with an unknown key' })
  return { sealed, secret: opened.secret }
}

/** Records that the second factor is on and mails the owner, who can undo it (D-107). */
async function noteEnabled({ clock }: AccountsDeps, tx: Tx, user_id: string) {
  const now = clock()
  await recordChange(tx, { user_id, kind: 'totp', now })
  const user = await findUser(tx, user_id)
  if (user?.email_verified) await enqueueUndo(tx, { ...user, user_id, kind: 'totp' }, now)
}

/**
 * Replaces the recovery codes (D-107); they are stored as hashes only. Fails with `totp_not_enabled`, or as
 * `requireProof` does.
 */
export async function renewRecoveryCodes(deps: AccountsDeps, caller: UserCaller, proof: Proof) {
  const { db, clock } = deps
  const { user_id } = caller
  const user = await findUser(db, user_id)
  if (!user || !(await hasSecondFactor(db, user))) throw new Failure('totp_not_enabled')
  const { password_hash } = await requireProof(deps, caller, proof)
  const { recovery_codes, code_hashes } = newRecoveryCodeHashes(deps, user_id)
  const now = clock()
  await db.transaction(async (tx) => {
    if (!(await lockSecondFactor(tx, user_id, password_hash)))
      throw new Failure('totp_not_enabled', { user_id, why: 'changed meanwhile' })
    await requireSession(deps, tx, caller)
    await replaceRecoveryCodes(tx, user_id, code_hashes, now)
    await enqueueNotice(tx, { user_id, kind: 'recovery_codes', now })
  })
  return recovery_codes
}

/** The field errors of `disableTotp`. */
export const disableErrors = missingWithoutPasskey('password', 'totp_code')

/**
 * Disables two-factor authentication; needs the password and a code, or a passkey (D-107). Fails with
 * `validation_failed` if either is missing, `totp_not_enabled`, or as `requireProof` does.
 */
export async function disableTotp(deps: AccountsDeps, caller: UserCaller, proof: Proof) {
  const { db, clock } = deps
  const { user_id } = caller
  if (!(await findProved(deps, caller, proof))) refuseFieldErrors(disableErrors(proof))
  if (!(await findUser(db, user_id))?.totp_secret) throw new Failure('totp_not_enabled')
  const { password_hash } = await requireProof(deps, caller, proof)
  const now = clock()
  await db.transaction(async (tx) => {
    if (!(await lockTotp(tx, user_id, password_hash)))
      throw new Failure('totp_not_enabled', { user_id, why: 'changed meanwhile' })
    await requireSession(deps, tx, caller)
    await clearTotp(tx, user_id)
    await recordChange(tx, { user_id, kind: 'totp', now })
    await enqueueNotice(tx, { user_id, kind: 'totp_off', now })
  })
}
