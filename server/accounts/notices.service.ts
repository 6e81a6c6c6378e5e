import { knownDeviceName } from '../../contract/device-name.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import type { JobMailer } from '../platform/mail.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { mailedSecret } from '../platform/mailed-secrets.ts'
import { sha256 } from '../platform/secrets.ts'
import { insertUndo, setUndoCode } from './changes.store.ts'
import { recordLoginAddress } from './login-addresses.store.ts'
import {
  neighbourhood,
  noticeText,
  resetText,
  undoText,
  type Factors,
  type NoticeKind,
  type UndoKind,
} from './notices.rules.ts'
import { mailedLink } from './rules.ts'
import type { AccountsDeps } from './service.ts'
import { findUser } from './store.ts'

const { mailed_after, day_seconds } = decisions.code_tries
const { undo_days, sign_in_notices_per_day } = decisions.account_changes

export const notice_job = 'accounts.mail_notice'
export const undo_job = 'accounts.mail_undo'
export const reset_job = 'accounts.mail_reset'

interface Notice {
  user_id: string
  kind: NoticeKind
  now: Date
  place?: string
  device?: string | undefined
}

/** Queues the mail about a change or sign-in, in the transaction of the change (D-107). */
export const enqueueNotice = (db: Sql, { user_id, kind, now, place, device }: Notice) =>
  enqueue(db, notice_job, { user_id, kind, at: now.toISOString(), place, device }, { priority: 'mail' })

/** Mails a notice to the account's address if it is verified: an unverified one may belong to somebody else. */
export async function mailNotice(
  { db, public_url }: AccountsDeps,
  mailer: JobMailer,
  payload: Record<string, unknown>,
) {
  const user = await findUser(db, String(payload.user_id))
  if (!user?.email_verified) return
  const { place, device } = payload as { place?: string; device?: string }
  const { username, language } = user
  const facts = { username, language, at: new Date(String(payload.at)), public_url, place, device }
  await mailer.send({ to: user.email, ...noticeText(payload.kind as NoticeKind, facts) })
}

/**
 * Records the network address of a sign-in, and queues a mail if its neighbourhood is new to an account with earlier
 * sign-ins. At most a few mails a day, because the addresses of phones change often.
 */
export async function noteSignIn(
  deps: AccountsDeps,
  { user_id, address, user_agent }: { user_id: string; address: string; user_agent: string | undefined },
) {
  const now = deps.clock()
  const is_new = await recordLoginAddress(deps.db, { user_id, address, neighbourhood: neighbourhood(address), now })
  if (!is_new) return
  const { count } = await deps.counter.hit(`sign-in notices ${user_id}`, 86_400)
  if (count > sign_in_notices_per_day) return
  const device = user_agent === undefined ? undefined : knownDeviceName(user_agent)
  await enqueueNotice(deps.db, { user_id, kind: 'sign_in', now, place: address, device })
}

/**
 * Counts a wrong second factor from somebody who knows the password. At most once a day, a mail about many of them is
 * queued (D-121).
 */
export async function noteWrongSecondFactor(deps: Pick<AccountsDeps, 'db' | 'clock' | 'counter'>, user_id: string) {
  const { count } = await deps.counter.hit(`wrong second factors ${user_id}`, day_seconds)
  if (count === mailed_after) await enqueueNotice(deps.db, { user_id, kind: 'wrong_second_factors', now: deps.clock() })
}

interface Undoable {
  user_id: string
  kind: UndoKind
  /** Address and name before the change. */
  email: string
  username: string
}

/** Stores the state that a change can be undone to, in its transaction; returns the id for the mail (D-107). */
export async function storeUndo(tx: Tx, { user_id, kind, email, username }: Undoable, now: Date) {
  const id = newId()
  const expires_at = secondsAfter(now, undo_days * 86_400)
  await insertUndo(tx, { id, user_id, kind, email, username, changed_at: now, expires_at })
  return id
}

/** Stores the state that a change can be undone to, and queues the mail with the code. */
export async function enqueueUndo(tx: Tx, undoable: Undoable, now: Date) {
  const { user_id } = undoable
  await enqueue(tx, undo_job, { user_id, undo_id: await storeUndo(tx, undoable, now) }, { priority: 'mail' })
}

/**
 * Mails the code of an undo to the address before the change; `name` is that of an added passkey. The code exists in
 * clear in the mail only.
 */
export async function mailUndo(
  { db, clock, keys, public_url }: AccountsDeps,
  mailer: JobMailer,
  { undo_id, name }: { undo_id: string; name?: string },
) {
  const code = mailedSecret(keys.codes[0], mailer.job, 'plz_undo_')
  const undo = await setUndoCode(db, { id: undo_id, code_hash: sha256(code), now: clock() })
  if (!undo) return
  const { user_id, kind, email, username, changed_at: at, expires_at: until } = undo
  const { language = null } = (await findUser(db, user_id)) ?? {}
  const link = mailedLink(public_url, '/undo-change', code)
  await mailer.send({
    to: email,
    ...undoText(kind, { language, username, at, until, link, code, ...(name !== undefined && { name }) }),
  })
}

interface Reset {
  user_id: string
  at: Date
  factors: Factors
}

/** Queues the mail about a password reset, in its transaction (D-122). */
export const enqueueReset = (tx: Tx, { user_id, at, factors }: Reset) =>
  enqueue(tx, reset_job, { user_id, at: at.toISOString(), factors }, { priority: 'mail' })

/** Mails that the password was reset, and which factors still prove the person's identity. */
export async function mailReset(
  { db, public_url }: AccountsDeps,
  mailer: JobMailer,
  { user_id, at, factors }: { user_id: string; at: string; factors: Factors },
) {
  const user = await findUser(db, user_id)
  if (!user) return
  const { email, language, username } = user
  await mailer.send({ to: email, ...resetText({ language, username, at: new Date(at), public_url, factors }) })
}
