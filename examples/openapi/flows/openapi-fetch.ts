import createClient from 'openapi-fetch'
import type { paths } from './generated/schema.ts'
import type { Play } from './played.ts'

/** The types of openapi-typescript, called with openapi-fetch. */
export const play: Play = async ({ url, admin, person, operator, verified, pkce, key }) => {
  const plaza = createClient<paths>({ baseUrl: url })
  const signedIn = async (credentials: { email: string; password: string }) => {
    const { data, error } = await plaza.POST('/api/auth/login', { body: credentials })
    if (!data) throw new Error(JSON.stringify(error))
    return { id: data.user.id, headers: { authorization: `Bearer ${data.token}` } }
  }
  const made = await plaza.POST('/api/auth/register', { body: operator })
  await verified(made.data!.user.id)
  await plaza.POST('/api/auth/register', { body: person })
  const [owner, root, customer] = await Promise.all([operator, admin, person].map(signedIn))

  const redirect_uri = 'https://shop.example/callback'
  const { data: registered } = await plaza.POST('/api/oauth/apps', {
    headers: owner!.headers,
    body: { app_name: 'Shop', redirect_uris: [redirect_uri], requested_scopes: ['profile:read', 'points:spend'] },
  })
  const { id, client_id, client_secret } = registered!.app
  await plaza.POST('/api/admin/apps/{id}/approve', { headers: root!.headers, params: { path: { id } }, body: {} })
  await plaza.POST('/api/admin/points/award', { headers: root!.headers, body: { user_id: customer!.id, amount: 100 } })

  const { data: granted } = await plaza.GET('/api/oauth/authorize', {
    headers: customer!.headers,
    params: {
      query: {
        client_id,
        response_type: 'code',
        code_challenge: pkce.challenge,
        code_challenge_method: 'S256',
        redirect_uri,
      },
    },
  })
  const { data: tokens } = await plaza.POST('/api/oauth/token', {
    body: {
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      code: granted!.code,
      redirect_uri,
      code_verifier: pkce.verifier,
    },
  })
  const headers = { authorization: `Bearer ${tokens!.access_token}` }
  const { data: profile } = await plaza.GET('/api/external/user', { headers })
  const spend = (amount: number) =>
    plaza.POST('/api/external/points/spend', {
      headers,
      params: { header: { 'Idempotency-Key': key(amount) } },
      body: { amount, reference: 'order-1' },
    })
  const [first, again, too_much, nothing] = [await spend(30), await spend(30), await spend(1_000), await spend(0)]
  const refusal: 'insufficient_points' | 'spending_limit_reached' | 'points_limit_reached' | undefined =
    too_much.response.status === 409 &&
    too_much.error &&
    'error' in too_much.error &&
    too_much.error.error === 'insufficient_points'
      ? too_much.error.error
      : undefined
  const faults = nothing.error && 'fields' in nothing.error ? nothing.error.fields.map(({ path }) => path) : []
  return {
    name: profile!.user.username,
    points: first.data!.points,
    is_replayed: again.data!.transfer_id === first.data!.transfer_id,
    refusal,
    faults,
  }
}
