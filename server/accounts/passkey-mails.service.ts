import type { Mailer } from '../platform/mail.ts'
import type { PasskeyEvent } from './passkey-answers.service.ts'
import type { AccountsDeps } from './service.ts'
import { findUser } from './store.ts'

interface Notice {
  user_id: string
  name: string
  event: PasskeyEvent
}

const subjects: Record<PasskeyEvent, string> = {
  added: 'A passkey was added to your Plaza account',
  removed: 'A passkey was removed from your Plaza account',
  copied: 'A passkey of your Plaza account was refused',
  required: 'Signing in to Plaza now asks for a passkey',
  not_required: 'Signing in to Plaza no longer asks for a passkey',
}

const sentences: Record<PasskeyEvent, (name: string) => string> = {
  added: (name) => `the passkey "${name}" was added to your account. It signs in without your password.`,
  removed: (name) => `the passkey "${name}" was removed from your account. It no longer signs in.`,
  copied: (name) =>
    `somebody used the passkey "${name}" in a way that only a copy of it does, and was refused. Remove it, and add it again.`,
  required: () => 'signing in with your password now asks for a passkey too.',
  not_required: () => 'signing in with your password no longer asks for a passkey.',
}

/** Mails the owner what happened to a passkey, or to the second factor by passkey. */
export async function mailPasskeyEvent(
  { db, public_url }: AccountsDeps,
  mailer: Mailer,
  { user_id, name, event }: Notice,
) {
  const user = await findUser(db, user_id)
  // Another address may belong to somebody else.
  if (!user?.email_verified) return
  await mailer.send({
    to: user.email,
    subject: subjects[event],
    text:
      `Hello ${user.username},\n\n${sentences[event](name.replace(/\s+/g, ' '))}\n\n` +
      `If that was not you, change your password and look at your passkeys and sign-ins:\n\n${public_url}/account/security\n`,
  })
}
