import { Type } from 'typebox'
import { client_secret, secret_name } from './app-fields.ts'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { app_id, client_id } from './fields.ts'
import { code_challenge } from './oauth-fields.ts'
import { identity_proof, proof_failures } from './passkey-fields.ts'
import { bounded_text, date_time, described, text } from './schema.ts'

const { code_seconds, secret_days } = decisions.terminals
const of_terminal = { origin: 'extension', decision: 'D-157', tag: 'OAuth apps' } as const

export const createCliCode = endpoint('POST /api/oauth/my-apps/{id}/cli-codes', {
  ...of_terminal,
  team_role: 'developer',
  summary: 'Create a code that `plaza login` exchanges for a secret of the app',
  description:
    'For the page `/cli`, which sends the code to the terminal that opened it. The exchange creates the secret with the permissions ' +
    '`deploy`, `webhooks` and `payments_read`, or with `deploy` alone if the role is `developer`. Takes the fields of a ' +
    'proof, unless the session has one or began in the last minutes.',
  auth: 'user',
  proof: 'recent',
  limit: { requests: 20, seconds: 3600 },
  params: Type.Object({ id: app_id }),
  body: Type.Object({
    ...identity_proof,
    code_challenge,
    name: secret_name,
  }),
  status: [201],
  response: Type.Object({
    code: described('Valid for one exchange', text),
    expires_in: described('Its lifetime in seconds', Type.Integer({ const: code_seconds })),
  }),
  fails: ['not_found', 'proof_required', ...proof_failures],
})

export const redeemCliCode = endpoint('POST /api/cli/token', {
  ...of_terminal,
  summary: 'Exchange a code of `plaza login` for a client secret of the app',
  description:
    'A code can be exchanged once. The secret is named after the machine and expires. The person who made the code must still be ' +
    'signed in and have the role.',
  auth: 'none',
  limit: { requests: 20, seconds: 60 },
  body: Type.Object({
    code: described('The code sent to the terminal', bounded_text(1, 100)),
    code_verifier: described('The verifier of the code’s challenge', bounded_text(43, 128)),
  }),
  status: [201],
  response: Type.Object({
    app_id,
    client_id,
    client_secret,
    secret_expires_at: described(`When the secret expires: after ${secret_days} days`, date_time),
  }),
  fails: ['invalid_grant', 'too_many_secrets'],
})

export const deleteOwnSecret = endpoint('DELETE /api/deploy/secret', {
  ...of_terminal,
  summary: 'Delete the secret of this call; it stops working immediately',
  description: 'For `plaza logout`. Other secrets of the app stay.',
  auth: 'client',
  secret_permission: 'deploy',
  response: message_response,
})
