import { Type } from 'typebox'
import { done, signed_in_user, token } from './account-fields.ts'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { passkey_id } from './fields.ts'
import * as fields from './passkey-fields.ts'
import { boolean, described } from './schema.ts'

const { login: login_limit } = decisions.rate_limits
const { passkeys_max, options_per_minute } = decisions.passkeys

const extension = { tag: 'Accounts', auth: 'user', origin: 'extension', decision: 'D-108' } as const
const asked = Type.Object({ options: fields.request_options })
export const listPasskeys = endpoint('GET /api/auth/passkeys', {
  ...extension,
  summary: 'Your passkeys',
  description: `At most ${passkeys_max}, newest first, and whether signing in with the password asks for one of them.`,
  response: Type.Object({
    passkeys: described('All of them, newest first', Type.Array(fields.passkey)),
    second_factor: described('Whether a passkey is required after the password', boolean),
  }),
})

export const passkeyRegistrationOptions = endpoint('POST /api/auth/passkeys/register/options', {
  ...extension,
  summary: 'Start adding a passkey: get the options for the browser',
  description:
    'Needs a proof that the owner calls: the password, with a code if there is a second factor, or another passkey. The options can ' +
    'be used once, in this login session.',
  limit: { ...login_limit, setting: 'login' },
  proof: 'asked',
  body: Type.Object(fields.identity_proof),
  response: Type.Object({ options: fields.creation_options }),
  fails: [...fields.proof_failures, 'too_many_passkeys'],
})

export const registerPasskey = endpoint('POST /api/auth/passkeys/register', {
  ...extension,
  summary: 'Finish adding a passkey with the browser’s answer',
  description: 'The owner is notified by mail. The passkey then signs in without the password.',
  limit: { ...login_limit, setting: 'login' },
  body_bytes_max: 131_072,
  body: Type.Object({ name: fields.passkey_name, response: fields.registration_response }),
  status: [201],
  response: Type.Object({ passkey: described('The new passkey', fields.passkey) }),
  fails: ['passkey_unusable', 'passkey_challenge_over', 'passkey_taken', 'too_many_passkeys', 'passkeys_unavailable'],
})

export const renamePasskey = endpoint('PATCH /api/auth/passkeys/{id}', {
  ...extension,
  summary: 'Rename one of your passkeys',
  description: 'The name is only shown in your list; the authenticator may show another one.',
  params: Type.Object({ id: passkey_id }),
  body: Type.Object({ name: fields.passkey_name }),
  response: Type.Object({ passkey: described('The changed passkey', fields.passkey) }),
  fails: ['not_found'],
})

export const deletePasskey = endpoint('POST /api/auth/passkeys/{id}/delete', {
  ...extension,
  summary: 'Remove one of your passkeys',
  description:
    'Needs the same proof as adding one. The owner is notified by mail. Removing the last passkey ends the second factor by passkey, ' +
    'and its recovery codes unless an authenticator app uses them.',
  limit: { ...login_limit, setting: 'login' },
  params: Type.Object({ id: passkey_id }),
  proof: 'asked',
  body: Type.Object(fields.identity_proof),
  response: message_response,
  fails: [...fields.proof_failures, 'not_found'],
})

export const passkeyProofOptions = endpoint('POST /api/auth/passkeys/proof/options', {
  ...extension,
  summary: 'Start a proof by passkey that you are the owner',
  description: 'Send the browser’s answer as `passkey` of the call that needs a proof, in this login session.',
  limit: { requests: options_per_minute, seconds: 60 },
  response: asked,
  fails: ['no_passkeys', 'passkeys_unavailable'],
})

export const setPasskeySecondFactor = endpoint('POST /api/auth/passkeys/second-factor', {
  ...extension,
  summary: 'Turn the passkey after the password on or off',
  description:
    'Needs the same proof as adding a passkey. Turning it on creates recovery codes if there are no valid ones. With an ' +
    'authenticator app, a passkey can always replace its code.',
  limit: { ...login_limit, setting: 'login' },
  proof: 'asked',
  body: Type.Object({
    enabled: described('Whether a passkey is required after the password', boolean),
    ...fields.identity_proof,
  }),
  response: Type.Object({
    message: done,
    recovery_codes: described(
      'Single-use codes that replace a passkey; shown only here, and null if the account already has some',
      Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
    ),
  }),
  fails: [...fields.proof_failures, 'no_passkeys'],
})

export const passkeyLoginOptions = endpoint('POST /api/auth/passkeys/login/options', {
  ...extension,
  summary: 'Start signing in with a passkey',
  description:
    'The options name no account: the authenticator finds the passkeys of this Plaza. A browser may offer them while the address is typed.',
  auth: 'none',
  limit: { requests: options_per_minute, seconds: 60 },
  response: asked,
  fails: ['passkeys_unavailable'],
})

export const passkeyLogin = endpoint('POST /api/auth/passkeys/login', {
  ...extension,
  summary: 'Sign in with a passkey and get a JWT',
  description:
    'The response is that of the sign-in with a password. A second factor is not needed: the authenticator must have verified the ' +
    'person by PIN, finger or face.',
  auth: 'none',
  limit: { ...login_limit, setting: 'login' },
  body: Type.Object({ response: fields.authentication_response }),
  response: Type.Object({ token, user: described('The signed-in person', signed_in_user) }),
  fails: [
    'invalid_passkey',
    'passkey_copied',
    'passkey_challenge_over',
    'too_many_failures',
    'account_suspended',
    'passkeys_unavailable',
  ],
})
