import { expect } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { failures } from '../../../contract/errors.ts'
import { getExternalUser } from '../../../contract/external.ts'
import { getPoints } from '../../../contract/points.ts'
import { verifyToken } from '../../../contract/oauth.ts'
import type { Scope } from '../../../contract/kinds/scopes.ts'
import type { TestService } from '../harness.ts'
import { someApp, someUser, type SomeApp, type SomeUser } from '../world.ts'

/** The scopes of the app that every library is tested with. */
export const client_scopes: Scope[] = ['profile:read', 'points:read']

export async function appAndUser(plaza: TestService, redirect_uri = 'https://app.test/cb') {
  const [app, user] = await Promise.all([
    someApp(plaza, { scopes: client_scopes, redirect_uris: [redirect_uri] }),
    someUser(plaza),
  ])
  return { app, user }
}

/** The reason why a token is inactive, or `active`. */
export async function stateOf(plaza: TestService, access_token: string) {
  const { active, reason } = await new PlazaClient(plaza.url).result(verifyToken, { body: { token: access_token } })
  return active ? 'active' : reason
}

/** Asserts that a library's access token acts for this user, through this app, with these scopes. */
export async function expectWorks(
  plaza: TestService,
  access_token: string | undefined,
  { app, user, scopes = client_scopes }: { app: SomeApp; user: SomeUser; scopes?: Scope[] },
) {
  const anonymous = new PlazaClient(plaza.url)
  const token = access_token ?? ''
  const seen = await anonymous.result(verifyToken, { body: { token } })
  expect(seen).toMatchObject({ active: true, user_id: user.id, app_id: app.id, scopes })
  const { id, email } = await anonymous.withToken(token).result(getExternalUser)
  expect({ id, email }).toEqual({ id: user.id, email: user.email })
  if (scopes.includes('points:read'))
    expect(await anonymous.withToken(token).result(getPoints)).toEqual({ points: 0, held: 0 })
}

/** Revokes by RFC 7009, for libraries without a function for it. */
export async function revokeByRequest(
  plaza: TestService,
  body: { token: string; client_id: string; client_secret?: string },
) {
  const response = await fetch(`${plaza.url}/api/oauth/revoke`, { method: 'POST', body: new URLSearchParams(body) })
  expect([response.status, await response.json()]).toEqual([200, {}])
}

/** The error for a refresh without a secret. */
export const no_secret = { error: 'invalid_request', error_description: failures.secret_missing.message }
/** The error for an invalid code or refresh token. */
export const bad_grant = { error: 'invalid_grant', error_description: failures.invalid_grant.message }
/** The error for a wrong secret. */
export const bad_client = { error: 'invalid_client', error_description: failures.invalid_client.message }

/** The error with which a promise is rejected; fails if it is not rejected. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('the call was not refused')
    },
    (error: unknown) => error,
  )
}
