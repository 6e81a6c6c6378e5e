import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { me } from '../../contract/accounts.ts'
import { checkLedger } from '../../contract/admin.ts'
import { rejectApp } from '../../contract/admin-apps.ts'
import { failures } from '../../contract/errors.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import * as payments from '../../contract/payments.ts'
import { getAppBalance, getPoints, spendPoints } from '../../contract/points.ts'
import { countBy, race, startTestService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { countReadsOf } from '../test/rows-read.ts'
import { releaseHoldsOfApp } from './hold-releases.service.ts'
import { openLedger } from './ledger.service.ts'
import { pointsOf, someApp, theAdmin, world, type SomeApp } from '../test/world.ts'

const plaza = await startTestService({ ACCESS_TOKEN_TTL: '86400' }, { patience: 1 })
const scopes = ['profile:read', 'points:read', 'points:spend', 'app:balance:read'] as const

async function shop(points = 100) {
  const made = await world(plaza, { points, scopes: [...scopes] })
  return { ...made, shop: clientOf(made.app) }
}
const clientOf = ({ client_id, client_secret }: SomeApp) => new PlazaClient(plaza.url, { client_id, client_secret })
const job = (name: string) => plaza.service.app.jobs.find((each) => each.name === name)!
const unknown_id = '01890000-0000-7000-8000-000000000000'

test('D-97: held points are shown next to the balance and are not available; a partial capture frees the rest', async () => {
  const { user, tokens, shop: app } = await shop(100)
  const { hold, ...left } = await tokens.api.result(payments.createHold, {
    body: { amount: 60, reference: 'order 1', metadata: { cart: '7' } },
  })
  expect(left).toEqual({ points: 40, held: 60 })
  expect(hold).toMatchObject({
    user_id: user.id,
    amount: 60,
    status: 'open',
    reference: 'order 1',
    metadata: { cart: '7' },
  })
  expect(Date.parse(hold.expires_at) - Date.parse(hold.inserted_at)).toBe(3_600_000)
  expect(await tokens.api.result(getPoints)).toEqual({ points: 40, held: 60 })
  expect((await user.api.result(me)).user).toMatchObject({ points: 40, held: 60 })
  expect(await app.result(payments.getOwnBalance)).toEqual({
    points: 0,
    total_earned: 0,
    total_spent: 0,
    held_for_app: 60,
    held_earnings: 0,
  })
  expect(outcome(await tokens.api.call(spendPoints, { body: { amount: 41 } }))).toEqual(refused('insufficient_points'))

  const captured = await app.result(payments.captureHold, { params: { id: hold.id }, body: { amount: 25 } })
  expect(captured.hold).toMatchObject({
    ...hold,
    status: 'captured',
    captured_amount: 25,
    transfer_id: expect.any(String) as string,
    settled_at: expect.any(String) as string,
  })
  expect(await tokens.api.result(getPoints)).toEqual({ points: 75, held: 0 })
  expect(await tokens.api.result(getAppBalance)).toEqual({ points: 25 })
  const { transfer } = await app.result(payments.getAppTransfer, { params: { id: captured.hold.transfer_id ?? '' } })
  expect(transfer).toMatchObject({
    kind: 'spend',
    direction: 'in',
    amount: 25,
    user_id: user.id,
    hold_id: hold.id,
    reference: 'order 1',
    metadata: { cart: '7' },
  })
  expect(await app.result(payments.getHold, { params: { id: hold.id } })).toEqual(captured)
})

test('D-97: voiding a hold frees its points; settling it again returns its current state', async () => {
  const { tokens, shop: app } = await shop(50)
  const { hold } = await tokens.api.result(payments.createHold, { body: { amount: 30 } })
  const params = { id: hold.id }
  const voided = await app.result(payments.voidHold, { params })
  expect(voided.hold).toMatchObject({ status: 'released', release_reason: 'voided', captured_amount: null })
  expect(await tokens.api.result(getPoints)).toEqual({ points: 50, held: 0 })
  const settled = [409, { error: 'hold_settled', message: failures.hold_settled.message, ...voided }]
  expect(outcome(await app.call(payments.voidHold, { params }))).toEqual(settled)
  expect(outcome(await app.call(payments.captureHold, { params, body: {} }))).toEqual(settled)
  expect(await tokens.api.result(getPoints)).toEqual({ points: 50, held: 0 })
})

test('D-97: an expired hold cannot be captured or voided, and the job frees it', async () => {
  const { tokens, shop: app } = await shop(50)
  const { hold } = await tokens.api.result(payments.createHold, { body: { amount: 30, expires_in: 60 } })
  plaza.clock.advance(60)
  const params = { id: hold.id }
  const released = { ...hold, status: 'released', release_reason: 'expired', settled_at: hold.expires_at }
  const settled = [409, { error: 'hold_settled', message: failures.hold_settled.message, hold: released }]
  expect(outcome(await app.call(payments.captureHold, { params, body: {} }))).toEqual(settled)
  expect(outcome(await app.call(payments.voidHold, { params }))).toEqual(settled)
  await job('points.release_expired_holds').run({}, 'test')
  expect(await tokens.api.result(getPoints)).toEqual({ points: 50, held: 0 })
  const { data } = await app.result(payments.listHolds, { query: { status: 'released' } })
  expect(data).toMatchObject([{ id: hold.id, release_reason: 'expired' }])
})

test('D-97: as soon as an expired hold reads as released, its points are available, even before the job runs', async () => {
  const { user, tokens, shop: app } = await shop(90)
  const make = async () => (await tokens.api.result(payments.createHold, { body: { amount: 30, expires_in: 60 } })).hold
  const [one, two, three] = [await make(), await make(), await make()]
  plaza.clock.advance(61)
  const expired = { status: 'released', release_reason: 'expired', settled_at: plaza.clock.now().toISOString() }
  expect(await tokens.api.result(getPoints)).toEqual({ points: 0, held: 90 })
  expect((await app.result(payments.getHold, { params: { id: one.id } })).hold).toEqual({ ...one, ...expired })
  expect(await tokens.api.result(getPoints)).toEqual({ points: 30, held: 60 })
  expect((await app.call(payments.captureHold, { params: { id: two.id }, body: {} })).status).toBe(409)
  expect(await tokens.api.result(getPoints)).toEqual({ points: 60, held: 30 })
  const { data } = await user.api.result(payments.listMyHolds)
  expect(data.map(({ id, status }) => [id, status])).toEqual([three, two, one].map(({ id }) => [id, 'released']))
  expect(await tokens.api.result(getPoints)).toEqual({ points: 90, held: 0 })
  // Concurrent readers free it once.
  const last = await make()
  plaza.clock.advance(61)
  const read = await race(plaza, 30, () => app.result(payments.getHold, { params: { id: last.id } }))
  for (const { hold } of read) expect(hold).toMatchObject({ status: 'released', release_reason: 'expired' })
  expect(await tokens.api.result(getPoints)).toEqual({ points: 90, held: 0 })
})

test('D-97: the job looks for expired holds every five seconds', async () => {
  const name = 'points.release_expired_holds'
  await job(name).run({ _cron: { ts: plaza.clock.now().toISOString() } }, 'test')
  const queued = await plaza.db.sql<{ seconds: number; runs_left: number }>`
    select extract(epoch from run_at - created_at)::integer as seconds, (payload ->> 'runs_left')::integer as runs_left
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = ${name} and payload ->> 'runs_left' is not null`
  expect(queued).toContainEqual({ seconds: 5, runs_left: 10 })
})

test('D-97: holds are listed by time, for the app and the person: from is included, to is not', async () => {
  const { user, tokens, shop: app } = await shop(100)
  const ids: string[] = []
  const times: string[] = []
  for (const reference of ['first', 'second', 'third']) {
    // Further apart than clocks may differ, so that the bounds of the scan are tested too.
    plaza.clock.advance(7_200)
    times.push(plaza.clock.now().toISOString())
    ids.push((await tokens.api.result(payments.createHold, { body: { amount: 10, reference } })).hold.id)
  }
  const [first, second, third] = ids
  const spans: [object, (string | undefined)[]][] = [
    [{ from: times[1] }, [third, second]],
    [{ to: times[1] }, [first]],
    [{ from: times[0], to: times[2] }, [second, first]],
    [{ from: times[1], status: 'open' }, [third]],
    [{ from: times[1], reference: 'second' }, [second]],
    [{ from: '0001-01-01T00:00:00Z', to: '9999-01-01T00:00:00Z' }, [third, second, first]],
    [{ from: '9999-01-01T00:00:00Z' }, []],
  ]
  const of_app = async (query: object) => (await app.result(payments.listHolds, { query })).data.map(({ id }) => id)
  const own = async (query: object) => (await user.api.result(payments.listMyHolds, { query })).data.map(({ id }) => id)
  for (const [query, expected] of spans) {
    expect(await of_app(query)).toEqual(expected)
    expect(await of_app({ ...query, user_id: user.id })).toEqual(expected)
    if (!('reference' in query)) expect(await own(query)).toEqual(expected)
  }
  const page = await app.result(payments.listHolds, { query: { to: times[2]!, limit: 1 } })
  const next = await app.result(payments.listHolds, { query: { to: times[2]!, limit: 1, cursor: page.next_cursor! } })
  expect([page.data[0]?.id, next.data[0]?.id, next.next_cursor]).toEqual([second, first, null])
  const backwards = { from: times[1]!, to: times[1]! }
  const refusal = invalid('to', 'must be after from')
  expect(outcome(await app.call(payments.listHolds, { query: backwards }))).toEqual(refusal)
  expect(outcome(await user.api.call(payments.listMyHolds, { query: backwards }))).toEqual(refusal)
})

test('D-97: of 40 parallel captures and voids one wins, and the ledger agrees', async () => {
  const { tokens, shop: app } = await shop(50)
  const { hold } = await tokens.api.result(payments.createHold, { body: { amount: 30 } })
  const params = { id: hold.id }
  const replies = await race(plaza, 40, (at) =>
    at % 2 === 0
      ? app.call(payments.captureHold, { params, body: { amount: 10 } })
      : app.call(payments.voidHold, { params }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 409: 39 })
  const { hold: now } = await app.result(payments.getHold, { params })
  const points = now.status === 'captured' ? 40 : 50
  expect(await tokens.api.result(getPoints)).toEqual({ points, held: 0 })
  for (const { body } of replies.filter(({ status }) => status === 409)) expect(body).toMatchObject({ hold: now })
})

test('D-09, D-97: a key makes one hold, one capture and one void, and another request with it is refused', async () => {
  const { tokens, shop: app } = await shop(50)
  const headers = { 'idempotency-key': 'one' }
  const replies = await race(plaza, 10, () => tokens.api.call(payments.createHold, { body: { amount: 5 }, headers }))
  const holds = replies.map(({ body }) => (body as { hold: { id: string } }).hold.id)
  expect([new Set(holds).size, new Set(replies.map(({ status }) => status))]).toEqual([1, new Set([201])])
  expect(countBy(replies, (reply) => String(reply.headers.get('idempotency-replayed')))).toEqual({ null: 1, true: 9 })
  expect(await tokens.api.result(getPoints)).toEqual({ points: 45, held: 5 })
  const other = await tokens.api.call(payments.createHold, { body: { amount: 6 }, headers })
  expect(outcome(other)).toEqual(refused('idempotency_key_reused'))

  const params = { id: holds[0]! }
  const captures = await race(plaza, 10, () => app.call(payments.captureHold, { params, body: { amount: 2 }, headers }))
  expect(new Set(captures.map((reply) => JSON.stringify(outcome(reply)))).size).toBe(1)
  expect(captures[0]).toMatchObject({ status: 200, body: { hold: { status: 'captured', captured_amount: 2 } } })
  const changed = await app.call(payments.captureHold, { params, body: { amount: 3 }, headers })
  expect(outcome(changed)).toEqual(refused('idempotency_key_reused'))
  expect(await tokens.api.result(getPoints)).toEqual({ points: 48, held: 0 })
})

test('D-97: another app’s hold is absent, more than is held is refused, and so is a capture without approval', async () => {
  const { tokens, app: own, shop: app } = await shop(50)
  const { hold } = await tokens.api.result(payments.createHold, { body: { amount: 30 } })
  const params = { id: hold.id }
  const other = clientOf(await someApp(plaza))
  for (const id of [hold.id, unknown_id]) {
    expect(outcome(await other.call(payments.getHold, { params: { id } }))).toEqual(refused('not_found'))
    expect(outcome(await other.call(payments.captureHold, { params: { id }, body: {} }))).toEqual(refused('not_found'))
    expect(outcome(await other.call(payments.voidHold, { params: { id } }))).toEqual(refused('not_found'))
  }
  expect(outcome(await app.call(payments.captureHold, { params, body: { amount: 31 } }))).toEqual(
    invalid('amount', 'must be at most the 30 that are held'),
  )
  await (await theAdmin(plaza)).api.result(rejectApp, { params: { id: own.id }, body: {} })
  expect(outcome(await app.call(payments.captureHold, { params, body: {} }))).toEqual(refused('client_not_approved'))
})

test('D-09, D-97: a capture whose response was lost can be replayed after the app lost its approval', async () => {
  const { tokens, app: own, shop: app } = await shop(50)
  const holdOf = async (amount: number) => (await tokens.api.result(payments.createHold, { body: { amount } })).hold.id
  const [first, second] = [await holdOf(30), await holdOf(10)]
  const capture = (id: string, key: string | null, body: object = {}) =>
    app.call(payments.captureHold, { params: { id }, body, ...(key && { headers: { 'idempotency-key': key } }) })
  const captured = await capture(first, 'one')
  expect(captured).toMatchObject({ status: 200, body: { hold: { status: 'captured', captured_amount: 30 } } })
  await (await theAdmin(plaza)).api.result(rejectApp, { params: { id: own.id }, body: {} })
  const again = await capture(first, 'one')
  expect(outcome(again)).toEqual(outcome(captured))
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(outcome(await capture(first, 'one', { amount: 1 }))).toEqual(refused('idempotency_key_reused'))
  expect(outcome(await capture(second, 'one'))).toEqual(refused('idempotency_key_reused'))
  for (const key of ['two', null]) expect(outcome(await capture(first, key))).toEqual(refused('client_not_approved'))
  expect((await app.result(payments.getOwnBalance)).points).toBe(30)
})

/** Inserts this many open holds of 1 point. */
async function openHolds(user_id: string, app_id: string, count: number) {
  const now = plaza.clock.now()
  await plaza.db.sql`
    insert into holds (id, user_id, app_id, amount, inserted_at, expires_at)
    select gen_random_uuid(), ${user_id}::uuid, ${app_id}::uuid, 1, ${now}, ${new Date(now.getTime() + 3_600_000)}
      from generate_series(1, ${count}::integer)`
  await plaza.db.sql`update point_accounts set held = held + ${count}::integer where id = ${user_id}`
}
const openOf = async (app_id: string) =>
  (await plaza.db.sql<{ user_id: string }>`select user_id from holds where app_id = ${app_id} and status = 'open'`).map(
    ({ user_id }) => user_id,
  )

test('D-97: a locked account delays only its own holds, and the job fails so that it is retried', async () => {
  const { user, app, tokens } = await shop(50)
  await tokens.api.result(payments.createHold, { body: { amount: 30 } })
  const other = (await shop(1_100)).user
  await openHolds(other.id, app.id, 1_100)
  const release = () =>
    job('points.release_holds_of_app').run({ app_id: app.id, until: plaza.clock.now().toISOString() }, 'test')
  const client = await plaza.db.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from point_accounts where id = $1 for update', [user.id])
    await expect(release()).rejects.toMatchObject({ code: 'overloaded' })
    expect(await openOf(app.id)).toEqual([user.id])
  } finally {
    // Its end rolls the transaction back, even if a statement above failed.
    client.release(true)
  }
  await release()
  expect([await openOf(app.id), await pointsOf(user), await pointsOf(other)]).toEqual([[], 50, 1_100])
})

test('D-97: holds of an app beyond 100 rounds are freed by another run of the job', async () => {
  const { user, app } = await shop(501)
  await openHolds(user.id, app.id, 501)
  const { db } = plaza
  const ledger = openLedger(db, plaza.clock.now)
  await releaseHoldsOfApp({ db, ledger }, { app_id: app.id, until: plaza.clock.now(), rows_max: 5 })
  await expect.poll(() => openOf(app.id), { timeout: 30_000 }).toEqual([])
  expect(await pointsOf(user)).toBe(501)
  await ledger.drain()
})

test('D-97: disconnecting one of more than a thousand apps leaves the holds of all others', async () => {
  const { user, tokens, app } = await shop(50)
  const { hold } = await tokens.api.result(payments.createHold, { body: { amount: 30 } })
  plaza.clock.advance(1)
  const now = plaza.clock.now()
  await plaza.db.sql`
    insert into oauth_apps (id, client_id, owner_id, app_name, redirect_uris, allowed_scopes, status, inserted_at, updated_at)
    select gen_random_uuid(), gen_random_uuid()::text, owner_id, 'Lamp ' || n, redirect_uris, allowed_scopes, status, ${now}, ${now}
      from oauth_apps, generate_series(1, 1_001) n where id = ${app.id}`
  await plaza.db.sql`
    insert into connections (user_id, app_id, scopes, connected_at)
    select ${user.id}, id, allowed_scopes, ${now} from oauth_apps where app_name like 'Lamp %'`
  const [lamp] = await plaza.db.sql<{ id: string }>`select id from oauth_apps where app_name = 'Lamp 1'`
  await user.api.result(disconnectApp, { params: { app_id: lamp!.id } })
  const { hold: still } = await clientOf(app).result(payments.getHold, { params: { id: hold.id } })
  expect([still, await pointsOf(user)]).toEqual([hold, 20])
})

test('D-97: disconnecting frees the holds of that app and no others', async () => {
  const { user, app, tokens, shop: client } = await shop(50)
  const { hold } = await tokens.api.result(payments.createHold, { body: { amount: 30 } })
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  expect(await pointsOf(user)).toBe(50)
  const { hold: now } = await client.result(payments.getHold, { params: { id: hold.id } })
  expect(now).toMatchObject({ status: 'released', release_reason: 'disconnected' })
})

test('D-97: a withdrawn approval frees the holds of the app', async () => {
  const { user, app, tokens } = await shop(50)
  await tokens.api.result(payments.createHold, { body: { amount: 30 } })
  await (await theAdmin(plaza)).api.result(rejectApp, { params: { id: app.id }, body: {} })
  await expect.poll(() => pointsOf(user), { timeout: 30_000 }).toBe(50)
  const { data } = await user.api.result(payments.listMyHolds)
  expect(data).toMatchObject([
    { app_id: app.id, amount: 30, status: 'released', app_name: expect.any(String) as string },
  ])
})

test('after all of these tests the ledger balances, held points included; the check finds a wrong held sum', async () => {
  const admin = await theAdmin(plaza)
  const { balanced, faults } = await admin.api.result(checkLedger)
  expect([balanced, faults]).toEqual([true, []])
  const { user } = await shop(10)
  await plaza.db.sql`update point_accounts set held = 3 where id = ${user.id}`
  expect(await admin.api.result(checkLedger)).toMatchObject({
    balanced: false,
    faults: [{ account_id: user.id, fault: 'held differs from the sum of its open holds' }],
  })
  await plaza.db.sql`update point_accounts set held = 0 where id = ${user.id}`
})

test('D-97: among very many holds a range of dates reads only its own, and so do the open ones', async () => {
  const { user, app } = await shop()
  const year_before = new Date(plaza.clock.now().getTime() - 365 * 86_400_000)
  await plaza.db.sql`
    insert into holds (id, user_id, app_id, amount, status, release_reason, inserted_at, expires_at, settled_at)
    select gen_random_uuid(), ${user.id}::uuid, ${app.id}::uuid, 1, 'released', 'voided', at, at, at
      from generate_series(1, 20_000) n, lateral (select ${year_before}::timestamptz + n * interval '10 minutes') t(at)`
  // The maximum age of an open hold.
  const expires_at = new Date(plaza.clock.now().getTime() + 1_000)
  await plaza.db.sql`
    insert into holds (id, user_id, app_id, amount, inserted_at, expires_at)
    values (${unknown_id}, ${user.id}, ${app.id}, 7, ${new Date(expires_at.getTime() - 604_800_000)}, ${expires_at})`
  await plaza.db.sql`update point_accounts set held = 7 where id = ${user.id}`
  await plaza.db.pool.query('analyze holds')
  const readsOf = await countReadsOf(plaza, 'holds')
  const readBy = (calls: (of_app: PlazaClient, own: PlazaClient) => Promise<void>) =>
    readsOf((url) => calls(new PlazaClient(url, app), new PlazaClient(url, user.token)))
  const from = new Date(year_before.getTime() + 86_400_000 * 50)
  const query = { from: from.toISOString(), to: new Date(from.getTime() + 3_600_000).toISOString(), limit: 100 }
  const of_range = await readBy(async (of_app, own) => {
    expect((await of_app.result(payments.listHolds, { query })).data).toHaveLength(6)
    expect((await own.result(payments.listMyHolds, { query })).data).toHaveLength(6)
  })
  expect(of_range.sequential).toBe(0)
  // The searches of both ends, plus the holds made within an hour of the range.
  expect(of_range.all).toBeGreaterThan(0)
  expect(of_range.all).toBeLessThan(250)
  const of_open = await readBy(async (of_app, own) => {
    const open = [{ id: unknown_id, amount: 7, status: 'open' }]
    const status = { status: 'open' } as const
    expect((await of_app.result(payments.listHolds, { query: status })).data).toMatchObject(open)
    expect((await of_app.result(payments.listHolds, { query: { ...status, user_id: user.id } })).data).toMatchObject(
      open,
    )
    expect((await own.result(payments.listMyHolds, { query: status })).data).toMatchObject(open)
    expect((await of_app.result(payments.getOwnBalance)).held_for_app).toBe(7)
  })
  expect(of_open.sequential).toBe(0)
  expect(of_open.all).toBeLessThan(250)
})
