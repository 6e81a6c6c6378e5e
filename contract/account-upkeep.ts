import { Type } from 'typebox'
import { done, mailed_code, new_email, new_password, new_username, recovery_codes } from './account-fields.ts'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { while_muted } from './moderation-fields.ts'
import { identity_proof, proof_failures } from './passkey-fields.ts'
import { bounded_text, decided, described, nullable_date_time, nullable_text } from './schema.ts'

const of_owner = { tag: 'Accounts', auth: 'user', origin: 'extension', decision: 'D-107' } as const

const limits = decisions.rate_limits
const { lifetime_seconds, tries, digits } = decisions.mailed_codes
const { undo_days, name_reserved_days } = decisions.account_changes

export const changeEmail = endpoint('POST /api/auth/email/change', {
  ...of_owner,
  summary: 'Request a change of your e-mail address',
  description:
    `Mails a code to the new address, which is good for ${lifetime_seconds / 60} minutes and ${tries} tries; the address changes ` +
    'when the code is confirmed. The response is the same whether or not another account has the address. A new request replaces the ' +
    'previous one.',
  limit: { ...limits.send_verification, setting: 'send_verification' },
  proof: 'asked',
  body: Type.Object({ email: new_email, ...identity_proof }),
  response: message_response,
  fails: proof_failures,
})

export const getEmailChange = endpoint('GET /api/auth/email/change', {
  ...of_owner,
  summary: 'The pending change of address',
  description: 'For a page that asks for the code.',
  response: Type.Object({
    new_email: described('The new address; null without a pending change', nullable_text),
    expires_at: described('When its code expires; null without a pending change', nullable_date_time),
  }),
})

export const cancelEmailChange = endpoint('DELETE /api/auth/email/change', {
  ...of_owner,
  summary: 'Cancel the change of address',
  description: 'Voids the code that was mailed to the new address; does nothing without a pending change.',
  response: message_response,
})

export const confirmEmail = endpoint('POST /api/auth/email/confirm', {
  ...of_owner,
  summary: 'Change the address with the code mailed to the new one',
  description:
    'The new address counts as verified. Codes that were mailed to the old address are void, except the one in the notice, which can ' +
    `undo the change for ${undo_days} days.`,
  limit: { ...limits.verify_email, setting: 'verify_email' },
  body: Type.Object({ code: described(`The ${digits} digits in the mail`, decided('D-121', mailed_code)) }),
  response: message_response,
  fails: ['invalid_code', 'too_many_codes', 'email_taken'],
})

export const undoChange = endpoint('POST /api/auth/email/undo', {
  tag: 'Accounts',
  summary: 'Undo a change of the account with the code in the notice',
  description:
    'Restores address and name as they were before the change, sets a new password if one is sent, and ends every login session, pending ' +
    'authorization code and app connection. Removes passkeys and second factors that were added or replaced since; earlier ones ' +
    'stay. Does not sign in: that takes the password and a second factor from before the change. The code works once.',
  auth: 'none',
  origin: 'extension',
  decision: 'D-107',
  limit: { ...limits.verify_email, setting: 'verify_email' },
  body: Type.Object({
    code: described('The code in the mail or its link', bounded_text(1, 200)),
    new_password: Type.Optional(decided('D-122', new_password)),
  }),
  response: message_response,
  fails: ['invalid_code', 'email_taken', 'username_taken'],
})

export const changeUsername = endpoint('POST /api/auth/username/change', {
  ...of_owner,
  summary: 'Change your name',
  description: `The old name stays reserved for you for ${name_reserved_days} days. Your messages show the new one.`,
  limit: { ...limits.login, setting: 'login' },
  proof: 'asked',
  body: Type.Object({ username: decided('D-107', new_username), ...identity_proof }),
  response: message_response,
  fails: ['username_taken', 'too_many_names', 'muted', ...proof_failures],
  failure_fields: while_muted,
})

export const renewRecoveryCodes = endpoint('POST /api/auth/totp/recovery-codes', {
  ...of_owner,
  summary: 'Create new recovery codes; they are shown once',
  description: 'The previous codes become invalid immediately.',
  limit: { ...limits.login, setting: 'login' },
  proof: 'asked',
  body: Type.Object(identity_proof),
  response: Type.Object({ message: done, recovery_codes }),
  fails: ['totp_not_enabled', ...proof_failures],
})
