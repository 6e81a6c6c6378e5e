import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { getExternalUser } from '../../contract/external.ts'
import { authorize, describeAuthorization, token, verifyToken } from '../../contract/oauth.ts'
import { listPublicKeys } from '../../contract/openid.ts'
import { openidConfiguration } from '../../contract/system.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, invalid_grant, outcome, refused, required, send } from '../test/refusals.ts'
import { long_sign_ins } from '../test/settings.ts'
import {
  authorizationQuery,
  basicOf,
  codeRequest,
  pkce,
  raw,
  refreshRequest,
  someApp,
  someUser,
} from '../test/world.ts'

const plaza = await sharedService(long_sign_ins)
const anonymous = new PlazaClient(plaza.url)
const app = await someApp(plaza)
const user = await someUser(plaza)
type Parameters = Record<string, string | undefined>

/** The response of the authorization endpoint for the signed-in person, and the verifier of its code. */
async function authorized(parameters: Parameters = {}) {
  const { code_verifier, code_challenge } = pkce()
  const query = { ...authorizationQuery(app, code_challenge), scope: 'openid', nonce: 'n', ...parameters }
  return { code_verifier, query, reply: await send(user.api, authorize, { query }) }
}

const refusedRequest = async (parameters: Parameters) => outcome((await authorized(parameters)).reply)
const descriptionOf = async (parameters: Parameters) =>
  user.api.result(describeAuthorization, { query: (await authorized(parameters)).query })

async function codeFor(parameters: Parameters = {}) {
  const { code_verifier, reply } = await authorized(parameters)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return { code: (reply.body as { code: string }).code, code_verifier }
}

/** The tokens of an authorization with these parameters; verifies the identity token. */
async function signedIn(parameters: Parameters = {}) {
  const issued = await anonymous.result(token, { body: codeRequest(app, await codeFor(parameters)) })
  const keys = createLocalJWKSet((await anonymous.result(listPublicKeys)) as JSONWebKeySet)
  const { payload, protectedHeader } = await jwtVerify(issued.id_token ?? '', keys, {
    issuer: plaza.url,
    audience: app.client_id,
    currentDate: plaza.clock.now(),
  })
  expect(payload.sub).toBe(user.id)
  return { ...issued, claims: payload, alg: protectedHeader.alg }
}

const isIgnored = (parameters: Parameters) => async () => {
  expect((await signedIn(parameters)).claims).toMatchObject({ nonce: 'n', name: user.username })
}

const userinfo = (method: string, headers: Record<string, string>, body?: string) =>
  raw(plaza, method, '/api/external/user', { headers, ...(body !== undefined && { body }) })
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const isUnknownScope = (scope: string) => async () => {
  const { scopes_supported } = await anonymous.result(openidConfiguration)
  for (const name of scope.split(' ')) expect(scopes_supported).not.toContain(name)
  expect(await refusedRequest({ scope: `openid ${scope}` })).toEqual(refused('invalid_scope'))
}

async function isRefusedOnReuse(seconds: number) {
  const request = codeRequest(app, await codeFor())
  const { access_token } = await anonymous.result(token, { body: request })
  plaza.clock.advance(seconds)
  expect(outcome(await anonymous.call(token, { body: request }))).toEqual(invalid_grant)
  expect(await anonymous.result(verifyToken, { body: { token: access_token } })).toMatchObject({ active: false })
}

async function asksAgain(parameters: Parameters) {
  const first = (await signedIn()).claims.auth_time
  plaza.clock.advance(2)
  expect(await descriptionOf(parameters)).toMatchObject({ login_needed: true })
  expect(first).toBeDefined()
}

/** Every module of the plan, in order: its name, the outcome here, and the test. */
const modules: [module: string, outcome: string, run: () => Promise<void>][] = [
  [
    'oidcc-server',
    'signs in with client_secret_basic',
    async () => {
      const { client_id: _, client_secret: __, ...body } = codeRequest(app, await codeFor())
      const headers = { ...form, authorization: basicOf(app) }
      const sent = { headers, body: new URLSearchParams(body).toString() }
      const reply = await raw(plaza, 'POST', '/api/oauth/token', sent)
      expect([reply.status, decodeJwt((reply.body as { id_token: string }).id_token).sub]).toEqual([200, user.id])
    },
  ],
  [
    'oidcc-response-type-missing',
    'is refused without a redirect',
    async () => expect(await refusedRequest({ response_type: undefined })).toEqual(invalid('response_type', required)),
  ],
  ['oidcc-idtoken-signature', 'is RS256', async () => expect((await signedIn()).alg).toBe('RS256')],
  [
    'oidcc-idtoken-unsigned',
    'is not offered',
    async () =>
      expect((await anonymous.result(openidConfiguration)).id_token_signing_alg_values_supported).toEqual(['RS256']),
  ],
  [
    'oidcc-userinfo-get',
    'has the sub of the identity token',
    async () => {
      const { access_token } = await signedIn()
      expect(await anonymous.withToken(access_token).result(getExternalUser)).toMatchObject({ sub: user.id })
    },
  ],
  [
    'oidcc-userinfo-post-header',
    'has the sub of the identity token',
    async () => {
      const { access_token } = await signedIn()
      const reply = await userinfo('POST', { authorization: `Bearer ${access_token}` })
      expect([reply.status, reply.body]).toMatchObject([200, { sub: user.id }])
    },
  ],
  [
    'oidcc-userinfo-post-body',
    'is refused: the metadata of the resource names the header alone',
    async () => {
      const { access_token } = await signedIn()
      expect(outcome(await userinfo('POST', form, `access_token=${access_token}`))).toEqual(refused('unauthorized'))
    },
  ],
  [
    'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
    'signs in without a nonce',
    async () => expect((await signedIn({ nonce: undefined })).claims).not.toHaveProperty('nonce'),
  ],
  ['oidcc-scope-profile', 'is no scope here', isUnknownScope('profile')],
  ['oidcc-scope-email', 'is no scope here', isUnknownScope('email')],
  ['oidcc-scope-address', 'is no scope here', isUnknownScope('address')],
  ['oidcc-scope-phone', 'is no scope here', isUnknownScope('phone')],
  ['oidcc-scope-all', 'are no scopes here', isUnknownScope('profile email address phone')],
  [
    'oidcc-alternate-happy-flow',
    'returns a long state and nonce unchanged',
    async () => {
      const [state, nonce] = ['s'.repeat(512), `${'n'.repeat(500)}~!$&'()*+,;=:@/?`]
      expect((await authorized({ state })).reply.body).toMatchObject({ state })
      expect((await signedIn({ nonce })).claims.nonce).toBe(nonce)
    },
  ],
  ['oidcc-display-page', 'is ignored', isIgnored({ display: 'page' })],
  ['oidcc-display-popup', 'is ignored', isIgnored({ display: 'popup' })],
  // The page's part: web/pages/sign-in/sign-in-once.browser.drill.test.ts.
  ['oidcc-prompt-login', 'asks for a sign-in', () => asksAgain({ prompt: 'login' })],
  [
    // The page's part: web/pages/sign-in/openid.browser.drill.test.ts.
    'oidcc-prompt-none-not-logged-in',
    'gets login_required, and no code',
    async () => {
      plaza.clock.advance(60)
      expect(await refusedRequest({ prompt: 'none', max_age: '1' })).toEqual(refused('login_required'))
      const { query } = await authorized({ prompt: 'none' })
      expect(outcome(await send(anonymous, authorize, { query }))).toEqual(refused('unauthorized'))
    },
  ],
  [
    'oidcc-prompt-none-logged-in',
    'signs in with the same auth_time',
    async () => {
      const { claims } = await signedIn()
      expect((await signedIn({ prompt: 'none' })).claims).toMatchObject({ auth_time: claims.auth_time })
    },
  ],
  ['oidcc-max-age-1', 'asks for a sign-in', () => asksAgain({ max_age: '1' })],
  [
    'oidcc-max-age-10000',
    'asks for none, and gives auth_time',
    async () => {
      const one = await signedIn()
      expect((await signedIn({ max_age: '10000' })).claims.auth_time).toBe(one.claims.auth_time)
    },
  ],
  ['oidcc-ensure-request-with-unknown-parameter-succeeds', 'is ignored', isIgnored({ extra: 'foobar' })],
  [
    'oidcc-id-token-hint',
    'signs in without a page',
    async () => {
      const { id_token } = await signedIn()
      expect((await signedIn({ prompt: 'none', id_token_hint: id_token })).claims.sub).toBe(user.id)
    },
  ],
  ['oidcc-login-hint', 'is ignored', isIgnored({ login_hint: user.email })],
  ['oidcc-ui-locales', 'is ignored', isIgnored({ ui_locales: 'se de' })],
  ['oidcc-claims-locales', 'is ignored', isIgnored({ claims_locales: 'se de' })],
  ['oidcc-ensure-request-with-acr-values-succeeds', 'is ignored', isIgnored({ acr_values: '1 2' })],
  ['oidcc-codereuse', 'is invalid_grant, and ends the tokens', () => isRefusedOnReuse(0)],
  ['oidcc-codereuse-30seconds', 'is invalid_grant, and ends the tokens', () => isRefusedOnReuse(30)],
  [
    'oidcc-ensure-registered-redirect-uri',
    'is refused without a redirect',
    async () =>
      expect(await refusedRequest({ redirect_uri: `${app.redirect_uri}/other` })).toEqual(
        refused('redirect_uri_not_registered'),
      ),
  ],
  [
    'oidcc-ensure-post-request-succeeds',
    'opens the page with the same parameters',
    async () => {
      const { query } = await authorized()
      const body = new URLSearchParams(query as Record<string, string>).toString()
      const reply = await raw(plaza, 'POST', '/oauth/authorize', { headers: form, body })
      expect([reply.status, reply.headers.get('location')]).toEqual([303, `/oauth/authorize?${body}`])
    },
  ],
  [
    'oidcc-server-client-secret-post',
    'signs in with client_secret_post',
    async () => {
      const sent = { headers: form, body: new URLSearchParams(codeRequest(app, await codeFor())).toString() }
      expect((await raw(plaza, 'POST', '/api/oauth/token', sent)).body).toMatchObject({ scope: 'openid profile:read' })
    },
  ],
  [
    'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
    'is request_uri_not_supported',
    async () =>
      expect(await refusedRequest({ request_uri: 'https://app.test/request' })).toEqual(
        refused('request_uri_not_supported'),
      ),
  ],
  [
    'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    'is request_not_supported',
    async () =>
      expect(await refusedRequest({ request: 'eyJhbGciOiJub25lIn0.e30.' })).toEqual(refused('request_not_supported')),
  ],
  [
    'oidcc-claims-essential',
    'is ignored: the name is there',
    isIgnored({ claims: '{"userinfo":{"name":{"essential":true}}}' }),
  ],
  [
    'oidcc-ensure-request-object-with-redirect-uri',
    'is request_not_supported',
    async () =>
      expect(await refusedRequest({ request: 'eyJhbGciOiJub25lIn0.e30.', redirect_uri: 'https://evil.test/' })).toEqual(
        refused('request_not_supported'),
      ),
  ],
  [
    'oidcc-refresh-token',
    'gives an identity token of the same person, to its own client alone',
    async () => {
      const { refresh_token, claims } = await signedIn()
      const other = await someApp(plaza)
      expect(outcome(await anonymous.call(token, { body: refreshRequest(other, refresh_token) }))).toEqual(
        invalid_grant,
      )
      const { id_token = '' } = await anonymous.result(token, { body: refreshRequest(app, refresh_token) })
      const { sub, auth_time } = claims
      expect(decodeJwt(id_token)).toMatchObject({ iss: plaza.url, sub, auth_time, aud: app.client_id })
    },
  ],
  [
    'oidcc-ensure-request-with-valid-pkce-succeeds',
    'is required of every request',
    async () => {
      expect((await signedIn()).token_type).toBe('Bearer')
      expect(await refusedRequest({ code_challenge: undefined })).toEqual(invalid('code_challenge', required))
    },
  ],
]

test('D-154: the table has the 38 modules of the plan', () => {
  expect(new Set(modules.map(([name]) => name)).size).toBe(38)
})

test.each(modules)('D-154: %s: %s', async (_, __, run) => run())
