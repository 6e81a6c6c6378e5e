import { Type } from 'typebox'
import * as account_fields from './account-fields.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { login_session_id } from './fields.ts'
import {
  authentication_response,
  identity_proof,
  passkey_proof_failures,
  proof_failures,
  request_options,
} from './passkey-fields.ts'
import { bounded_text, date_time, decided, described, text } from './schema.ts'

const of_anybody = { tag: 'Accounts', auth: 'none' } as const
const of_account = { tag: 'Accounts', auth: 'user' } as const
const of_user = { ...of_account, origin: 'extension', decision: 'D-15' } as const

const limits = decisions.rate_limits
const { lifetime_seconds: mailed_seconds, tries, digits } = decisions.mailed_codes
const { recent_days } = decisions.account_recovery
const { proved_seconds } = decisions.proofs
const { failures_max, window_seconds, resets_max } = decisions.failed_logins

export const message_response = Type.Object({ message: account_fields.done })

export const register = endpoint('POST /api/auth/register', {
  ...of_anybody,
  summary: 'Create an account',
  description:
    'Does not sign in: call the login next. The address is verified with a mailed code. Points for a referral are paid after that.',
  decision: 'D-10',
  limit: { ...limits.register, setting: 'register' },
  body: Type.Object({
    email: account_fields.new_email,
    password: account_fields.new_password,
    username: account_fields.new_username,
    referral_code: Type.Optional(
      described(
        'The referral code of the person who invited this one; an unknown code gets 422',
        decided('D-12', bounded_text(1, 64)),
      ),
    ),
  }),
  status: [201],
  response: Type.Object({ user: described('The new account', account_fields.registered_user) }),
  fails: ['email_taken', 'username_taken'],
})

export const login = endpoint('POST /api/auth/login', {
  ...of_anybody,
  summary: 'Sign in and get a JWT',
  description:
    'Accounts with two-factor authentication send `totp_code` as well: six digits, or a recovery code; or `passkey`, where the ' +
    `refusal has \`passkey_options\`. ${failures_max} failures in ${window_seconds / 60} minutes are 429 for that account and address.`,
  decision: 'D-10',
  limit: { ...limits.login, setting: 'login' },
  body: Type.Object({
    email: decided('D-91', account_fields.sent_email),
    password: account_fields.password,
    totp_code: Type.Optional(account_fields.totp_code),
    passkey: Type.Optional(decided('D-108', authentication_response)),
  }),
  response: Type.Object({
    token: account_fields.token,
    user: described('The signed-in person', account_fields.signed_in_user),
  }),
  fails: [
    'invalid_credentials',
    'too_many_failures',
    'totp_required',
    'passkey_required',
    'invalid_totp_code',
    'totp_locked',
    'invalid_passkey',
    'passkey_copied',
    'passkey_challenge_over',
    'account_suspended',
  ],
  failure_fields: {
    totp_required: { passkey_options: Type.Optional(request_options) },
    passkey_required: { passkey_options: request_options },
  },
})

export const logout = endpoint('POST /api/auth/logout', {
  ...of_user,
  summary: 'End the login session of this JWT',
  description: 'The JWT stops working immediately. Connected apps stay connected.',
  response: message_response,
})

export const renewSession = endpoint('POST /api/auth/session/renew', {
  ...of_user,
  summary: 'Renew a session of the console',
  description:
    'Gives a new JWT of the same session; the one before ends after 30 seconds. Needs the cookie that the sign-in of the console sets, ' +
    'so only the console can call it. The JWT may have expired.',
  accepts_expired: true,
  cors: 'none',
  decision: 'D-166',
  response: Type.Object({ token: account_fields.token }),
})

export const me = endpoint('GET /api/auth/me', {
  ...of_account,
  summary: 'Your own profile',
  description: 'Your whole account with its current balance. Apps read `/api/external/user`.',
  decision: 'D-10',
  response: Type.Object({ user: described('The account of the JWT', account_fields.profile) }),
})

export const setLanguage = endpoint('PUT /api/auth/language', {
  ...of_user,
  summary: 'Choose the language of mails',
  description:
    'A new account gets the language of `Accept-Language` at its registration; an older one gets it at its next login. If this Plaza ' +
    'has no texts in that language, mails are in English.',
  decision: 'D-125',
  body: Type.Object({ language: decided('D-125', account_fields.mail_language) }),
  response: message_response,
})

export const setupTotp = endpoint('POST /api/auth/totp/setup', {
  ...of_account,
  summary: 'Start two-factor set-up: a secret and its otpauth URI',
  description: 'Takes effect when `enable` is called with a first code. Another call makes another secret.',
  decision: 'D-10',
  response: Type.Object({
    secret: described('In base32, for typing into an authenticator', text),
    uri: described('The same as an `otpauth:` address, for display as a QR code', text),
  }),
  fails: ['totp_already_enabled'],
})

export const enableTotp = endpoint('POST /api/auth/totp/enable', {
  ...of_account,
  summary: 'Finish two-factor set-up with a first code; recovery codes are shown once',
  description:
    'From then on the login takes `totp_code`. After too many wrong codes the response is 429. An account that already has a passkey ' +
    'as its second factor also sends a proof, as for other changes.',
  decision: 'D-10',
  proof: 'asked',
  body: Type.Object({
    code: described('The current code of the authenticator', account_fields.mailed_code),
    password: Type.Optional(
      described(
        'The password of the account; required if its second factor is a passkey and none is sent',
        account_fields.password,
      ),
    ),
    totp_code: identity_proof.totp_code,
    passkey: identity_proof.passkey,
  }),
  response: Type.Object({ message: account_fields.done, recovery_codes: account_fields.recovery_codes }),
  fails: ['totp_not_set_up', 'totp_already_enabled', ...proof_failures],
})

export const disableTotp = endpoint('POST /api/auth/totp/disable', {
  ...of_user,
  summary: 'Turn two-factor authentication off',
  description: 'Needs the password and a current code (or a recovery code), or a passkey instead of both.',
  limit: { ...limits.login, setting: 'login' },
  proof: 'asked',
  body: Type.Object(identity_proof),
  response: message_response,
  fails: [
    'totp_not_enabled',
    'wrong_password',
    'too_many_failures',
    'invalid_code',
    'totp_locked',
    ...passkey_proof_failures,
  ],
})

export const sendVerification = endpoint('POST /api/auth/send-verification', {
  ...of_account,
  summary: 'Mail a verification code to your address',
  description: `The code is valid for ${mailed_seconds / 60} minutes and ${tries} attempts. A new code replaces it.`,
  limit: { ...limits.send_verification, setting: 'send_verification' },
  response: message_response,
  fails: ['already_verified'],
})

export const verifyEmail = endpoint('POST /api/auth/verify-email', {
  ...of_account,
  summary: 'Verify your address with the mailed code',
  description: 'Ends the other login sessions of the account: they may belong to somebody who used your address.',
  decision: 'D-11',
  limit: { ...limits.verify_email, setting: 'verify_email' },
  body: Type.Object({
    code: described(`The ${digits} digits in the mail`, decided('D-11', account_fields.mailed_code)),
  }),
  response: message_response,
  fails: ['invalid_code', 'too_many_codes', 'already_verified'],
})

export const changePassword = endpoint('POST /api/auth/password/change', {
  ...of_user,
  summary: 'Change your password',
  description: 'Ends every login session of the account, including this one, and returns the JWT of a new one.',
  limit: { ...limits.login, setting: 'login' },
  proof: 'asked',
  body: Type.Object({
    current_password: Type.Optional(
      described(
        'The current password; required unless a passkey is sent or the session has a proof',
        account_fields.password,
      ),
    ),
    new_password: account_fields.new_password,
    passkey: Type.Optional(authentication_response),
  }),
  response: Type.Object({ message: account_fields.done, token: account_fields.token }),
  fails: ['wrong_password', 'too_many_failures', ...passkey_proof_failures],
})

export const forgotPassword = endpoint('POST /api/auth/password/forgot', {
  ...of_anybody,
  summary: 'Mail a code that sets a new password',
  description: `The response is the same whether or not an account has the address. At most ${resets_max} codes an hour for one address.`,
  origin: 'extension',
  decision: 'D-15',
  limit: { ...limits.send_verification, setting: 'send_verification' },
  body: Type.Object({ email: account_fields.sent_email }),
  response: message_response,
  fails: ['too_many_resets'],
})

export const resetPassword = endpoint('POST /api/auth/password/reset', {
  ...of_anybody,
  summary: 'Set a new password with a mailed code',
  description:
    'Ends every login session, pending authorization code and app connection of the account, and passkeys, authenticator apps and ' +
    `recovery codes that were added in the last ${recent_days} days. A mail lists the older ones, which stay.`,
  origin: 'extension',
  decision: 'D-15',
  limit: { ...limits.verify_email, setting: 'verify_email' },
  body: Type.Object({
    code: described('The code in the mail or its link', bounded_text(1, 200)),
    new_password: account_fields.new_password,
  }),
  response: message_response,
  fails: ['invalid_code'],
})

export const listLoginSessions = endpoint('GET /api/auth/sessions', {
  ...of_user,
  summary: 'Your active login sessions',
  description: 'One for each sign-in. Sessions of apps are not included.',
  response: Type.Object({ sessions: described('All of them, newest first', Type.Array(account_fields.login_session)) }),
})

export const endLoginSession = endpoint('DELETE /api/auth/sessions/{id}', {
  ...of_user,
  summary: 'End one of your login sessions',
  description: 'Its JWT stops working immediately. It may be the session of this call.',
  params: Type.Object({ id: login_session_id }),
  response: message_response,
  fails: ['not_found'],
})

export const endOtherLoginSessions = endpoint('DELETE /api/auth/sessions', {
  ...of_user,
  summary: 'End all your login sessions except this one',
  description:
    'For a lost device: their JWTs stop working at once. Takes the fields of a proof, unless the session has one or began in the last ' +
    `${proved_seconds / 60} minutes.`,
  decision: 'D-129',
  proof: 'recent',
  body: Type.Object(identity_proof),
  response: message_response,
  fails: ['proof_required', ...proof_failures],
})

export const proveOwner = endpoint('POST /api/auth/proof', {
  ...of_user,
  summary: 'Prove once that you are the owner, for calls in the next minutes',
  description:
    `For ${proved_seconds / 60} minutes, calls of this login session that take a proof need no fields of it. Another proof restarts ` +
    'that time, and always needs its fields.',
  decision: 'D-129',
  limit: { ...limits.login, setting: 'login' },
  body: Type.Object(identity_proof),
  response: Type.Object({
    proved_until: described('The time until which calls of this session need no proof', date_time),
  }),
  fails: proof_failures,
})
