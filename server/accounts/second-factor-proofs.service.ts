import { randomBytes } from 'node:crypto'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure, orFail } from '../platform/failure.ts'
import type { JobMailer } from '../platform/mail.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { mailedDigits, mailedSecret } from '../platform/mailed-secrets.ts'
import { keyedHash, keyedHashes, sha256 } from '../platform/secrets.ts'
import { mailIn } from '../platform/texts.ts'
import { endSecondFactor } from './passkeys.store.ts'
import { mailedLink } from './rules.ts'
import { hasSecondFactor } from './second-factor.service.ts'
import {
  confirmByCode,
  confirmByLink,
  consumeProof,
  findProof,
  setProofCodes,
  startProof,
} from './second-factor-proofs.store.ts'
import type { AccountsDeps } from './service.ts'
import { endAllSessions } from './sessions.service.ts'
import { findUser } from './store.ts'
import { clearTotp } from './two-factor.store.ts'

const { digits, tries: attempts, lifetime_seconds } = decisions.admin_support

const codeText = (user_id: string, code: string) => `second factor ${user_id} ${code}`
const emailText = (user_id: string, email: string) => `second factor ${user_id} ${email.toLowerCase()}`

const getPerson = (db: Sql, user_id: string) => orFail(findUser(db, user_id), 'not_found', { user_id })

/**
 * Starts a proof of the address of a person who lost the second factor (D-110), in the admin's transaction, and queues
 * a mail with the codes. Fails with `not_found` or `totp_not_enabled`.
 */
export async function startSecondFactorProof(
  { clock }: Pick<AccountsDeps, 'clock'>,
  tx: Tx,
  { user_id, started_by }: { user_id: string; started_by: string },
) {
  const user = await getPerson(tx, user_id)
  if (!(await hasSecondFactor(tx, user))) throw new Failure('totp_not_enabled', { user_id })
  const now = clock()
  const expires_at = secondsAfter(now, lifetime_seconds)
  await startProof(tx, { user_id, started_by, nobodys_hash: randomBytes(32), attempts, now, expires_at })
  await enqueue(tx, 'accounts.mail_second_factor_proof', { user_id }, { priority: 'mail' })
}

/** Makes and mails the codes of a proof. They exist in clear in the mail only. */
export async function mailSecondFactorProof(
  { db, clock, keys, public_url }: AccountsDeps,
  mailer: JobMailer,
  user_id: string,
) {
  const user = await findUser(db, user_id)
  if (!user) return
  const code = mailedDigits(keys.codes[0], mailer.job, digits)
  const link_code = mailedSecret(keys.codes[0], mailer.job, 'plz_sf_')
  const codes = {
    user_id,
    code_hash: keyedHash(keys.codes[0], codeText(user_id, code)),
    link_hash: sha256(link_code),
    email_hash: keyedHash(keys.codes[0], emailText(user_id, user.email)),
    now: clock(),
  }
  if (!(await setProofCodes(db, codes))) return
  const link = mailedLink(public_url, '/confirm-address', link_code)
  const facts = { username: user.username, code, link, minutes: lifetime_seconds / 60 }
  await mailer.send({ to: user.email, ...mailIn(user.language, 'mail.proof', facts) })
}

/**
 * Confirms a proof with the code that the person gave the admin. Every call first consumes an attempt, even if it
 * fails. Fails with `not_found` or `invalid_code`.
 */
export async function confirmToldCode({ db, clock, keys }: AccountsDeps, user_id: string, code: string) {
  await getPerson(db, user_id)
  const code_hashes = keyedHashes(keys.codes, codeText(user_id, code.replace(/\s/g, '')))
  if (!(await confirmByCode(db, { user_id, code_hashes, now: clock() }))) throw new Failure('invalid_code', { user_id })
}

/** Confirms a proof with the code in the mail's link. Fails with `invalid_code`. */
export async function confirmLink({ db, clock }: Pick<AccountsDeps, 'db' | 'clock'>, code: string) {
  if ((await confirmByLink(db, { link_hash: sha256(code.trim()), now: clock() })) === undefined)
    throw new Failure('invalid_code')
}

/**
 * Removes the second factor of a person who has proved the address, ends all login sessions, and mails a notice, in the
 * admin's transaction. Fails with `not_found`, `totp_not_enabled`, or `address_not_proved`, also if the address has
 * changed since.
 */
export async function removeSecondFactor(deps: AccountsDeps, tx: Tx, user_id: string) {
  const user = await getPerson(tx, user_id)
  if (!(await hasSecondFactor(tx, user))) throw new Failure('totp_not_enabled', { user_id })
  const email_hashes = keyedHashes(deps.keys.codes, emailText(user_id, user.email))
  if (!(await consumeProof(tx, { user_id, email_hashes, now: deps.clock() })))
    throw new Failure('address_not_proved', { user_id })
  // Passkeys stay: each still signs in alone.
  await endSecondFactor(tx, user_id, false)
  await clearTotp(tx, user_id)
  await endAllSessions(deps, tx, user_id, null)
  await enqueue(tx, 'accounts.mail_second_factor_removed', { user_id }, { priority: 'mail' })
}

/** Mails a person that an admin removed the second factor. */
export async function mailSecondFactorRemoved({ db, public_url }: AccountsDeps, mailer: JobMailer, user_id: string) {
  const user = await findUser(db, user_id)
  if (!user) return
  const facts = { username: user.username, public_url }
  await mailer.send({ to: user.email, ...mailIn(user.language, 'mail.factor-removed', facts) })
}

/** Whether signing in to a person's account needs more than the password. Fails with `not_found`. */
export const isSecondFactorOn = async ({ db }: Pick<AccountsDeps, 'db'>, user_id: string) =>
  hasSecondFactor(db, await getPerson(db, user_id))

/** The state of a person's proof. */
export async function proofOf({ db, clock }: Pick<AccountsDeps, 'db' | 'clock'>, user_id: string) {
  const proof = await findProof(db, { user_id, now: clock() })
  if (!proof) return { state: 'none' as const, expires_at: null }
  return { state: proof.is_confirmed ? ('confirmed' as const) : ('mailed' as const), expires_at: proof.expires_at }
}
