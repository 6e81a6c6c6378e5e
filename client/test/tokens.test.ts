import { expect, test } from 'vitest'
import { startTestService, type TestService } from '../../server/test/harness.ts'
import { someApp, someTokens, someUser, world, type SomeApp, type SomeTokens } from '../../server/test/world.ts'
import {
  accessToken,
  isPlazaError,
  needsSignIn,
  openPlaza,
  refreshedTokens,
  type PlazaError,
  type RefreshedTokensOptions,
  type TokenSet,
} from '../src/index.ts'
import { failureIn, tokenSet } from './people.ts'
import { openRoad, type Road } from './road.ts'

const plaza = await startTestService({ ACCESS_TOKEN_TTL: '3600', JWT_TTL: '31536000' })
const scopes = ['points:read', 'points:spend'] as const
const refresh_line = 'POST /api/oauth/token'
const read_line = 'GET /api/external/points'
const past = '2020-01-01T00:00:00.000Z'

const someWorld = (points = 0) => world(plaza, { points, scopes: [...scopes] })

interface Opened {
  app: SomeApp
  tokens: TokenSet
  road: Road
}

/** A client with refreshed tokens, and the tokens it saved. */
function openRenewing({ app, tokens, road }: Opened, more: Partial<RefreshedTokensOptions> = {}) {
  const saved: TokenSet[] = []
  const { client_id, client_secret } = app
  const save = (next: TokenSet) => void saved.push(next)
  const credentials = refreshedTokens({ client_id, client_secret, tokens, save, ...more })
  return { api: openPlaza({ url: road.url, credentials }), saved }
}

const countOf = ({ requests }: Road, line: string) => requests.filter((each) => each.line === line).length

/** Revokes the access token at the service, without the client's knowledge. */
async function endedTokens(to: TestService = plaza) {
  const { app, tokens } = await someWorld(100)
  plaza.clock.advance(3_601)
  return { app, tokens: tokenSet(tokens), road: await openRoad(to) }
}

test('D-26: 50 parallel calls with an expired access token make one refresh, and all succeed', async () => {
  const opened = await endedTokens()
  const { api, saved } = openRenewing(opened)
  const answers = await Promise.all(Array.from({ length: 50 }, () => api.getPoints()))
  expect(answers.map(({ points }) => points)).toEqual(Array(50).fill(100))
  expect([countOf(opened.road, refresh_line), saved.length]).toEqual([1, 1])
  expect(countOf(opened.road, read_line)).toBeGreaterThan(50)
  const bearers = new Set(opened.road.requests.flatMap(({ headers }) => headers.authorization ?? []))
  expect(bearers).toEqual(new Set([`Bearer ${opened.tokens.access_token}`, `Bearer ${saved[0]?.access_token}`]))
  await api.getPoints()
  expect(countOf(opened.road, refresh_line)).toBe(1)
})

test('parallel calls with a token known to have expired make one refresh first, and none is refused', async () => {
  const opened = await endedTokens()
  const { api, saved } = openRenewing({ ...opened, tokens: { ...opened.tokens, expires_at: past } })
  await Promise.all(Array.from({ length: 20 }, () => api.getPoints()))
  expect(opened.road.requests.map(({ line }) => line)).toEqual([refresh_line, ...Array<string>(20).fill(read_line)])
  expect(saved).toEqual([
    {
      access_token: expect.stringMatching(/^plz_at_/) as string,
      refresh_token: expect.stringMatching(/^plz_rt_/) as string,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    },
  ])
  const seconds = (Date.parse(saved[0]?.expires_at ?? '') - Date.now()) / 1000
  expect(seconds).toBeGreaterThan(3_500)
})

test('new tokens are used only after they are saved', async () => {
  const opened = await endedTokens()
  let finish = () => {}
  const written = new Promise<void>((done) => (finish = done))
  const { api } = openRenewing(opened, { save: () => written })
  const calls = Promise.all([api.getPoints(), api.getPoints()])
  await expect.poll(() => countOf(opened.road, refresh_line)).toBe(1)
  const later = api.getPoints()
  await new Promise(setImmediate)
  expect(countOf(opened.road, read_line)).toBe(2)
  finish()
  await Promise.all([calls, later])
  expect([countOf(opened.road, read_line), countOf(opened.road, refresh_line)]).toEqual([5, 1])
})

test('tokens that could not be saved are not used and not lost: the next call saves them', async () => {
  const opened = await endedTokens()
  const given: TokenSet[] = []
  const broken = new Error('the disk is full')
  const save = (next: TokenSet) => {
    given.push(next)
    if (given.length === 1) throw broken
  }
  const { api } = openRenewing(opened, { save })
  const failures = (await Promise.all([api.getPoints(), api.getPoints()].map(failureIn))) as PlazaError[]
  for (const failure of failures)
    expect([failure.code, failure.operation, failure.cause]).toEqual(['tokens_not_saved', 'token', broken])
  expect(countOf(opened.road, read_line)).toBe(2)
  expect((await api.getPoints()).points).toBe(100)
  expect([given.length, given[1], countOf(opened.road, refresh_line)]).toEqual([2, given[0], 1])
})

test('a refused refresh fails all calls with its error; later calls send no request', async () => {
  const opened = await endedTokens()
  const { api, saved } = openRenewing(opened)
  await openPlaza({ url: plaza.url }).revoke({
    token: opened.tokens.refresh_token,
    client_id: opened.app.client_id,
    client_secret: opened.app.client_secret,
  })
  const failures = (await Promise.all(
    Array.from({ length: 20 }, () => failureIn(api.spendPoints({ amount: 1 }))),
  )) as PlazaError[]
  for (const failure of failures) {
    expect([needsSignIn(failure), isPlazaError(failure, 'invalid_grant')]).toEqual([true, true])
    expect([failure.operation, failure.status, failure.is_outcome_unknown]).toEqual(['token', 400, false])
  }
  expect(new Set(failures.map(({ idempotency_key }) => idempotency_key)).size).toBe(20)
  expect([countOf(opened.road, refresh_line), saved]).toEqual([1, []])
  const asked = opened.road.requests.length
  expect(needsSignIn(await failureIn(api.getPoints()))).toBe(true)
  expect(countOf(opened.road, refresh_line)).toBe(1)
  expect(opened.road.requests.length).toBe(asked + 1)
})

test('D-26: a refresh whose response is lost is repeated, and gets the same tokens', async () => {
  const opened = await endedTokens()
  const { api, saved } = openRenewing({ ...opened, tokens: { ...opened.tokens, expires_at: past } })
  opened.road.loseAnswers(2)
  expect((await api.getPoints()).points).toBe(100)
  expect([countOf(opened.road, refresh_line), saved.length]).toEqual([3, 1])
  // These tokens can be refreshed too.
  const [next] = saved as [TokenSet]
  plaza.clock.advance(3_601)
  const again = openRenewing({ ...opened, tokens: next })
  expect((await again.api.getPoints()).points).toBe(100)
})

test('after a refresh without a response, the outcome of the call is known: it was not made', async () => {
  const opened = await endedTokens()
  const { api } = openRenewing({ ...opened, tokens: { ...opened.tokens, expires_at: past } })
  opened.road.answerNext(Infinity, 503, '{"error":"temporarily_unavailable"}', { 'retry-after': '60' })
  const failure = (await failureIn(api.spendPoints({ amount: 1 }))) as PlazaError
  expect([failure.operation, failure.status, failure.is_outcome_unknown]).toEqual(['token', 503, false])
  expect(opened.road.requests.map(({ line }) => line)).toEqual([refresh_line])
})

test('if a refresh fails temporarily, a token that is still valid is used', async () => {
  const { app, tokens } = await someWorld(5)
  const road = await openRoad(plaza)
  const soon = new Date(Date.now() + 15_000).toISOString()
  const { api } = openRenewing({ app, tokens: tokenSet(tokens, soon), road })
  road.answerNext(1, 503, '{"error":"temporarily_unavailable"}', { 'retry-after': '60' })
  expect((await api.getPoints()).points).toBe(5)
  expect(road.requests.map(({ line }) => line)).toEqual([refresh_line, read_line])
})

test('D-26: processes that share tokens use those that another one saved, and the grant stays valid', async () => {
  const opened = await endedTokens()
  let stored = opened.tokens
  const shared = { load: async () => stored, save: async (next: TokenSet) => void (stored = next) }
  const [one, other] = [openRenewing(opened, shared).api, openRenewing(opened, shared).api]
  await one.getPoints()
  // After the 30 s in which the old refresh token is accepted: using it now would revoke the grant.
  plaza.clock.advance(60)
  expect((await other.getPoints()).points).toBe(100)
  expect(countOf(opened.road, refresh_line)).toBe(1)
  expect((await one.getPoints()).points).toBe(100)
})

test('tokens saved by another process that have expired too are refreshed, whether their expiry is known or not', async () => {
  for (const expires_at of [past, undefined]) {
    const opened = await endedTokens()
    let stored: TokenSet = opened.tokens
    const shared = { load: () => stored, save: (next: TokenSet) => void (stored = { ...next, expires_at }) }
    const [one, other] = [openRenewing(opened, shared).api, openRenewing(opened, shared).api]
    await one.getPoints()
    plaza.clock.advance(3_601)
    expect((await other.getPoints()).points).toBe(100)
    expect(countOf(opened.road, refresh_line)).toBe(2)
  }
})

test('D-26: two processes that refresh at the same moment get the same tokens', async () => {
  const opened = await endedTokens()
  const clients = [openRenewing(opened), openRenewing(opened)]
  await Promise.all(clients.map(({ api }) => api.getPoints()))
  expect(clients[0]?.saved[0]?.refresh_token).toBe(clients[1]?.saved[0]?.refresh_token)
  await Promise.all(clients.map(({ api }) => api.getPoints()))
})

test('an aborted call does not abort the refresh that others wait for', async () => {
  const opened = await endedTokens()
  let finish = () => {}
  const written = new Promise<void>((done) => (finish = done))
  const { api } = openRenewing(opened, { save: () => written })
  const leaving = new AbortController()
  const left = failureIn(api.getPoints({}, { signal: leaving.signal }))
  const stays = api.getPoints()
  await expect.poll(() => countOf(opened.road, refresh_line)).toBe(1)
  leaving.abort()
  expect(isPlazaError(await left, 'aborted')).toBe(true)
  finish()
  expect((await stays).points).toBe(100)
})

test('a token is not renewed because of a missing scope', async () => {
  const { app, tokens } = await someWorld()
  const road = await openRoad(plaza)
  const { api } = openRenewing({ app, tokens: tokenSet(tokens), road })
  const failure = (await failureIn(api.getExternalUser())) as PlazaError
  expect([failure.code, failure.status, needsSignIn(failure)]).toEqual(['insufficient_scope', 401, false])
  expect(countOf(road, refresh_line)).toBe(0)
})

test('without a refresh token, an expired access token makes needsSignIn true', async () => {
  const [user, app] = [await someUser(plaza), await someApp(plaza, { scopes: [...scopes] })]
  const { access_token }: SomeTokens = await someTokens(plaza, app, user, [...scopes])
  const api = openPlaza({ url: plaza.url, credentials: accessToken(access_token) })
  expect((await api.getPoints()).points).toBe(0)
  plaza.clock.advance(3_601)
  const failure = (await failureIn(api.getPoints())) as PlazaError
  expect([failure.code, failure.operation, needsSignIn(failure)]).toEqual(['invalid_token', 'getPoints', true])
})

test('no error contains a token or a secret', async () => {
  const opened = await endedTokens()
  const { api } = openRenewing({ ...opened, app: { ...opened.app, client_secret: 'plz_cs_wrong_secret' } })
  const failure = (await failureIn(api.getPoints())) as PlazaError
  const text = [failure.stack, failure.message, JSON.stringify(failure), JSON.stringify(failure.body)].join()
  expect([failure.code, failure.operation]).toEqual(['invalid_client', 'token'])
  for (const secret of ['plz_cs_', 'plz_at_', 'plz_rt_']) expect(text).not.toContain(secret)
})
