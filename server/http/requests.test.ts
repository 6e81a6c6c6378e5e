import { expect, test } from 'vitest'
import { createApp } from '../../contract/oauth-apps.ts'
import { sharedService } from '../test/harness.ts'
import { outcome } from '../test/refusals.ts'
import { authorizationQuery, basicOf, jsonCaller, pkce, raw, someApp, someUser } from '../test/world.ts'

const plaza = await sharedService()
const user = await someUser(plaza)
const as = jsonCaller(plaza, user.token)

test('D-112: on creation, null counts as absent for optional fields only', async () => {
  const body = { app_name: 'Nulls', redirect_uris: ['https://a.test/cb'], app_description: null, logo_url: null }
  const [status, made] = await as('POST', createApp.path, body)
  expect([status, made]).toMatchObject([201, { app: { app_name: 'Nulls', app_description: null, logo_url: null } }])
  const [refused, why] = await as('POST', createApp.path, { ...body, app_name: null })
  expect([refused, why]).toMatchObject([422, { fields: [{ path: 'app_name', message: 'must be string' }] }])
})

test('D-115: a path of more than 4 KiB gets 414 in the framework’s format; a long query does not', async () => {
  const too_long = [414, { errors: { detail: 'URI Too Long' } }]
  for (const path of [
    `/${'a'.repeat(4_096)}`,
    `/api/oauth/token/${'a/'.repeat(2_100)}`,
    `/health/${'a/'.repeat(2_100)}?x=1`,
  ]) {
    expect(outcome(await raw(plaza, 'GET', path))).toEqual(too_long)
    expect(outcome(await raw(plaza, 'POST', path, { body: '{}' }))).toEqual(too_long)
  }
  expect((await raw(plaza, 'GET', `/health?${'a'.repeat(8_000)}`)).status).toBe(200)
  expect((await raw(plaza, 'GET', `/${'a'.repeat(4_095)}`)).status).toBe(404)
})

test('D-115: HEAD gets the response of GET without its body, or 405 if the GET makes a change', async () => {
  const app = await someApp(plaza)
  const authorization = `Bearer ${user.token}`
  const head = await raw(plaza, 'HEAD', '/api/auth/me', { headers: { authorization } })
  expect([head.status, head.text]).toEqual([200, ''])
  const csv = await raw(plaza, 'HEAD', '/api/app/transfers.csv', { headers: { authorization: basicOf(app) } })
  expect([csv.status, csv.text]).toEqual([200, ''])
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  expect(csv.headers.get('content-length')).toBe(null)
  const refused = await raw(plaza, 'HEAD', '/api/app/transfers.csv?from=x', {
    headers: { authorization: basicOf(app) },
  })
  expect(refused.status).toBe(422)
  const query = new URLSearchParams(authorizationQuery(app, pkce().code_challenge)).toString()
  for (const path of [`/api/oauth/authorize?${query}`, '/api/external/ads/serve', '/api/app/events']) {
    const reply = await raw(plaza, 'HEAD', path, { headers: { authorization } })
    expect([path, reply.status, reply.headers.get('allow')]).toEqual([path, 405, 'GET'])
  }
  expect(await plaza.db.sql`select from authorization_codes where app_id = ${app.id}`).toEqual([])
})

test('a body without a Content-Type gets 415 and a message with the accepted type; another type gets a header with it', async () => {
  const post = async (path: string, content_type?: string) =>
    outcome(
      await raw(plaza, 'POST', path, {
        body: Buffer.from('{}'),
        headers: content_type === undefined ? {} : { 'content-type': content_type },
      }),
    )
  expect(await post('/api/auth/login')).toEqual([
    415,
    { errors: { detail: 'Unsupported Media Type: send the header Content-Type: application/json' } },
  ])
  expect(await post('/api/oauth/token')).toEqual([
    415,
    {
      error: 'invalid_request',
      error_description:
        'Unsupported Media Type: send the header Content-Type: application/json or application/x-www-form-urlencoded',
    },
  ])
  expect(await post('/api/auth/login', 'text/xml')).toEqual([415, { errors: { detail: 'Unsupported Media Type' } }])
  const acceptedAt = async (path: string) => {
    const reply = await raw(plaza, 'POST', path, { body: 'x', headers: { 'content-type': 'text/xml' } })
    return reply.headers.get('accept')
  }
  expect(await acceptedAt('/api/auth/login')).toBe('application/json')
  expect(await acceptedAt('/api/oauth/token')).toBe('application/json, application/x-www-form-urlencoded')
})
