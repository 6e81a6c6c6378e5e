import { expect, test } from 'vitest'
import { revoke, disconnectApp } from '../../contract/oauth.ts'
import { captureHold, createHold, readPointEvents } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { PlazaClient } from '../../contract/client.ts'
import { openLog } from '../platform/log.ts'
import { race, startTestService, type TestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { eventReaders } from '../test/social-world.ts'
import { waitUntil } from '../test/wait.ts'
import { givePoints, raw, someApp, someTokens, world, type SomeTokens } from '../test/world.ts'
import { openPointStreams, purgePointChanges } from './streams.service.ts'

const plaza = await startTestService({ EVENTS_HEARTBEAT: '1' })
const other = await plaza.startAnother()
const openReader = eventReaders()
const scopes: Scope[] = ['profile:read', 'points:read', 'points:spend']

const read = (tokens: SomeTokens, last_event_id?: string, at: TestService = plaza) =>
  openReader(
    at,
    { token: tokens.access_token },
    { path: readPointEvents.path, ...(last_event_id !== undefined && { last_event_id }) },
  )
const balance = (points: number, held = 0) => ({ event: 'balance', data: { points, held } })
const told = ({ event, data }: { event: string; data: Record<string, unknown> }) =>
  event === 'hold' ? [data.id, data.status] : event === 'balance' ? [data.points, data.held] : event
const changes = async (user_id: string) =>
  (await plaza.db.sql<{ count: number }>`select count(*) from point_changes where user_id = ${user_id}`)[0]!.count

test('S-11: a stream ends before it sends the holds that its own disconnection frees, however late the notice of that comes', async () => {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes })
  await tokens.api.result(createHold, { body: { amount: 20 } })
  const streams = openPointStreams({
    db: plaza.db,
    clock: plaza.clock.now,
    log: openLog('error', { write: () => {} }),
    heartbeat_seconds: 300,
    invalidationVersion: () => 0,
  })
  const sent: string[] = []
  let close = () => {}
  const fill = await streams.subscribe({
    caller: { user_id: user.id, app_id: app.id, scopes, grant_id: app.id },
    last_event_id: undefined,
    // The notification has not arrived, so cached values are still valid.
    standing: async (reading) => (reading === 'cached' ? 'live' : 'connection_ended'),
  })
  fill({
    send: (frames) => void sent.push(...frames),
    end: (frames = []) => void sent.push(...frames),
    drained: async () => {},
    stalledMs: () => 0,
    isClosed: () => false,
    onClose: (effect) => void (close = effect),
  })
  await waitUntil(() => sent.some((frame) => frame.includes('balance')), 'the balance')
  const before = sent.length
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  streams.wake(user.id)
  await waitUntil(() => sent.length > before, 'the end of the stream')
  expect(sent.slice(before)).toEqual([expect.stringContaining('connection_ended')])
  close()
})

test('D-111: a stream begins with the balance and sends every change of it, whatever the cause, and of the app’s own holds', async () => {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes })
  const elsewhere = await someTokens(plaza, await someApp(plaza, { scopes }), user, scopes)
  const client = new PlazaClient(plaza.url, app)
  const [reader, theirs] = [await read(tokens), await read(elsewhere, undefined, other)]
  expect([reader.status, reader.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  expect((await reader.received(1))[0]).toMatchObject(balance(100))
  await theirs.received(1)

  await tokens.api.result(spendPoints, { body: { amount: 10 } })
  expect((await reader.received(2))[1]).toMatchObject(balance(90))
  // The other process may send several changes as one event.
  await theirs.received(2)
  const { hold } = await tokens.api.result(createHold, { body: { amount: 20, reference: 'order-1' } })
  await reader.received(4)
  await theirs.received(3)
  expect(reader.events[2]).toMatchObject({ event: 'hold', data: { ...hold, status: 'open' } })
  expect(reader.events[3]).toMatchObject(balance(70, 20))
  const captured = await client.result(captureHold, { params: { id: hold.id }, body: { amount: 15 } })
  await reader.received(6)
  await theirs.received(4)
  expect(reader.events[4]).toMatchObject({ event: 'hold', data: captured.hold })
  expect(reader.events[5]).toMatchObject(balance(75))
  await givePoints(plaza, user, 5)
  expect((await reader.received(7))[6]).toMatchObject(balance(80))
  // The other app gets the balance, but not holds of this app.
  await theirs.received(5)
  expect(theirs.events.map(told)).toEqual([
    [100, 0],
    [90, 0],
    [70, 20],
    [75, 0],
    [80, 0],
  ])
})

test('D-111: a resumed stream gets missed events once; one that resumes too late, or with an unknown id, gets a reset', async () => {
  const { user, tokens } = await world(plaza, { points: 100, scopes })
  const first = await read(tokens)
  await first.received(1)
  await first.close()
  const holds = []
  for (const amount of [1, 2, 3]) holds.push((await tokens.api.result(createHold, { body: { amount } })).hold.id)
  const again = await read(tokens, first.lastEventId(), other)
  await again.received(4)
  expect(again.events.map(told)).toEqual([...holds.map((id) => [id, 'open']), [94, 6]])
  const part = await read(tokens, again.events[1]!.id)
  await part.received(2)
  expect(part.events.map(told)).toEqual([
    [holds[2], 'open'],
    [94, 6],
  ])
  for (const id of ['1-1', `999999999999999-${plaza.clock.now().getTime()}`]) {
    const lost = await read(tokens, id)
    expect((await lost.received(2)).map(told)).toEqual(['reset', [94, 6]])
  }
  expect(await changes(user.id)).toBe(6)
})

test('D-111: a reader that is cut off repeatedly while two processes hold points gets each hold once', async () => {
  const { tokens } = await world(plaza, { points: 1_000, scopes })
  const total = 60
  const seen: string[] = []
  const first = await read(tokens)
  const follow = async () => {
    let reader = first
    for (let turn = 0; new Set(seen).size < total; turn++) {
      await reader.received(1)
      await new Promise((next) => setTimeout(next, 10))
      const last_event_id = reader.lastEventId()
      await reader.close()
      seen.push(...reader.events.filter(({ event }) => event === 'hold').map(({ data }) => String(data.id)))
      reader = await read(tokens, last_event_id, turn % 2 === 0 ? other : plaza)
    }
  }
  const following = follow()
  const made = await race(plaza, total, async (at) => {
    const url = (at % 2 === 0 ? plaza : other).url
    const api = new PlazaClient(url).withToken(tokens.access_token)
    return (await api.result(createHold, { body: { amount: 1 } })).hold.id
  })
  await following
  expect(seen.toSorted()).toEqual([...made].sort())
})

test('D-111: the stream ends with its token or connection, and says which', async () => {
  const { user, app, tokens } = await world(plaza, { points: 10, scopes })
  const revoked = await read(tokens)
  await revoked.received(1)
  const client = { client_id: app.client_id, client_secret: app.client_secret }
  await new PlazaClient(plaza.url).result(revoke, { body: { token: tokens.access_token, ...client } })
  await revoked.ended
  expect(revoked.events.map(told)).toEqual([[10, 0], 'session_ended'])
  const more = await someTokens(plaza, app, user, scopes)
  const disconnected = await read(more, undefined, other)
  await disconnected.received(1)
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  await disconnected.ended
  expect(disconnected.events.map(told)).toEqual([[10, 0], 'connection_ended'])
})

test('D-111: a stream is for a token with points:read, and one person has ten of them in an app', async () => {
  const { tokens } = await world(plaza, { points: 10, scopes: ['profile:read'] })
  const call = (token: string) =>
    raw(plaza, 'GET', readPointEvents.path, { headers: { authorization: `Bearer ${token}` } })
  expect(outcome(await call(tokens.access_token))).toEqual(refused('insufficient_scope'))
  expect(outcome(await call('plz_at_unknown'))).toEqual(refused('invalid_token'))
  const reading = await world(plaza, { points: 10, scopes })
  for (let at = 0; at < 10; at++) await read(reading.tokens)
  expect(outcome(await call(reading.tokens.access_token))).toEqual(refused('rate_limited'))
})

test('D-111: changes are recorded only for people whom an app follows, and deleted a day after the last stream', async () => {
  const followed = await world(plaza, { points: 50, scopes })
  const others = await world(plaza, { points: 50, scopes })
  const reader = await read(followed.tokens)
  await reader.received(1)
  await reader.close()
  for (const { tokens } of [followed, others]) await tokens.api.result(spendPoints, { body: { amount: 1 } })
  expect([await changes(followed.user.id), await changes(others.user.id)]).toEqual([1, 0])
  const purge = () => purgePointChanges({ db: plaza.db, clock: plaza.clock.now }, 3)
  await purge()
  expect(await changes(followed.user.id)).toBe(1)
  plaza.clock.advance(86_400 + 2 * 3_600)
  await purge()
  const left = await plaza.db.sql`
    select id from point_accounts where listened and kind = 'user'
    union all select user_id from point_watches union all select user_id from point_changes`
  expect(left).toEqual([])
})
