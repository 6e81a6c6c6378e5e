import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { fieldMessage, type FieldFault } from '../../../contract/field-errors.ts'
import type { FailureCode } from '../../../contract/errors.ts'
import { updateMyApp } from '../../../contract/oauth-apps.ts'
import type { Scope } from '../../../contract/kinds/scopes.ts'
import { mcp_path } from '../../../contract/mcp.ts'
import {
  authorize,
  listConnectedApps,
  pushAuthorization,
  revoke,
  setDailyLimit,
  verifyToken,
} from '../../../contract/oauth.ts'
import { newProver, type Prover } from '../../test/dpop.ts'
import { countBy, race, sharedService } from '../../test/harness.ts'
import { invalid, invalid_grant, outcome, refused, refusedByOAuth, send } from '../../test/refusals.ts'
import {
  authorizationQuery,
  codeRequest,
  givePoints,
  pkce,
  pointsOf,
  raw,
  refreshRequest,
  someApp,
  someCode,
  someTokens,
  someUser,
  type SomeApp,
} from '../../test/world.ts'
import { purgeUsedProofs } from '../purge.service.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
const user = await someUser(plaza)
const [prover, other] = [await newProver(), await newProver()]

const token_path = '/api/oauth/token'
const points_path = '/api/external/points'
const metadata = `resource_metadata="${plaza.url}/.well-known/oauth-protected-resource"`
const algs = 'DPoP algs="ES256 EdDSA Ed25519 RS256"'

/** The nonce that the service gives to a proof without one. */
const nonce = async () => (await post(token_path, {}, 'x')).headers.get('dpop-nonce') ?? ''

const post = (path: string, body: Record<string, string | undefined>, proof?: string) =>
  raw(plaza, 'POST', path, {
    headers: { 'content-type': 'application/json', ...(proof !== undefined && { dpop: proof }) },
    body: JSON.stringify(body),
  })

const proofFor = async (by: Prover, method: string, path: string, access_token?: string) =>
  by.proof({
    method,
    url: plaza.url + path,
    nonce: await nonce(),
    now: plaza.clock.now().getTime(),
    ...(access_token !== undefined && { access_token }),
  })

const ask = async (body: Record<string, string | undefined>, by?: Prover) =>
  post(token_path, body, by && (await proofFor(by, 'POST', token_path)))

const get = (authorization: string, proof?: string, method = 'GET', path = points_path) =>
  raw(plaza, method, path, { headers: { authorization, ...(proof !== undefined && { dpop: proof }) } })

const read = async (access_token: string, by: Prover = prover) =>
  get(`DPoP ${access_token}`, await proofFor(by, 'GET', points_path, access_token))

interface Issued {
  access_token: string
  refresh_token: string
  token_type: string
}

/** Tokens bound to a key, requested with the secret or only with the verifier. */
async function boundTokens({ secret = true, of = app, by = prover } = {}) {
  const request = codeRequest(of, await someCode(of, user))
  const reply = await ask({ ...request, ...(!secret && { client_secret: undefined }) }, by)
  expect(reply.status, reply.text).toBe(200)
  return reply.body as Issued
}

const refusedProof = (part: string, fault: FieldFault) =>
  refused('invalid_dpop_proof', [{ path: part, message: fieldMessage(fault) }])
const refusedProofByOAuth = (part: string, fault: FieldFault) => [
  400,
  { error: 'invalid_dpop_proof', error_description: `${part} ${fieldMessage(fault)}` },
]
const refusedBy = (code: FailureCode) => refusedByOAuth(code, 400)
const tokensOf = (of: SomeApp) => plaza.db.sql`select from access_tokens where app_id = ${of.id}`

test('D-152: a token of a request with a proof is bound to its key, and introspection names it', async () => {
  const { access_token, token_type } = await boundTokens()
  expect(token_type).toBe('DPoP')
  expect(await anonymous.result(verifyToken, { body: { token: access_token } })).toMatchObject({
    active: true,
    token_type: 'DPoP',
    cnf: { jkt: prover.jkt },
  })
  const reply = await read(access_token)
  expect(outcome(reply)).toEqual([200, { points: 0, held: 0 }])
  expect(reply.headers.get('dpop-nonce')).toBe(await nonce())
  expect(reply.headers.get('access-control-expose-headers')).toMatch(/DPoP-Nonce.*WWW-Authenticate/)
  // Bearer tokens are unchanged.
  const bearer = await someTokens(plaza, app, user)
  expect(await anonymous.result(verifyToken, { body: { token: bearer.access_token } })).not.toHaveProperty('cnf')
  const plain = await get(`Bearer ${bearer.access_token}`)
  expect([plain.status, plain.headers.has('dpop-nonce')]).toEqual([200, false])
})

test('D-152: at resources: each refusal has its body and its challenge', async () => {
  const { access_token } = await boundTokens()
  const bearer = (await someTokens(plaza, app, user)).access_token
  const proof = () => proofFor(prover, 'GET', points_path, access_token)
  const used = await proof()
  expect((await get(`DPoP ${access_token}`, used)).status).toBe(200)
  const without_nonce = await prover.proof({
    url: plaza.url + points_path,
    access_token,
    now: plaza.clock.now().getTime(),
  })
  const dpop = (error: string) => `${algs}, ${metadata}, error="${error}"`
  const cases: [string, string, string | undefined, unknown, string][] = [
    [
      'bound, as Bearer',
      `Bearer ${access_token}`,
      await proof(),
      refused('bound_token'),
      `Bearer ${metadata}, error="invalid_token", ${algs}`,
    ],
    ['Bearer, as DPoP', `DPoP ${bearer}`, await proof(), refused('invalid_token'), dpop('invalid_token')],
    ['unknown', 'DPoP plz_at_nobody', await proof(), refused('invalid_token'), dpop('invalid_token')],
    ['no proof', `DPoP ${access_token}`, undefined, refusedProof('DPoP', 'dpop_form'), dpop('invalid_dpop_proof')],
    ['no nonce', `DPoP ${access_token}`, without_nonce, refused('use_dpop_nonce'), dpop('use_dpop_nonce')],
    ['used', `DPoP ${access_token}`, used, refusedProof('jti', 'dpop_replayed'), dpop('invalid_dpop_proof')],
    [
      'another key',
      `DPoP ${access_token}`,
      await proofFor(other, 'GET', points_path, access_token),
      refusedProof('jwk', 'dpop_other_key'),
      dpop('invalid_dpop_proof'),
    ],
    [
      'another token',
      `DPoP ${access_token}`,
      await proofFor(prover, 'GET', points_path, bearer),
      refusedProof('ath', 'dpop_token_hash'),
      dpop('invalid_dpop_proof'),
    ],
    ['a JWT', `DPoP ${user.token}`, await proof(), refused('invalid_token'), dpop('invalid_token')],
  ]
  for (const [name, authorization, sent, expected, challenge] of cases) {
    const reply = await get(authorization, sent)
    expect([name, outcome(reply), reply.headers.get('www-authenticate')]).toEqual([name, expected, challenge])
    expect([name, reply.headers.has('dpop-nonce')]).toEqual([name, sent !== undefined])
  }
  const [head_proof, wrong_method] = [await proofFor(prover, 'HEAD', points_path, access_token), await proof()]
  expect((await get(`DPoP ${access_token}`, head_proof, 'HEAD')).status).toBe(200)
  expect((await get(`DPoP ${access_token}`, wrong_method, 'HEAD')).status).toBe(401)
  // A stream is authenticated twice; its proof is used once.
  const events = '/api/external/events'
  const stream = await fetch(plaza.url + events, {
    headers: { authorization: `DPoP ${access_token}`, dpop: await proofFor(prover, 'GET', events, access_token) },
  })
  expect(stream.status).toBe(200)
  await stream.body?.cancel()
  // The address without its query; the token lacks this scope.
  const search = `${points_path}?a=1`
  expect((await get(`DPoP ${access_token}`, await proof(), 'GET', search)).status).toBe(200)
  const spend = '/api/external/points/spend'
  const lacks = await get(`DPoP ${access_token}`, await proofFor(prover, 'POST', spend, access_token), 'POST', spend)
  expect([outcome(lacks), lacks.headers.get('www-authenticate')]).toEqual([
    refused('insufficient_scope'),
    `${algs}, ${metadata}, error="insufficient_scope", scope="points:spend"`,
  ])
})

test('D-152: a proof is used once: of ten parallel calls with one proof, one passes', async () => {
  const { access_token } = await boundTokens()
  const proof = await proofFor(prover, 'GET', points_path, access_token)
  const replies = await race(plaza, 10, () => get(`DPoP ${access_token}`, proof))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 401: 9 })
  // Used proofs are kept for as long as they could be accepted, and one more minute.
  const stored = async () => (await plaza.db.sql`select from dpop_proofs`).length
  plaza.clock.advance(119)
  await purgeUsedProofs({ db: plaza.db, clock: plaza.clock.now }, { rows_max: 100 })
  expect(await stored()).toBeGreaterThan(0)
  plaza.clock.advance(62)
  await purgeUsedProofs({ db: plaza.db, clock: plaza.clock.now }, { rows_max: 100 })
  expect(await stored()).toBe(0)
})

test('D-152: at the token endpoint a refused proof leaves the code valid and issues nothing', async () => {
  const request = codeRequest(app, await someCode(app, user))
  const before = (await tokensOf(app)).length
  const now = plaza.clock.now().getTime()
  const url = plaza.url + token_path
  const used = await proofFor(prover, 'POST', token_path)
  expect(outcome(await post(token_path, { ...request, code: 'unknown' }, used))).toEqual(invalid_grant)
  const asked = await post(token_path, request, await prover.proof({ method: 'POST', url, now }))
  expect(outcome(asked)).toEqual(refusedBy('use_dpop_nonce'))
  expect([asked.headers.get('dpop-nonce'), asked.headers.has('www-authenticate')]).toEqual([await nonce(), false])
  for (const [sent, part, fault] of [
    ['nonsense', 'DPoP', 'dpop_form'],
    [await proofFor(prover, 'GET', token_path), 'htm', 'dpop_method'],
    [await proofFor(prover, 'POST', '/api/oauth/par'), 'htu', 'dpop_address'],
    [used, 'jti', 'dpop_replayed'],
  ] as const)
    expect(outcome(await post(token_path, request, sent))).toEqual(refusedProofByOAuth(part, fault))
  expect(await tokensOf(app)).toHaveLength(before)
  expect((await ask(request, prover)).status).toBe(200)
})

test('D-152: a public client refreshes with a proof of the key and no secret, and with nothing else', async () => {
  const { refresh_token, access_token } = await boundTokens({ secret: false })
  const { client_secret: _, ...request } = refreshRequest(app, refresh_token)
  const refusals: [Record<string, string>, Prover | undefined, unknown][] = [
    [request, undefined, refusedBy('secret_missing')],
    [request, other, refusedBy('dpop_key_mismatch')],
    [{ ...request, client_secret: app.client_secret }, undefined, refusedBy('dpop_key_mismatch')],
    [{ ...request, client_secret: 'wrong' }, prover, refusedBy('invalid_client')],
    [{ ...request, refresh_token: 'plz_rt_nobody' }, prover, refusedBy('invalid_grant')],
  ]
  for (const [body, by, expected] of refusals) expect(outcome(await ask(body, by))).toEqual(expected)
  const renewed = (await ask(request, prover)).body as Issued
  expect(renewed.token_type).toBe('DPoP')
  expect((await read(renewed.access_token)).status).toBe(200)
  // Repeated after a lost response: returns the same pair, but only for the same key.
  expect((await ask(request, prover)).body).toMatchObject({ access_token: renewed.access_token, token_type: 'DPoP' })
  expect(outcome(await ask(request, other))).toEqual(refusedBy('dpop_key_mismatch'))
  // The new refresh token is bound too; a late use of the old one ends the grant.
  const again = (await ask({ ...request, refresh_token: renewed.refresh_token }, prover)).body as Issued
  plaza.clock.advance(31)
  expect(outcome(await ask(request, prover))).toEqual(invalid_grant)
  for (const ended of [access_token, renewed.access_token, again.access_token])
    expect((await read(ended)).status).toBe(401)
})

test('D-152: the refresh of a confidential client needs its secret as before, and takes any key or none', async () => {
  const { refresh_token } = await boundTokens()
  const { client_secret: _, ...without } = refreshRequest(app, refresh_token)
  expect(outcome(await ask(without, prover))).toEqual(refusedBy('secret_missing'))
  const renewed = (await ask(refreshRequest(app, refresh_token), other)).body as Issued
  expect((await read(renewed.access_token, other)).status).toBe(200)
  expect((await read(renewed.access_token, prover)).status).toBe(401)
  expect(outcome(await ask(refreshRequest(app, refresh_token)))).toEqual(refusedBy('dpop_key_mismatch'))
  const plain = (await ask(refreshRequest(app, renewed.refresh_token))).body as Issued
  expect(plain.token_type).toBe('Bearer')
  expect((await get(`Bearer ${plain.access_token}`)).status).toBe(200)
})

test('D-152: a code is bound to a key by dpop_jkt, in the address or pushed, or by a proof at the PAR endpoint', async () => {
  const { code_verifier, code_challenge } = pkce()
  const query = authorizationQuery(app, code_challenge)
  expect(outcome(await send(user.api, authorize, { query: { ...query, dpop_jkt: 'short' } }))).toEqual(
    invalid('dpop_jkt', fieldMessage('challenge')),
  )
  const { code } = await user.api.result(authorize, { query: { ...query, dpop_jkt: prover.jkt } })
  const request = codeRequest(app, { code, code_verifier })
  expect(outcome(await ask(request))).toEqual(refusedBy('dpop_key_mismatch'))
  expect(outcome(await ask(request, other))).toEqual(refusedBy('dpop_key_mismatch'))
  expect((await ask(request, prover)).body).toMatchObject({ token_type: 'DPoP' })

  const par = pushAuthorization.path
  const pushed = { ...query, client_secret: app.client_secret }
  const push = async (body: Record<string, string>, by?: Prover) =>
    post(par, { ...pushed, ...body }, by && (await proofFor(by, 'POST', par)))
  expect(outcome(await push({ dpop_jkt: 'short' }))).toEqual(refusedBy('invalid_request'))
  expect(outcome(await push({ dpop_jkt: other.jkt }, prover))).toEqual(
    refusedProofByOAuth('dpop_jkt', 'dpop_other_key'),
  )
  expect(outcome(await post(par, pushed, 'x'))).toEqual(refusedProofByOAuth('DPoP', 'dpop_form'))
  for (const reply of [
    await push({}, prover),
    await push({ dpop_jkt: prover.jkt }),
    await push({ dpop_jkt: prover.jkt }, prover),
  ]) {
    const { request_uri } = reply.body as { request_uri: string }
    const granted = await send(user.api, authorize, { query: { client_id: app.client_id, request_uri } })
    const bound = codeRequest(app, { ...(granted.body as { code: string }), code_verifier })
    expect(outcome(await ask(bound, other))).toEqual(refusedBy('dpop_key_mismatch'))
    expect((await ask(bound, prover)).status).toBe(200)
  }
})

test('D-152: an app with require_dpop gets no token without a proof, and revokes bound ones as others', async () => {
  const strict = await someApp(plaza)
  await strict.owner.api.result(updateMyApp, { params: { id: strict.id }, body: { require_dpop: true } })
  const request = codeRequest(strict, await someCode(strict, user))
  expect(outcome(await ask(request))).toEqual(refusedBy('dpop_required'))
  expect(await tokensOf(strict)).toEqual([])
  const { access_token, refresh_token } = (await ask(request, prover)).body as Issued
  expect(outcome(await ask(refreshRequest(strict, refresh_token)))).toEqual(refusedBy('dpop_required'))
  const profile = '/api/external/user'
  const call = async () =>
    (await get(`DPoP ${access_token}`, await proofFor(prover, 'GET', profile, access_token), 'GET', profile)).status
  expect(await call()).toBe(200)
  const { client_id, client_secret } = strict
  await anonymous.result(revoke, { body: { token: access_token, client_id, client_secret } })
  expect(await call()).toBe(401)
})

test('D-152, D-156: the token of an agent may be bound: each message needs a proof, which is used once and covers the call of its tool', async () => {
  const scopes: Scope[] = ['points:read', 'points:spend']
  const of = await someApp(plaza, { scopes })
  const person = await someUser(plaza)
  await givePoints(plaza, person, 20)
  await person.api.result(setDailyLimit, { params: { app_id: of.id }, body: { daily_limit: 10 } })
  const request = codeRequest(of, await someCode(of, person, scopes, plaza.url + mcp_path))
  const { access_token } = (await ask(request, prover)).body as Issued
  const call = (authorization: string, proof?: string) =>
    raw(plaza, 'POST', mcp_path, {
      headers: {
        authorization,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(proof !== undefined && { dpop: proof }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'spendPoints', arguments: { amount: 3 } },
      }),
    })
  const proof = (by = prover) => proofFor(by, 'POST', mcp_path, access_token)
  const used = await proof()
  const spent = await call(`DPoP ${access_token}`, used)
  expect([spent.status, spent.text]).toEqual([200, expect.stringContaining('"points":17')])
  expect(spent.headers.get('dpop-nonce')).toBe(await nonce())
  const of_agents = metadata.replace('protected-resource', 'protected-resource/mcp')
  const cases: [string, string, string | undefined, unknown, string][] = [
    [
      'as Bearer',
      `Bearer ${access_token}`,
      await proof(),
      refused('bound_token'),
      `Bearer ${of_agents}, error="invalid_token", ${algs}`,
    ],
    ['no proof', `DPoP ${access_token}`, undefined, refusedProof('DPoP', 'dpop_form'), `${algs}, ${of_agents}`],
    ['used', `DPoP ${access_token}`, used, refusedProof('jti', 'dpop_replayed'), `${algs}, ${of_agents}`],
    [
      'another key',
      `DPoP ${access_token}`,
      await proof(other),
      refusedProof('jwk', 'dpop_other_key'),
      `${algs}, ${of_agents}`,
    ],
  ]
  for (const [name, authorization, sent, expected, challenge] of cases) {
    const reply = await call(authorization, sent)
    expect([name, outcome(reply), reply.headers.get('www-authenticate')]).toEqual([
      name,
      expected,
      expect.stringContaining(challenge),
    ])
  }
  expect(outcome(await get(`DPoP ${access_token}`, await proofFor(prover, 'GET', points_path, access_token)))).toEqual(
    refused('invalid_token'),
  )
  expect(await pointsOf(person)).toBe(17)
  expect((await person.api.result(listConnectedApps)).connected_apps).toMatchObject([
    { app_id: of.id, bound_to_key: true, acts_as_agent: true },
  ])
})
