import {
  approveApp,
  authorize,
  awardPoints,
  createApp,
  getExternalUser,
  login,
  register,
  spendPoints,
  token,
} from './generated/hey-api/index.ts'
import { client } from './generated/hey-api/client.gen.ts'
import type { SpendPointsErrors } from './generated/hey-api/types.gen.ts'
import type { Play } from './played.ts'

/** The client of hey-api, with another fetch. */
export const play: Play = async ({ url, admin, person, operator, verified, pkce, key }) => {
  client.setConfig({ baseUrl: url })
  const signedIn = async (credentials: { email: string; password: string }) => {
    const { data } = await login({ body: credentials, throwOnError: true })
    return { id: data.user.id, auth: data.token }
  }
  const made = await register({ body: operator, throwOnError: true })
  await verified(made.data.user.id)
  await register({ body: person, throwOnError: true })
  const [owner, root, customer] = [await signedIn(operator), await signedIn(admin), await signedIn(person)]

  const redirect_uri = 'https://shop.example/callback'
  const registered = await createApp({
    auth: owner.auth,
    body: { app_name: 'Shop', redirect_uris: [redirect_uri], requested_scopes: ['profile:read', 'points:spend'] },
    throwOnError: true,
  })
  const { id, client_id, client_secret } = registered.data.app
  await approveApp({ auth: root.auth, path: { id }, body: {}, throwOnError: true })
  await awardPoints({ auth: root.auth, body: { user_id: customer.id, amount: 100 }, throwOnError: true })

  const granted = await authorize({
    auth: customer.auth,
    query: {
      client_id,
      response_type: 'code',
      code_challenge: pkce.challenge,
      code_challenge_method: 'S256',
      redirect_uri,
    },
    throwOnError: true,
  })
  const tokens = await token({
    body: {
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      code: granted.data.code,
      redirect_uri,
      code_verifier: pkce.verifier,
    },
    throwOnError: true,
  })
  const auth = tokens.data.access_token
  const profile = await getExternalUser({ auth, throwOnError: true })
  const spend = (amount: number) =>
    spendPoints({ auth, headers: { 'Idempotency-Key': key(amount) }, body: { amount, reference: 'order-1' } })
  const [first, again, too_much, nothing] = [await spend(30), await spend(30), await spend(1_000), await spend(0)]
  const refused = too_much.error as SpendPointsErrors[409] | undefined
  const refusal: 'insufficient_points' | 'spending_limit_reached' | 'points_limit_reached' | undefined = refused?.error
  const faults = nothing.error && 'fields' in nothing.error ? nothing.error.fields.map(({ path }) => path) : []
  return {
    name: profile.data.user.username,
    points: first.data!.points,
    is_replayed: again.data!.transfer_id === first.data!.transfer_id,
    refusal,
    faults,
  }
}
