import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import type { JobMailer } from '../platform/mail.ts'
import { violates } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { mailedDigits } from '../platform/mailed-secrets.ts'
import { keyedHash, keyedHashes } from '../platform/secrets.ts'
import { mailIn } from '../platform/texts.ts'
import {
  consumeEmailChangeAttempt,
  deleteEmailChange,
  findEmailChange,
  isAddressReserved,
  putEmailChange,
  setEmail,
  setEmailChangeCode,
} from './changes.store.ts'
import { tryCode } from './code-tries.service.ts'
import { enqueueUndo } from './notices.service.ts'
import { requireProof, type Proof } from './proof.service.ts'
import { refuseReservedAddress } from './reserved-addresses.service.ts'
import { mailedLink } from './rules.ts'
import { emitEmailVerified, type AccountsDeps } from './service.ts'
import { requireSession } from './sessions.service.ts'
import { findUser, findUserByEmail } from './store.ts'

const { digits, lifetime_seconds, tries } = decisions.mailed_codes

export const email_change_job = 'accounts.mail_email_change'

/**
 * Stores the wanted address and queues the mail with its code (D-107). Neither the answer nor its time reveals whether another account has
 * the address. Fails with `validation_failed` for the present address, or as `requireProof` does.
 */
export async function requestEmailChange(
  deps: AccountsDeps,
  caller: UserCaller,
  { email, ...proof }: Proof & { email: string },
) {
  const { user_id } = caller
  const user = await requireProof(deps, caller, proof)
  if (user.email === email) throw invalidField('email', 'own_address')
  await deps.db.transaction(async (tx) => {
    await putEmailChange(tx, {
      user_id,
      new_email: email,
      tries,
      expires_at: secondsAfter(deps.clock(), lifetime_seconds),
    })
    await requireSession(deps, tx, caller)
    await enqueue(tx, email_change_job, { user_id }, { priority: 'mail' })
  })
}

/** The caller's pending change of address; undefined if there is none. */
export const pendingEmailChange = ({ db, clock }: AccountsDeps, user_id: string) =>
  findEmailChange(db, user_id, clock())

export const cancelEmailChange = ({ db }: AccountsDeps, user_id: string) => deleteEmailChange(db, user_id)

/**
 * Mails the code to the new address. If another account has the address, its owner gets a different mail, and the
 * change cannot be confirmed. The code exists in clear in the mail only.
 */
export async function mailEmailChange(deps: AccountsDeps, mailer: JobMailer, user_id: string) {
  const { db, clock, keys, public_url } = deps
  const now = clock()
  const [user, change] = [await findUser(db, user_id), await findEmailChange(db, user_id, now)]
  if (!user || !change) return
  const { new_email } = change
  const holder = await findUserByEmail(db, new_email)
  const is_taken =
    (holder !== undefined && holder.id !== user_id) || (await isAddressReserved(db, { email: new_email, user_id, now }))
  if (is_taken) {
    const text = mailIn(holder?.language ?? null, 'mail.address-taken', { public_url })
    return mailer.send({ to: holder?.email ?? new_email, ...text })
  }
  const code = mailedDigits(keys.codes[0], mailer.job, digits)
  const code_hash = keyedHash(keys.codes[0], codeText(user_id, new_email, code))
  if (!(await setEmailChangeCode(db, { user_id, new_email, code_hash, now }))) return
  const link = mailedLink(public_url, '/account/details', code)
  const facts = { username: user.username, code, link, minutes: lifetime_seconds / 60 }
  await mailer.send({ to: new_email, ...mailIn(user.language, 'mail.email-change', facts) })
}

/** The text that is hashed for a code. It includes the address, so that the code confirms no other one. */
const codeText = (user_id: string, email: string, code: string) => `${user_id} ${email} ${code}`

/**
 * Changes the address with the code mailed to the new one (D-107). The old address, if verified, gets a code to undo
 * the change. Fails with `invalid_code`, `too_many_codes`, or `email_taken` if another account took the address in the
 * meantime.
 */
export async function confirmEmailChange(deps: AccountsDeps, caller: UserCaller, code: string) {
  const { db, clock, keys } = deps
  const { user_id } = caller
  const now = clock()
  const change = await findEmailChange(db, user_id, now)
  if (!change) throw new Failure('invalid_code', { user_id, why: 'no change of address waits' })
  const code_hashes = keyedHashes(keys.codes, codeText(user_id, change.new_email, code.trim()))
  // Outside the transaction below: a wrong attempt must count although the call fails. An address in use has no code:
  // these tries must not keep its owner from verifying it.
  const target = change.has_code ? { user_id, email: change.new_email } : { user_id }
  const email = await tryCode(deps, target, 'too_many_codes', () =>
    consumeEmailChangeAttempt(db, { user_id, code_hashes, now }),
  )
  if (email === undefined) throw new Failure('invalid_code', { user_id })
  try {
    await db.transaction(async (tx) => {
      const user = await findUser(tx, user_id)
      const before = await setEmail(tx, user_id, email)
      if (!user || !before) throw new Failure('invalid_code', { user_id, why: 'the account is gone' })
      await requireSession(deps, tx, caller)
      await refuseReservedAddress(deps, tx, user_id, email)
      await deleteEmailChange(tx, user_id)
      if (before.email_verified) await enqueueUndo(tx, { user_id, kind: 'email', ...before }, now)
      else await emitEmailVerified(deps, tx, user, now)
    })
  } catch (error) {
    throw violates(error, 'users_email') ? new Failure('email_taken', { user_id }) : error
  }
}
