import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestService } from '../../server/test/harness.ts'
import { someApp, someUser } from '../../server/test/world.ts'
import {
  accessToken,
  completeSignIn,
  createDpopKey,
  createPkce,
  dpopFetch,
  openPlaza,
  refreshedTokens,
  startSignIn,
  type PlazaError,
  type TokenSet,
} from '../src/index.ts'
import { clientOf, failureIn } from './people.ts'

// Uses the client's clock, because the client signs the time of each proof.
const plaza = await startTestService()
const user = await someUser(plaza)
const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
const { client_id, client_secret, redirect_uri } = app

/** Consents as the consent page does; returns the address of the redirect. */
async function allow(address: string) {
  const { origin, pathname, searchParams } = new URL(address)
  expect(origin + pathname).toBe(`${plaza.url}/oauth/authorize`)
  const query = Object.fromEntries(searchParams) as unknown as Parameters<ReturnType<typeof clientOf>['authorize']>[0]
  const { code, redirect_uri: to, state, iss } = await clientOf(plaza, user).authorize(query)
  const callback = new URL(to)
  for (const [name, value] of Object.entries({ code, state, iss })) callback.searchParams.set(name, value ?? '')
  return callback.href
}

test('D-24: a sign-in with PKCE, with and without a secret, gives tokens that work', async () => {
  for (const secret of [{}, { client_secret }]) {
    const { address, pending } = await startSignIn({
      url: `${plaza.url}/`,
      client_id,
      redirect_uri,
      scope: 'points:read',
    })
    const kept = JSON.parse(JSON.stringify(pending)) as typeof pending
    const tokens = await completeSignIn({ callback: await allow(address), pending: kept, ...secret })
    expect([tokens.scope, tokens.token_type]).toEqual(['points:read', 'Bearer'])
    expect(Math.abs(Date.parse(tokens.expires_at ?? '') - Date.now() - 3_600_000)).toBeLessThan(60_000)
    const api = openPlaza({ url: plaza.url, credentials: accessToken(tokens.access_token) })
    expect(await api.getPoints()).toEqual({ points: 0, held: 0 })
  }
})

test('D-152: dpopFetch binds the tokens of a sign-in to a key, and refreshes them without a secret', async () => {
  const sent: string[] = []
  const noted: typeof fetch = (input, init) => {
    sent.push(new Headers(init?.headers).get('authorization')?.split(' ')[0] ?? new URL(input as string).pathname)
    return fetch(input, init)
  }
  const key = await createDpopKey()
  expect(key.privateKey.extractable).toBe(false)
  const bound = dpopFetch({ key, fetch: noted })
  const { address, pending } = await startSignIn({ url: plaza.url, client_id, redirect_uri, scope: 'points:read' })
  const signed_in = await completeSignIn({ callback: await allow(address), pending, fetch: bound })
  expect(signed_in.token_type).toBe('DPoP')
  const { access_token, refresh_token } = signed_in
  let kept: TokenSet = { access_token, refresh_token, expires_at: plaza.clock.now().toISOString() }
  const credentials = refreshedTokens({ tokens: kept, client_id, save: (next) => void (kept = next) })
  const api = openPlaza({ url: plaza.url, credentials, fetch: bound })
  expect(await api.getPoints()).toEqual({ points: 0, held: 0 })
  expect(kept.access_token).not.toBe(access_token)
  // One repeat for the first nonce, and none afterwards.
  expect(sent).toEqual(['/api/oauth/token', '/api/oauth/token', '/api/oauth/token', 'DPoP'])
  for (const other of [undefined, dpopFetch()]) {
    const thief = openPlaza({ url: plaza.url, credentials: accessToken(kept.access_token), fetch: other })
    expect(await failureIn(thief.getPoints())).toMatchObject({ status: 401 })
  }
  // Calls without such a token are passed on unchanged.
  expect(await openPlaza({ url: plaza.url, fetch: bound }).getPublicApp({ client_id })).toMatchObject({ client_id })
})

test('the address has the requested parameters, and PKCE by S256', async () => {
  const asked = { nonce: 'n-1', prompt: 'consent', max_age: 60, scope: 'openid profile:read' }
  const { address, pending } = await startSignIn({ url: plaza.url, client_id, redirect_uri, ...asked })
  const challenge = createHash('sha256').update(pending.code_verifier).digest('base64url')
  expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
    response_type: 'code',
    client_id,
    redirect_uri,
    ...asked,
    max_age: '60',
    state: pending.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  expect(pending.code_verifier).toMatch(/^[\w-]{43}$/)
  const [one, other] = [await createPkce(), await createPkce()]
  expect(one.code_verifier).not.toBe(other.code_verifier)
})

test('D-30: a denial and callbacks of another sign-in or service have different codes, and no code is exchanged', async () => {
  const { address, pending } = await startSignIn({ url: plaza.url, client_id, redirect_uri })
  const callback = new URL(await allow(address))
  const changed = (changes: Record<string, string | undefined>) => {
    const other = new URL(callback)
    for (const [name, value] of Object.entries(changes))
      if (value === undefined) other.searchParams.delete(name)
      else other.searchParams.set(name, value)
    return failureIn(completeSignIn({ callback: other.href, pending, client_secret })) as Promise<PlazaError>
  }
  expect((await changed({ state: 'another' })).code).toBe('sign_in_mismatch')
  expect((await changed({ state: undefined })).code).toBe('sign_in_mismatch')
  expect((await changed({ iss: 'https://other.example' })).code).toBe('sign_in_mismatch')
  expect((await changed({ iss: undefined })).code).toBe('sign_in_mismatch')
  const denied = await changed({ code: undefined, error: 'access_denied', error_description: 'She said no.' })
  expect([denied.code, denied.detail]).toEqual(['access_denied', 'She said no.'])
  // The code is still valid: it was not redeemed.
  expect((await completeSignIn({ callback: callback.href, pending, client_secret })).token_type).toBe('Bearer')
  const again = await failureIn(completeSignIn({ callback: callback.href, pending, client_secret }))
  expect((again as PlazaError).code).toBe('invalid_grant')
})
