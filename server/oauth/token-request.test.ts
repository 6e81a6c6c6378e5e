import { expect, test } from 'vitest'
import type { FailureCode } from '../../contract/errors.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused, refusedByOAuth } from '../test/refusals.ts'
import { raw, codeRequest, refreshRequest, someApp, someCode, someUser } from '../test/world.ts'

const plaza = await sharedService()
const app = await someApp(plaza)
const user = await someUser(plaza)

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const post = (body: string, type: string, query = '') =>
  raw(plaza, 'POST', `/api/oauth/token${query}`, { headers: { 'content-type': type }, body })
const formOf = (body: Record<string, string>) => new URLSearchParams(body).toString()

const fresh = async () => codeRequest(app, await someCode(app, user))

/** Each request must get this refusal and leave the code valid. */
async function expectRefusals(
  body: Awaited<ReturnType<typeof fresh>>,
  requests: [text: string, type: string][],
  code: FailureCode,
) {
  for (const [text, type] of requests)
    expect([text.slice(0, 200), ...outcome(await post(text, type))]).toEqual([
      text.slice(0, 200),
      ...refusedByOAuth(code),
    ])
  expect((await post(JSON.stringify(body), json)).status).toBe(200)
}

test('D-22: form and JSON bodies bring the same in both grants, with a charset or without', async () => {
  const fields = new Set<string>()
  for (const type of [json, form, `${json}; charset=utf-8`, `${form};charset=UTF-8`, 'Application/JSON']) {
    const send = (body: Record<string, string>) =>
      post(type.includes('form') ? formOf(body) : JSON.stringify(body), type)
    const reply = await send(await fresh())
    expect([type, reply.status]).toEqual([type, 200])
    const issued = reply.body as { refresh_token: string }
    fields.add(Object.keys(issued).sort().join(' '))
    expect((await send(refreshRequest(app, issued.refresh_token))).status).toBe(200)
  }
  expect(fields.size).toBe(1)
})

test('D-22: a parameter that comes twice in a form is invalid_request, equal or not', async () => {
  const body = await fresh()
  const twice = Object.entries(body).map(([name, value]) => `${formOf(body)}&${formOf({ [name]: value })}`)
  const other = Object.keys(body).map((name) => `${formOf(body)}&${name}=other`)
  await expectRefusals(
    body,
    [...twice, ...other, `${formOf(body)}&c%6Fde=other`].map((text) => [text, form]),
    'parameter_repeated',
  )
})

test('D-22: a key that comes twice in JSON is invalid_request, however it is spelled', async () => {
  const body = await fresh()
  const text = JSON.stringify(body)
  const twice = Object.entries(body).map(([name, value]) => `${text.slice(0, -1)},"${name}":${JSON.stringify(value)}}`)
  const spellings = [
    `${text.slice(0, -1)},"c\\u006fde":"other"}`,
    `${text.slice(0, -1)} , "code" \n : "other"}`,
    `{"x":{"y":[1,"}"]},"code":"other",${text.slice(1)}`,
    `{"code":"a\\"b","x":"\\\\",${text.slice(1)}`,
  ]
  await expectRefusals(
    body,
    [...twice, ...spellings].map((request) => [request, json]),
    'parameter_repeated',
  )
})

test('D-22: a list counts as a repeated parameter', async () => {
  const body = await fresh()
  const lists = Object.entries(body).map(([name, value]) => JSON.stringify({ ...body, [name]: [value] }))
  await expectRefusals(
    body,
    lists.map((text) => [text, json]),
    'parameter_repeated',
  )
})

test('D-22: a name inside a nested value or a text is no repetition; unknown parameters are ignored', async () => {
  const texts = ['{"code":"x","code":"y"}', '","code":"y', '{[', '\\', 'a"code":']
  for (const [at, audience] of texts.entries()) {
    const reply = await post(JSON.stringify({ audience, user_id: `${at}`, ...(await fresh()) }), json)
    expect([audience, reply.status]).toEqual([audience, 200])
  }
  expect((await post(`${formOf(await fresh())}&audience=https://a.example&scope[a]=b`, form)).status).toBe(200)
})

test('D-07: unknown parameters are ignored whatever they are, and however often they come', async () => {
  const values = [{ a: 1 }, [1, 2], 1, true, null, '', 'x'.repeat(5000), 'a\0b', '\ud800']
  for (const [at, value] of values.entries()) {
    const reply = await post(JSON.stringify({ meta: value, token: value, ...(await fresh()) }), json)
    expect([at, reply.status]).toEqual([at, 200])
  }
  const twice = await post(`{"audience":1,"audience":{"audience":2},${JSON.stringify(await fresh()).slice(1)}`, json)
  expect(twice.status).toBe(200)
  const indicators = 'audience=https://a.example&audience=https://b.example&toString=1&toString=2&token=1&token=2'
  expect((await post(`${formOf(await fresh())}&${indicators}&blob=${'x'.repeat(5000)}%00`, form)).status).toBe(200)
})

test('D-07: revoke and token/verify ignore unknown parameters too; a known one may come once', async () => {
  const { client_id, client_secret } = app
  const unknown = { meta: { a: [1] }, code: 7, long: 'x'.repeat(5000) }
  const twice = formOf({ resource: 'a' }) + '&' + formOf({ resource: 'b', code: 'c' }) + '&code=d'
  const call = async (path: string, body: string, type: string) =>
    outcome(await raw(plaza, 'POST', `/api/oauth/${path}`, { headers: { 'content-type': type }, body }))
  const revocation = { client_id, client_secret, token: 'plz_at_x' }
  expect(await call('revoke', JSON.stringify({ ...revocation, ...unknown }), json)).toEqual([200, {}])
  expect(await call('revoke', `${formOf(revocation)}&${twice}`, form)).toEqual([200, {}])
  expect(await call('revoke', `${formOf(revocation)}&token=other`, form)).toEqual(refusedByOAuth('parameter_repeated'))
  const inactive = [200, { active: false, reason: 'unknown' }]
  expect(await call('token/verify', JSON.stringify({ token: 'x', ...unknown }), json)).toEqual(inactive)
  expect(await call('token/verify', `token=x&${twice}`, form)).toEqual(inactive)
  const repeated = refused('parameter_repeated')
  expect(await call('token/verify', 'token=x&token=x', form)).toEqual(repeated)
  expect(await call('token/verify', '{"token":"x","token":"x"}', json)).toEqual(repeated)
})

test('D-22: an empty parameter counts as absent', async () => {
  const body = await fresh()
  const expected: [change: Record<string, string>, FailureCode][] = [
    [{ grant_type: '' }, 'invalid_request'],
    [{ client_id: '' }, 'invalid_client'],
    [{ code: '' }, 'code_or_redirect_missing'],
    [{ redirect_uri: '' }, 'code_or_redirect_missing'],
    [{ code_verifier: '', client_secret: '' }, 'verifier_missing'],
  ]
  for (const [change, code] of expected) {
    expect(outcome(await post(formOf({ ...body, ...change }), form))).toEqual(refusedByOAuth(code))
    expect(outcome(await post(JSON.stringify({ ...body, ...change }), json))).toEqual(refusedByOAuth(code))
  }
  const public_client = formOf({ ...body, client_secret: '', refresh_token: '', scope: '' })
  expect((await post(public_client, form)).status).toBe(200)
})

test('spec token: another grant_type is unsupported_grant_type, none is invalid_request', async () => {
  const body = await fresh()
  const types = ['password', 'client_credentials', 'implicit', 'AUTHORIZATION_CODE', 'authorization_code ', '__proto__']
  await expectRefusals(
    body,
    types.map((grant_type) => [JSON.stringify({ ...body, grant_type }), json]),
    'unsupported_grant_type',
  )
  const { grant_type: _, ...none } = await fresh()
  expect(outcome(await post(JSON.stringify(none), json))).toEqual(refusedByOAuth('invalid_request'))
})

test('D-03: bodies that are no object of texts are invalid_request in the OAuth form', async () => {
  const body = await fresh()
  const requests = ['', '[]', '"x"', '1', 'null', JSON.stringify([body])].map((text): [string, string] => [text, json])
  const values = [1, true, {}, 'x'.repeat(5000), 'x'.repeat(60_000), 'a\0b', '\ud800']
  const bad = values.map((code): [string, string] => [JSON.stringify({ ...body, code }), json])
  const nul = `${formOf({ ...body, code: '' })}%00`
  await expectRefusals(body, [...requests, ...bad, ['', form], [nul, form]], 'invalid_request')
})

test('parameters in the URL are ignored, above all credentials', async () => {
  const body = await fresh()
  const { client_id, client_secret, ...rest } = body
  const query = `?${formOf({ client_id, client_secret })}`
  expect(outcome(await post(formOf(rest), form, query))).toEqual(refusedByOAuth('invalid_client'))
  expect((await post(formOf(body), form, '?client_id=other&grant_type=password')).status).toBe(200)
})
