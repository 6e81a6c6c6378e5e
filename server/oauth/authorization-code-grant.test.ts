import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { getExternalUser } from '../../contract/external.ts'
import { refreshSession, verifyToken } from '../../contract/oauth.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused, refusedByOAuth } from '../test/refusals.ts'
import { raw, codeRequest, refreshRequest, someApp, someCode, someUser } from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
const strict = await someApp(plaza, { require_pkce: true })

type Parameters = Record<string, unknown>
interface Issued {
  access_token: string
  refresh_token: string
  session_token: string
  scope: string
}

/** Posts parameters to the token endpoint as JSON; undefined ones are left out. */
const post = (body: Parameters, process = plaza) =>
  raw(process, 'POST', '/api/oauth/token', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const issuedBy = async (body: Parameters) => {
  const reply = await post(body)
  expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store'])
  return reply.body as Issued
}

/** A new user's code and the body that redeems it with all proofs. */
async function codeOf(owned = app) {
  const user = await someUser(plaza)
  const code = await someCode(owned, user)
  return { user, code, body: codeRequest(owned, code) }
}

async function expectAlive({ access_token }: Issued) {
  expect(await anonymous.result(verifyToken, { body: { token: access_token } })).toMatchObject({ active: true })
  expect((await anonymous.withToken(access_token).call(getExternalUser)).status).toBe(200)
}

async function expectRevoked({ access_token, refresh_token, session_token }: Issued) {
  const invalid_token = refused('invalid_token')
  expect(outcome(await anonymous.withToken(access_token).call(getExternalUser))).toEqual(invalid_token)
  expect(await anonymous.result(verifyToken, { body: { token: access_token } })).toEqual({
    active: false,
    reason: 'revoked',
  })
  expect(outcome(await post(refreshRequest(app, refresh_token)))).toEqual(refusedByOAuth('invalid_grant'))
  expect(outcome(await anonymous.call(refreshSession, { body: { token: session_token } }))).toEqual(invalid_token)
}

test('spec token: a code brings tokens with exactly the stated fields, never to be cached', async () => {
  const { body } = await codeOf()
  const reply = await post(body)
  const word = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}[A-Za-z0-9_-]{43}$`)) as string
  const issued = {
    access_token: word('plz_at_'),
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token_expires_in: 30 * 86_400,
    refresh_token: word('plz_rt_'),
    scope: 'profile:read points:read',
    session_token: word('plz_st_'),
    session_token_expires_at: new Date(plaza.clock.now().getTime() + 900_000).toISOString(),
  }
  expect(outcome(reply)).toEqual([200, issued])
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
})

test('spec token: a public client needs the verifier, and no more', async () => {
  const { client_secret: _, ...body } = (await codeOf()).body
  const { code_verifier: __, ...bare } = body
  for (const unproven of [bare, { ...bare, code_verifier: '', client_secret: '' }])
    expect(outcome(await post(unproven))).toEqual(refusedByOAuth('verifier_missing'))
  await expectAlive(await issuedBy(body))
})

test('a code survives four wrong verifiers, and no more than that', async () => {
  const [four, five] = [(await codeOf()).body, (await codeOf()).body]
  const guess = async (body: Parameters, times: number) => {
    for (let turn = 0; turn < times; turn++)
      expect(outcome(await post({ ...body, code_verifier: `${'a'.repeat(42)}${turn}` }))).toEqual(
        refusedByOAuth('invalid_grant'),
      )
  }
  await guess(four, 4)
  await issuedBy(four)
  await guess(five, 5)
  expect(outcome(await post(five))).toEqual(refusedByOAuth('invalid_grant'))
})

test('D-24: whatever is sent is checked, be the other proof right or not', async () => {
  const { body } = await codeOf()
  expect(outcome(await post({ ...body, code_verifier: 'a'.repeat(43) }))).toEqual(refusedByOAuth('invalid_grant'))
  expect(outcome(await post({ ...body, client_secret: 'wrong' }))).toEqual(refusedByOAuth('invalid_client'))
  await expectAlive(await issuedBy(body))
})

test('spec token: a confidential client may send its secret in place of the verifier', async () => {
  const { code_verifier: _, ...body } = (await codeOf()).body
  await expectAlive(await issuedBy(body))
})

test('D-24 require_pkce: a secret does not replace the verifier, neither immediately nor after a wrong one', async () => {
  const { body } = await codeOf(strict)
  const { code_verifier: _, ...secret_only } = body
  expect(outcome(await post(secret_only))).toEqual(refusedByOAuth('verifier_missing'))
  expect(outcome(await post({ ...body, code_verifier: 'a'.repeat(43) }))).toEqual(refusedByOAuth('invalid_grant'))
  expect(outcome(await post(secret_only))).toEqual(refusedByOAuth('verifier_missing'))
  expect(outcome(await post({ ...secret_only, code_verifier: '' }))).toEqual(refusedByOAuth('verifier_missing'))
  await issuedBy(body)
})

test('spec token: a verifier of another length or alphabet is refused', async () => {
  const { body } = await codeOf()
  const verifiers = ['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)} `, `${'a'.repeat(42)}é`, `${'a'.repeat(42)}+`]
  for (const code_verifier of verifiers)
    expect([code_verifier, ...outcome(await post({ ...body, code_verifier }))]).toEqual([
      code_verifier,
      ...refusedByOAuth('invalid_grant'),
    ])
  const other = (await codeOf()).body
  for (const code_verifier of ['a'.repeat(5000), `${'a'.repeat(43)}\0`, '\ud800'.repeat(43), 43, true, {}])
    expect(outcome(await post({ ...other, code_verifier }))).toEqual(refusedByOAuth('invalid_request'))
  await issuedBy(other)
})

test('spec token: a code is single use; D-25: a valid replay revokes the tokens of the first use', async () => {
  const { body } = await codeOf()
  const issued = await issuedBy(body)
  await expectAlive(issued)
  expect(outcome(await post(body))).toEqual(refusedByOAuth('invalid_grant'))
  await expectRevoked(issued)
})

test('D-25: a replay after the code’s own lifetime, and after a refresh, still revokes everything', async () => {
  const { body } = await codeOf()
  const first = await issuedBy(body)
  const second = await issuedBy(refreshRequest(app, first.refresh_token))
  plaza.clock.advance(700)
  expect(outcome(await post(body))).toEqual(refusedByOAuth('invalid_grant'))
  await expectRevoked({ ...second, session_token: first.session_token })
})

test('D-25: a replay with a wrong verifier, secret, client or redirect URI changes nothing', async () => {
  const { body } = await codeOf()
  const issued = await issuedBy(body)
  const { client_id, client_secret } = strict
  expect(outcome(await post({ ...body, code_verifier: 'a'.repeat(43) }))).toEqual(refusedByOAuth('invalid_grant'))
  expect(outcome(await post({ ...body, client_secret: 'wrong' }))).toEqual(refusedByOAuth('invalid_client'))
  expect(outcome(await post({ ...body, client_id, client_secret }))).toEqual(refusedByOAuth('invalid_grant'))
  expect(outcome(await post({ ...body, redirect_uri: 'https://evil.example' }))).toEqual(
    refusedByOAuth('invalid_grant'),
  )
  const { code_verifier: _, client_secret: __, ...bare } = body
  expect(outcome(await post(bare))).toEqual(refusedByOAuth('verifier_missing'))
  await expectAlive(issued)
})

test('a race of 50 over two processes for one code: one wins, 49 are invalid_grant, and as valid replays they revoke what it won', async () => {
  const { user, body } = await codeOf()
  const other = await plaza.startAnother()
  const replies = await race(plaza, 50, (at) => post(body, at % 2 === 0 ? plaza : other))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 400: 49 })
  for (const reply of replies) if (reply.status === 400) expect(outcome(reply)).toEqual(refusedByOAuth('invalid_grant'))
  const grants = await plaza.db.sql<{ tokens: number; revoked: boolean }>`
    select revoked_at is not null as revoked, (select count(*) from access_tokens t where t.grant_id = g.id) as tokens
      from grants g where user_id = ${user.id}`
  expect(grants).toEqual([{ tokens: 1, revoked: true }])
  await expectRevoked(replies.find(({ status }) => status === 200)?.body as Issued)
})

test('spec token: the code of one app is invalid for another, and stays valid for its own', async () => {
  const { body } = await codeOf()
  const { client_id, client_secret } = strict
  expect(outcome(await post({ ...body, client_id, client_secret }))).toEqual(refusedByOAuth('invalid_grant'))
  await expectAlive(await issuedBy(body))
})

test('spec token: a redirect_uri other than that of authorize is invalid_grant, and none is invalid_request', async () => {
  const { body } = await codeOf()
  for (const redirect_uri of ['https://app.test/other', 'https://app.test/cb/', 'HTTPS://app.test/cb'])
    expect(outcome(await post({ ...body, redirect_uri }))).toEqual(refusedByOAuth('invalid_grant'))
  for (const missing of [{ redirect_uri: undefined }, { redirect_uri: '' }, { code: undefined }, { code: '' }])
    expect(outcome(await post({ ...body, ...missing }))).toEqual(refusedByOAuth('code_or_redirect_missing'))
  await issuedBy(body)
})

test('spec token: a code is valid at 599 seconds and expired at 600', async () => {
  const [early, late] = [(await codeOf()).body, (await codeOf()).body]
  plaza.clock.advance(599)
  await issuedBy(early)
  plaza.clock.advance(1)
  expect(outcome(await post(late))).toEqual(refusedByOAuth('invalid_grant'))
})
