import { expect, test } from 'vitest'
import { openFaultProxy } from '../../server/test/fault-proxy.ts'
import { freePort } from '../../server/test/free-port.ts'
import { startTestService } from '../../server/test/harness.ts'
import { pointsOf, someUser, theAdmin, world } from '../../server/test/world.ts'
import { answerOf, appCredentials, isOutcomeUnknown, isPlazaError, openPlaza, type PlazaError } from '../src/index.ts'
import { clientFor, clientOf, failureIn } from './people.ts'
import { openRoad } from './road.ts'

const plaza = await startTestService({ RATE_LIMIT_TOKEN_VERIFY: '2/60' })
const { user, app, tokens } = await world(plaza, { points: 1_000, scopes: ['points:spend', 'points:read'] })
const spend_line = 'POST /api/external/points/spend'

/** The amounts of the app's spends, the newest first. */
const spends = async () =>
  (await clientFor(plaza, tokens).pointsHistory({ kind: 'spend' })).data.map(({ amount }) => amount)

const keysOf = ({ requests }: Awaited<ReturnType<typeof openRoad>>) =>
  requests.map(({ headers }) => headers['idempotency-key'])

test('a spend whose connection is killed after its commit is repeated with its key: spent once', async () => {
  const road = await openRoad(plaza)
  const before = await pointsOf(user)
  road.loseAnswers(2)
  const answer = await answerOf(clientFor(plaza, tokens, road.url).spendPoints, { amount: 7 })
  expect([answer.body.points, answer.is_replayed]).toEqual([before - 7, true])
  expect(road.requests.map(({ line }) => line)).toEqual([spend_line, spend_line, spend_line])
  expect(new Set(keysOf(road))).toEqual(new Set([answer.idempotency_key]))
  expect(answer.idempotency_key).toMatch(/^[\w-]{43}$/)
  expect([await pointsOf(user), (await spends())[0]]).toEqual([before - 7, 7])
})

test('without any response the outcome is unknown; a manual repetition with the same key is applied once', async () => {
  const road = await openRoad(plaza)
  const before = await pointsOf(user)
  const api = clientFor(plaza, tokens, road.url)
  road.loseAnswers(Infinity)
  const failure = (await failureIn(api.spendPoints({ amount: 11 }, { retries: 1 }))) as PlazaError
  expect(isOutcomeUnknown(failure)).toBe(true)
  expect([failure.code, failure.status, failure.operation, failure.message]).toEqual([
    'no_answer',
    undefined,
    'spendPoints',
    'spendPoints: no_answer: the connection failed',
  ])
  expect(keysOf(road)).toEqual([failure.idempotency_key, failure.idempotency_key])
  road.loseAnswers(0)
  const { idempotency_key } = failure
  const again = await answerOf(api.spendPoints, { amount: 11 }, { idempotency_key })
  expect([again.is_replayed, await pointsOf(user)]).toEqual([true, before - 11])
})

test('an incomplete response counts as none', async () => {
  const road = await openRoad(plaza)
  const before = await pointsOf(user)
  road.breakAnswerAfter(20)
  const answer = await answerOf(clientFor(plaza, tokens, road.url).spendPoints, { amount: 1 })
  expect([answer.is_replayed, road.requests.length, await pointsOf(user)]).toEqual([true, 2, before - 1])
})

test('parallel spends have different keys', async () => {
  const road = await openRoad(plaza)
  const before = await pointsOf(user)
  const api = clientFor(plaza, tokens, road.url)
  road.loseAnswers(5)
  await Promise.all(Array.from({ length: 10 }, () => api.spendPoints({ amount: 1 })))
  expect([new Set(keysOf(road)).size, road.requests.length, await pointsOf(user)]).toEqual([10, 15, before - 10])
})

test('a write without a key is not repeated, and its outcome is unknown; a read is repeated', async () => {
  const road = await openRoad(plaza)
  const api = clientOf(plaza, await someUser(plaza), road.url)
  road.loseAnswers(1)
  const failure = await failureIn(api.announcePresence({ game: 'chess' }))
  expect([isOutcomeUnknown(failure), isPlazaError(failure, 'no_answer')]).toEqual([true, true])
  expect([(failure as PlazaError).idempotency_key, road.requests.length]).toEqual([undefined, 1])
  road.loseAnswers(2)
  expect((await api.me()).user.points).toBe(0)
  expect(road.requests.slice(1).map(({ line }) => line)).toEqual(Array(3).fill('GET /api/auth/me'))
})

test('a call that never reached the service is always repeated, and its outcome is known', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const calls: unknown[] = []
  const counted: typeof fetch = (...request) => {
    calls.push(request[0])
    return fetch(...request)
  }
  const nowhere = openPlaza({ url, fetch: counted, retries: 1 })
  const failure = await failureIn(nowhere.login({ email: 'a@b.test', password: 'a long password' }))
  expect([isPlazaError(failure, 'no_answer'), isOutcomeUnknown(failure)]).toEqual([true, false])
  expect(calls).toEqual([`${url}/api/auth/login`, `${url}/api/auth/login`])
})

test('D-05: after 429 the client waits for Retry-After, also for writes without a key', async () => {
  const statuses: number[] = []
  const watching: typeof fetch = async (...request) => {
    const response = await fetch(...request)
    statuses.push(response.status)
    // The limit ends by the service's clock, which the test moves; the client waits for Retry-After.
    if (response.status === 429) plaza.clock.advance(60)
    return new Response(response.body, {
      status: response.status,
      headers: [...response.headers, ['retry-after', '1']],
    })
  }
  const api = openPlaza({ url: plaza.url, fetch: watching })
  const token = tokens.access_token
  for (let call = 0; call < 3; call++) expect((await api.verifyToken({ token })).active).toBe(true)
  expect(statuses).toEqual([200, 200, 429, 200])
})

test('D-05: a Retry-After above the maximum fails the call immediately', async () => {
  const api = openPlaza({ url: plaza.url, retry_after_max_seconds: 5 })
  for (let call = 0; call < 2; call++) await api.verifyToken({ token: 'x' }).catch(() => {})
  const failure = (await failureIn(api.verifyToken({ token: 'x' }))) as PlazaError
  expect([failure.code, failure.status, failure.is_outcome_unknown]).toEqual(['rate_limited', 429, false])
  expect(failure.retry_after).toBeGreaterThan(5)
  plaza.clock.advance(60)
})

test('a spend whose answer the database lost is 503 outcome_unknown to the client, which repeats it with its key: spent once', async () => {
  const proxy = await openFaultProxy(plaza)
  const behind = await plaza.startAnother({ DATABASE_URL: proxy.database_url, ROLES: 'api' })
  const road = await openRoad(behind)
  const before = await pointsOf(user)
  proxy.dropResponseTo('apply_orders')
  const { points } = await clientFor(plaza, tokens, road.url).spendPoints({ amount: 3 })
  expect([points, await pointsOf(user)]).toEqual([before - 3, before - 3])
  expect([road.requests.length, new Set(keysOf(road)).size]).toEqual([2, 1])
})

test('503 is retried until the database is back; a write without a key fails immediately', async () => {
  const proxy = await openFaultProxy(plaza)
  const behind = await plaza.startAnother({ DATABASE_URL: proxy.database_url, ROLES: 'api' })
  const road = await openRoad(behind)
  const api = clientOf(plaza, await someUser(plaza), road.url)
  await api.me()
  proxy.refuseAll()
  const read = api.me({}, { retries: 20 })
  const failure = (await failureIn(api.announcePresence())) as PlazaError
  expect([failure.status, failure.code, failure.is_outcome_unknown]).toEqual([503, 'http_503', true])
  expect(failure.retry_after).toBe(1)
  proxy.acceptNew()
  expect((await read).user.points).toBe(0)
  expect(road.requests.filter(({ line }) => line.startsWith('POST')).length).toBe(1)
})

test('a call without a response in time fails with timed_out, after retries if it has a key', async () => {
  const road = await openRoad(plaza)
  const before = await pointsOf(user)
  const api = clientFor(plaza, tokens, road.url)
  road.holdAnswers(2)
  const failure = (await failureIn(api.spendPoints({ amount: 2 }, { timeout_seconds: 0.5, retries: 1 }))) as PlazaError
  expect([failure.code, failure.is_outcome_unknown, road.requests.length]).toEqual(['timed_out', true, 2])
  await api.spendPoints({ amount: 2 }, { idempotency_key: failure.idempotency_key })
  expect(await pointsOf(user)).toBe(before - 2)
})

test('the signal of a call ends it: before, during, and between two attempts', async () => {
  const road = await openRoad(plaza)
  const api = clientFor(plaza, tokens, road.url)
  const why = new Error('the person left')
  const early = (await failureIn(api.spendPoints({ amount: 1 }, { signal: AbortSignal.abort(why) }))) as PlazaError
  expect([early.code, early.cause, early.is_outcome_unknown, road.requests]).toEqual(['aborted', why, false, []])

  const during = new AbortController()
  road.holdAnswers(1)
  const held = api.spendPoints({ amount: 1 }, { signal: during.signal, idempotency_key: 'aborted in between' })
  await expect.poll(() => road.requests.length).toBe(1)
  during.abort(why)
  const late = (await failureIn(held)) as PlazaError
  expect([late.code, late.cause, late.is_outcome_unknown]).toEqual(['aborted', why, true])

  const between = new AbortController()
  road.answerNext(1, 503, '{"error":"outcome_unknown","message":"x"}', { 'retry-after': '20' })
  const waiting = api.spendPoints({ amount: 1 }, { signal: between.signal, idempotency_key: 'aborted in between' })
  await expect.poll(() => road.requests.length).toBe(2)
  between.abort(why)
  const unknown = (await failureIn(waiting)) as PlazaError
  expect([unknown.code, unknown.is_outcome_unknown, unknown.idempotency_key]).toEqual([
    'aborted',
    true,
    'aborted in between',
  ])
})

test('an error has code, status, text, fields and request id, and is not repeated', async () => {
  const road = await openRoad(plaza)
  const api = clientFor(plaza, tokens, road.url)
  const poor = (await failureIn(api.spendPoints({ amount: 1_000_000 }))) as PlazaError
  expect([poor.code, poor.status, poor.detail, poor.fields, poor.is_outcome_unknown]).toEqual([
    'insufficient_points',
    409,
    'There are not enough points for this.',
    [],
    false,
  ])
  expect(plaza.logged()).toContain(`"request_id":"${poor.request_id}"`)
  const wrong = (await failureIn(api.spendPoints({ amount: 0 }))) as PlazaError
  expect([wrong.code, wrong.status, wrong.fields]).toEqual([
    'validation_failed',
    422,
    [{ path: 'amount', message: 'must be >= 1' }],
  ])
  expect(road.requests.length).toBe(2)
})

test('redirects are not followed: they could receive a body with secrets', async () => {
  const [road, elsewhere] = [await openRoad(plaza), await openRoad(plaza)]
  road.answerNext(9, 307, '', { location: `${elsewhere.url}/api/oauth/token` })
  const anonymous = openPlaza({ url: road.url, retries: 0 })
  const failure = await failureIn(anonymous.revoke({ token: 'plz_rt_x', client_id: 'c', client_secret: 's' }))
  expect([isPlazaError(failure, 'no_answer'), elsewhere.requests]).toEqual([true, []])
})

test('undefined options do not override those of the client', async () => {
  const road = await openRoad(plaza)
  road.loseAnswers(9)
  const api = openPlaza({ url: road.url, retries: 1 })
  await failureIn(api.health({}, { retries: undefined, signal: undefined }))
  expect(road.requests.length).toBe(2)
})

test('a response that is not from the service has a separate error code', async () => {
  const road = await openRoad(plaza)
  const api = clientFor(plaza, tokens, road.url)
  road.answerNext(1, 200, '<html>Welcome to our hotel</html>', { 'content-type': 'text/html' })
  const hotel = (await failureIn(api.spendPoints({ amount: 1 }))) as PlazaError
  expect([hotel.code, hotel.status, hotel.is_outcome_unknown, road.requests.length]).toEqual([
    'not_understood',
    200,
    true,
    1,
  ])
  road.answerNext(2, 502, '<html>Bad Gateway</html>')
  expect((await api.getPoints()).held).toBe(0)
  expect(road.requests.length).toBe(4)
})

test('a refused hold has the further fields of the error body', async () => {
  const api = clientFor(plaza, tokens)
  const { hold } = await api.createHold({ amount: 5 })
  const shop = openPlaza({ url: plaza.url, credentials: appCredentials(app) })
  await shop.voidHold({ id: hold.id })
  const failure = (await failureIn(shop.captureHold({ id: hold.id }))) as PlazaError
  expect([failure.code, (failure.body as { hold: { status: string } }).hold.status]).toEqual([
    'hold_settled',
    'released',
  ])
})

test('an input with a missing or empty path segment makes no call', async () => {
  const road = await openRoad(plaza)
  const api = clientOf(plaza, await theAdmin(plaza), road.url)
  for (const input of [{}, { id: '' }, { id: undefined }])
    await expect(api.endLoginSession(input as { id: string })).rejects.toThrow('endLoginSession needs id')
  expect(road.requests).toEqual([])
})
