import type { JobMailer } from '../platform/mail.ts'
import { mailIn } from '../platform/texts.ts'
import { mailUndo } from './notices.service.ts'
import type { PasskeyEvent } from './passkey-answers.service.ts'
import type { AccountsDeps } from './service.ts'
import { findUser } from './store.ts'

interface Notice {
  user_id: string
  name: string
  event: PasskeyEvent
  /** For an added passkey: the mail can undo it. Version 0.2 queued none. */
  undo_id?: string
}

const mails = {
  added: 'mail.passkey-added',
  removed: 'mail.passkey-removed',
  copied: 'mail.passkey-copied',
  required: 'mail.passkey-required',
  not_required: 'mail.passkey-not-required',
} as const satisfies Record<PasskeyEvent, string>

/** Mails the owner an event of a passkey, or of the second factor by passkey. */
export async function mailPasskeyEvent(
  deps: AccountsDeps,
  mailer: JobMailer,
  { user_id, name, event, undo_id }: Notice,
) {
  const { db, public_url } = deps
  const user = await findUser(db, user_id)
  // An unverified address may belong to somebody else.
  if (!user?.email_verified) return
  if (undo_id !== undefined) return mailUndo(deps, mailer, { undo_id, name })
  const facts = { username: user.username, name: name.replace(/\s+/g, ' '), public_url }
  await mailer.send({ to: user.email, ...mailIn(user.language, mails[event], facts) })
}
