import { expect, test } from 'vitest'
import { checkLedger } from '../../contract/admin.ts'
import { startTestService } from './harness.ts'
import { scrape, type Scrape } from './metrics.ts'
import { waitUntil } from './wait.ts'
import { givePoints, raw, someUser, theAdmin, world } from './world.ts'

const plaza = await startTestService({ METRICS_PORT: '0' })
const read = () => scrape(plaza.service.metrics_address)

/** The increase of a series during `work`. */
async function added(series: string, work: () => Promise<unknown>) {
  const before = (await read()).get(series) ?? 0
  await work()
  return ((await read()).get(series) ?? 0) - before
}

const sumOf = (shown: Scrape, start: string) =>
  [...shown].filter(([series]) => series.startsWith(start)).reduce((sum, [, value]) => sum + value, 0)

test('plaza_http_requests_total and plaza_http_request_seconds count a request by its route, method and status', async () => {
  const call = () => raw(plaza, 'GET', '/api/users/nobody/x')
  const labels = 'route="/livez",method="GET"'
  const livez = () => raw(plaza, 'GET', '/livez')
  expect(await added(`plaza_http_requests_total{${labels},status="200"}`, livez)).toBe(1)
  expect(await added(`plaza_http_request_seconds_count{${labels}}`, livez)).toBe(1)
  expect(await added(`plaza_http_request_seconds_bucket{le="+Inf",${labels}}`, livez)).toBe(1)
  expect(await added('plaza_http_requests_total{route="unmatched",method="GET",status="404"}', call)).toBe(1)
  const refused = 'plaza_http_requests_total{route="/api/auth/me",method="GET",status="401"}'
  expect(await added(refused, () => raw(plaza, 'GET', '/api/auth/me'))).toBe(1)
})

test('transfers, batches, caches and points: a spend moves each of their series', async () => {
  const { tokens } = await world(plaza, { points: 100, scopes: ['points:read', 'points:spend'] })
  const spend = (amount: number, key = 'k') =>
    raw(plaza, 'POST', '/api/external/points/spend', {
      headers: {
        authorization: `Bearer ${tokens.access_token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ amount }),
    })
  const outcome = (name: string) => `plaza_transfers_total{kind="spend",outcome="${name}"}`
  expect(await added(outcome('applied'), () => spend(1))).toBe(1)
  expect(await added(outcome('replayed'), () => spend(1))).toBe(1)
  expect(await added(outcome('key_reused'), () => spend(2))).toBe(1)
  expect(await added(outcome('insufficient_points'), () => spend(1_000, 'more'))).toBe(1)
  for (const series of ['plaza_batch_size', 'plaza_batch_wait_seconds', 'plaza_batch_seconds'])
    expect(await added(`${series}_count{batcher="ledger"}`, () => spend(1, series))).toBe(1)
  expect(await added('plaza_batch_size_bucket{le="1",batcher="ledger"}', () => spend(1, 'alone'))).toBe(1)
  expect(await added('plaza_cache_hits_total{cache="tokens"}', () => spend(1, 'hit'))).toBe(1)
  expect((await read()).get('plaza_cache_entries{cache="tokens"}')).toBeGreaterThan(0)
  const wrong = { authorization: 'Bearer plz_at_nobody_has_this' }
  const unknown = () => raw(plaza, 'GET', '/api/external/points', { headers: wrong })
  expect(await added('plaza_cache_misses_total{cache="tokens"}', unknown)).toBe(1)
})

test('an award counts once its transaction has committed', async () => {
  const user = await someUser(plaza)
  expect(await added('plaza_transfers_total{kind="award",outcome="applied"}', () => givePoints(plaza, user, 5))).toBe(1)
})

test('plaza_logins_total counts sign-ins by outcome, plaza_password_hash_seconds every hashing', async () => {
  const user = await someUser(plaza)
  const login = (password: string) => () =>
    raw(plaza, 'POST', '/api/auth/login', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: user.email, password }),
    })
  expect(await added('plaza_logins_total{outcome="success"}', login(user.password))).toBe(1)
  expect(await added('plaza_logins_total{outcome="invalid_credentials"}', login('wrong password'))).toBe(1)
  expect(await added('plaza_password_hash_seconds_count', login(user.password))).toBe(1)
  expect((await read()).get('plaza_password_hash_waiting')).toBe(0)
})

test('plaza_ledger_balanced and plaza_ledger_check_age_seconds show the last check of the ledger', async () => {
  await (await theAdmin(plaza)).api.result(checkLedger)
  plaza.clock.advance(100)
  // Gauges that need a query are read at most every five seconds.
  await waitUntil(async () => (await read()).get('plaza_ledger_balanced') === 1, 'the check', { interval_ms: 500 })
  expect((await read()).get('plaza_ledger_check_age_seconds')).toBeGreaterThanOrEqual(100)
})

test('plaza_events_readers counts open streams, plaza_events_lag_seconds the events sent to them', async () => {
  const user = await someUser(plaza)
  const stream = new AbortController()
  const open = await fetch(`${plaza.url}/api/events`, {
    headers: { authorization: `Bearer ${user.token}` },
    signal: stream.signal,
  })
  expect(open.status).toBe(200)
  await waitUntil(async () => (await read()).get('plaza_events_readers') === 1, 'the reader')
  const before = (await read()).get('plaza_events_lag_seconds_count') ?? 0
  const other = await someUser(plaza)
  await raw(plaza, 'POST', '/api/social/friends', {
    headers: { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ friend_id: user.id }),
  })
  await waitUntil(async () => ((await read()).get('plaza_events_lag_seconds_count') ?? 0) > before, 'the event')
  stream.abort()
  await waitUntil(async () => (await read()).get('plaza_events_readers') === 0, 'the end of the reader')
})

test('plaza_ready and plaza_check_status follow the checks', async () => {
  plaza.service.readiness.add('drill', () => ({ status: 'degraded' }))
  expect((await read()).get('plaza_check_status{check="drill"}')).toBe(1)
  plaza.service.readiness.add('drill', () => ({ status: 'failed' }))
  const failed = await read()
  expect([failed.get('plaza_check_status{check="drill"}'), failed.get('plaza_ready')]).toEqual([2, 0])
  plaza.service.readiness.add('drill', () => ({ status: 'ok' }))
  await waitUntil(async () => (await read()).get('plaza_ready') === 1, 'plaza_ready')
})

test('plaza_jobs and plaza_job_oldest_seconds show the queue', async () => {
  const { db } = plaza
  await db.adHoc.sql`select from graphile_worker.add_job('nobody_runs_this', '{}', run_at := now() - interval '1 hour')`
  await db.adHoc.sql`select from graphile_worker.add_job('nobody_runs_this', '{}', run_at := now() + interval '1 hour')`
  await waitUntil(async () => (await read()).get('plaza_jobs{state="due"}') === 1, 'the jobs', { interval_ms: 500 })
  const shown = await read()
  expect(shown.get('plaza_jobs{state="scheduled"}')).toBeGreaterThanOrEqual(1)
  expect(shown.get('plaza_job_oldest_seconds')).toBeGreaterThanOrEqual(3_600)
})

test('the state of connections and listeners is shown', async () => {
  const shown = await read()
  expect(shown.get('plaza_invalidation_connected')).toBe(1)
  expect(shown.get('plaza_listener_connected{listener="plaza-revocations"}')).toBe(1)
  expect(sumOf(shown, 'plaza_db_connections{')).toBeGreaterThan(0)
  expect(shown.get('plaza_log_lines_dropped_total')).toBe(0)
  expect(sumOf(shown, 'plaza_build_info')).toBe(1)
})

test('no secret, id or name is in a scrape, and thousands of unknown paths add no series', async () => {
  const { user, app, tokens } = await world(plaza, { points: 10, scopes: ['points:read', 'points:spend'] })
  const sentinels = [user.id, user.email, user.username, user.password, user.token, app.id, app.client_id]
  sentinels.push(app.client_secret, tokens.access_token, tokens.refresh_token, tokens.session_token)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  await raw(plaza, 'GET', '/api/external/points', { headers })
  await raw(plaza, 'GET', `/api/deploy/apps/${app.id}`, { headers })
  await raw(plaza, 'GET', `/no/${user.id}?token=${tokens.access_token}`)
  const before = (await read()).size
  for (let round = 0; round < 40; round++)
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => raw(plaza, 'GET', `/api/${round}/${at}/${user.id}`, { headers })),
    )
  const text = await (await fetch(plaza.service.metrics_address ?? '')).text()
  for (const sentinel of sentinels) expect(text).not.toContain(sentinel)
  expect(text).not.toMatch(/@people\.test|plz_|127\.0\.0\.1/)
  expect((await read()).size - before).toBeLessThan(40)
})
