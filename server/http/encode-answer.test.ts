import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { chooseLearningPath, listLearningPaths, listModules } from '../../contract/learning.ts'
import { authorize } from '../../contract/oauth.ts'
import { createApp } from '../../contract/oauth-apps.ts'
import { listPublicOperators } from '../../contract/operators.ts'
import { listPublicKeys } from '../../contract/openid.ts'
import { sharedService } from '../test/harness.ts'
import { authorizationQuery, pkce, someApp, someUser } from '../test/world.ts'

const plaza = await sharedService()

interface Options {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  body?: object
}
/** The raw bytes of a response, because `fetch` decompresses. */
const wire = (path: string, { method = 'GET', headers = {}, body }: Options = {}) =>
  plaza.service.app.fastify.inject({ method, url: path, headers, ...(body && { payload: body }) })

test('JSON over 1 kB of a GET is compressed as the client accepts, with Content-Encoding', async () => {
  const user = await someUser(plaza)
  const { paths } = await user.api.result(listLearningPaths)
  await user.api.result(chooseLearningPath, { body: { path: paths[0]!.path } })
  const read = (encoding?: string) =>
    wire(listModules.path, {
      headers: {
        authorization: `Bearer ${user.token}`,
        ...(encoding !== undefined && { 'accept-encoding': encoding }),
      },
    })
  const plain = await read()
  expect(plain.payload.length).toBeGreaterThan(1_024)
  expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding'])
  for (const [encoding, sent] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['zstd, identity', undefined],
  ] as const) {
    const reply = await read(encoding)
    expect([reply.statusCode, reply.headers['content-encoding']]).toEqual([200, sent])
    const { rawPayload } = reply
    const text =
      sent === 'br' ? brotliDecompressSync(rawPayload) : sent === 'gzip' ? gunzipSync(rawPayload) : rawPayload
    expect(text.toString()).toBe(plain.payload)
    if (sent !== undefined) expect(rawPayload.length).toBeLessThan(plain.payload.length / 2)
  }
})

test('short responses, and responses to methods other than GET, are never compressed: they may hold a secret beside the input', async () => {
  const user = await someUser(plaza)
  const headers = { authorization: `Bearer ${user.token}`, 'accept-encoding': 'br, gzip' }
  const made = await wire(createApp.path, {
    method: 'POST',
    headers,
    body: {
      app_name: 'Lantern shop',
      app_description: 'x'.repeat(900),
      redirect_uris: Array.from({ length: 10 }, (_, at) => `https://shop.test/${'x'.repeat(100)}/${at}`),
      allowed_scopes: ['profile:read'],
    },
  })
  expect([made.statusCode, made.headers['content-encoding']]).toEqual([201, undefined])
  expect(made.payload.length).toBeGreaterThan(1_024)
  const short = await wire('/livez', { headers })
  expect([short.statusCode, short.headers['content-encoding']]).toEqual([200, undefined])
})

test('a code is never compressed together with the state of the request, however long that is', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const query = new URLSearchParams({
    ...authorizationQuery(app, pkce().code_challenge),
    state: 'plz_ac_'.repeat(300),
  })
  const headers = { authorization: `Bearer ${user.token}`, 'accept-encoding': 'br, gzip' }
  const reply = await wire(`${authorize.path}?${query}`, { headers })
  expect([reply.statusCode, reply.headers['content-encoding']]).toEqual([200, undefined])
  expect(reply.payload.length).toBeGreaterThan(1_024)
  expect(reply.json()).toMatchObject({ code: expect.stringMatching(/^plz_ac_/) as string })
})

test('the directory, learning content and discovery get 304 while they have not changed', async () => {
  const admin_listed = listPublicOperators.path
  const user = await someUser(plaza)
  for (const [path, headers, cache_control] of [
    [admin_listed, {}, 'no-cache'],
    ['/.well-known/openid-configuration', {}, 'no-cache'],
    [listPublicKeys.path, {}, expect.stringMatching(/^public, max-age=\d+$/)],
    [listModules.path, { authorization: `Bearer ${user.token}` }, 'private, no-cache'],
  ] as const) {
    const first = await wire(path, { headers })
    const etag = String(first.headers.etag)
    expect([first.statusCode, etag, first.headers['cache-control']]).toEqual([
      200,
      expect.stringMatching(/^W\/"[\w-]{22}"$/),
      cache_control,
    ])
    for (const sent of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await wire(path, { headers: { ...headers, 'if-none-match': sent } })
      expect([again.statusCode, again.payload, again.headers.etag, again.headers['content-encoding']]).toEqual([
        304,
        '',
        etag,
        undefined,
      ])
    }
    const other = await wire(path, { headers: { ...headers, 'if-none-match': '"other"' } })
    expect([other.statusCode, other.payload]).toEqual([200, first.payload])
  }
  const before = await wire(admin_listed)
  const app = await someApp(plaza)
  await plaza.db.sql`update oauth_apps set listed = true where id = ${app.id}`
  const after = await wire(admin_listed, { headers: { 'if-none-match': String(before.headers.etag) } })
  expect(after.statusCode).toBe(200)
})

test('F12, D-127: each content coding of a response has its own entity tag, and only that tag gets 304', async () => {
  const path = '/.well-known/openid-configuration'
  const codings = ['identity', 'gzip', 'br']
  const tags = await Promise.all(
    codings.map(async (coding) => String((await wire(path, { headers: { 'accept-encoding': coding } })).headers.etag)),
  )
  expect(new Set(tags).size).toBe(3)
  for (const [at, coding] of codings.entries())
    for (const [of, etag] of tags.entries()) {
      const { statusCode, headers } = await wire(path, {
        headers: { 'accept-encoding': coding, 'if-none-match': `"x, y" , ${etag}` },
      })
      expect([coding, of, statusCode, headers.etag]).toEqual([coding, of, at === of ? 304 : 200, tags[at]])
    }
})
