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
} from './generated/orval.ts'
import type { Play } from './played.ts'

const json = { 'content-type': 'application/json' }
const as = (bearer: string): RequestInit => ({ headers: { authorization: `Bearer ${bearer}` } })

/** The client of orval, which calls fetch itself, at the address in the document. */
export const play: Play = async ({ admin, person, operator, verified, pkce, key }) => {
  const signedIn = async (credentials: { email: string; password: string }) => {
    const reply = await login(credentials)
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.data))
    return { id: reply.data.user.id, options: as(reply.data.token) }
  }
  const made = await register(operator)
  if (made.status !== 201) throw new Error(JSON.stringify(made.data))
  await verified(made.data.user.id)
  await register(person)
  const [owner, root, customer] = [await signedIn(operator), await signedIn(admin), await signedIn(person)]

  const redirect_uri = 'https://shop.example/callback'
  const registered = await createApp(
    { app_name: 'Shop', redirect_uris: [redirect_uri], requested_scopes: ['profile:read', 'points:spend'] },
    owner.options,
  )
  if (registered.status !== 201) throw new Error(JSON.stringify(registered.data))
  const { id, client_id, client_secret } = registered.data.app
  await approveApp(id, {}, root.options)
  await awardPoints({ user_id: customer.id, amount: 100 }, { 'Idempotency-Key': key(100) }, root.options)

  const granted = await authorize(
    { client_id, response_type: 'code', code_challenge: pkce.challenge, code_challenge_method: 'S256', redirect_uri },
    customer.options,
  )
  if (granted.status !== 200) throw new Error(JSON.stringify(granted.data))
  // If a body may be JSON or a form, orval requires the caller to choose.
  const tokens = await token(
    {
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      code: granted.data.code,
      redirect_uri,
      code_verifier: pkce.verifier,
    },
    {},
    { headers: json },
  )
  if (tokens.status !== 200) throw new Error(JSON.stringify(tokens.data))
  const options = as(tokens.data.access_token)
  const profile = await getExternalUser(options)
  if (profile.status !== 200) throw new Error(JSON.stringify(profile.data))
  const spend = (amount: number) =>
    spendPoints({ amount, reference: 'order-1' }, { 'Idempotency-Key': key(amount) }, options)
  const [first, again, too_much, nothing] = [await spend(30), await spend(30), await spend(1_000), await spend(0)]
  if (first.status !== 200 || again.status !== 200) throw new Error(JSON.stringify(first.data))
  const refusal: 'insufficient_points' | 'spending_limit_reached' | 'points_limit_reached' | undefined =
    too_much.status === 409 ? too_much.data.error : undefined
  const faults = nothing.status === 422 && 'fields' in nothing.data ? nothing.data.fields.map(({ path }) => path) : []
  return {
    name: profile.data.user.username,
    points: first.data.points,
    is_replayed: again.data.transfer_id === first.data.transfer_id,
    refusal,
    faults,
  }
}
