import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import {
  createDeployTier,
  reactivateDeployment,
  recordDeploymentPayment,
  suspendDeployment,
  updateDeployTier,
} from '../../../contract/admin-deployments.ts'
import { checkLedger } from '../../../contract/admin.ts'
import { createDeployment, getDeployment, restartDeployment, stopDeployment } from '../../../contract/deployments.ts'
import { myPointsHistory, spendPoints } from '../../../contract/points.ts'
import { countBy, race, sharedService, type TestService } from '../../test/harness.ts'
import { createTeam, moveApp } from '../../../contract/teams.ts'
import { failRowUpdates } from '../../test/failing-row.ts'
import {
  allowHosting,
  any_image,
  freshName,
  observeStatus,
  someContainerHost,
  someHostingApp,
  withoutWaiting,
} from '../../test/hosting-world.ts'
import { outcome, refused } from '../../test/refusals.ts'
import { givePoints, pointsOf, someTokens, theAdmin, world } from '../../test/world.ts'
import { billing_settings } from '../../test/settings.ts'

const plaza = await sharedService(billing_settings)
const admin = await theAdmin(plaza)
await someContainerHost(plaza)
type HostingApp = Awaited<ReturnType<typeof someHostingApp>>
const cycle_seconds = 30 * 86_400
const some_text = expect.any(String) as string

const create = (app: HostingApp, tier: string) => {
  plaza.clock.advance(7)
  return app.api.call(createDeployment, { body: { subdomain: freshName(), image: any_image, tier } })
}
async function someDeployment(app: HostingApp, tier: string) {
  const { id } = (await create(app, tier)).body as { id: string }
  await observe(id, 'running')
  return id
}
const observe = (id: string, status: string) => observeStatus(plaza, id, status)
const charge = (service: TestService = plaza) =>
  service.service.app.jobs.find(({ name }) => name === 'deployments.charge_due_cycles')!.run({}, 'test')
const stateOf = async (id: string) =>
  (
    await plaza.db.sql<Record<string, unknown>>`
      select billing_status, suspended_by, desired, generation, paid_until from deployments where id = ${id}`
  )[0]!
const chargesOf = async (id: string) =>
  plaza.db.sql<{ cycle: number; paid: boolean; stipend: boolean; cycle_starts: Date; cycle_ends: Date }>`
    select cycle, cost_transfer_id is not null as paid, stipend_transfer_id is not null as stipend, cycle_starts, cycle_ends
      from deploy_charges where deployment_id = ${id} order by cycle`
const actionsOf = async (id: string) =>
  (
    await plaza.db.sql<{
      action: string
    }>`select action from deploy_logs where deployment_id = ${id} order by generation, id`
  ).map(({ action }) => action)
const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)

test('D-62 creation charges the first cycle, in the ledger and in the row; the response says active', async () => {
  const app = await someHostingApp(plaza, { points: 700 })
  const reply = await create(app, 'starter')
  expect([reply.status, reply.body]).toMatchObject([201, { billing_status: 'active', status: 'pending' }])
  const { id, subdomain } = reply.body as { id: string; subdomain: string }
  expect(await pointsOf(app.owner)).toBe(200)
  const [entry] = (await app.owner.api.result(myPointsHistory)).data
  expect(entry).toMatchObject({
    kind: 'charge',
    direction: 'out',
    amount: 500,
    app_id: app.id,
    description: `Hosting of ${subdomain}`,
    other_user_id: null,
  })
  const now = plaza.clock.now()
  expect(await stateOf(id)).toEqual({
    billing_status: 'active',
    suspended_by: null,
    desired: 'running',
    generation: 1,
    paid_until: later(now, cycle_seconds),
  })
  expect(await chargesOf(id)).toEqual([
    { cycle: 1, paid: true, stipend: false, cycle_starts: now, cycle_ends: later(now, cycle_seconds) },
  ])
})

test('D-62 too few points at creation: 409 insufficient_points, and nothing is stored', async () => {
  const app = await someHostingApp(plaza, { points: 499 })
  const counts = async () =>
    (
      await plaza.db.sql`select (select count(*) from deployments) as d, (select count(*) from deploy_logs) as l,
      (select count(*) from transfers) as t, (select count(*) from deploy_charges) as c`
    )[0]
  const before = await counts()
  expect(outcome(await create(app, 'starter'))).toEqual(refused('insufficient_points'))
  expect(await counts()).toEqual(before)
  expect(await pointsOf(app.owner)).toBe(499)
})

test('of 10 concurrent creates with points for three, three succeed, and the ledger balances', async () => {
  const app = await someHostingApp(plaza, { points: 1_700 })
  const replies = await race(plaza, 10, () =>
    app.api.call(createDeployment, { body: { subdomain: freshName(), image: any_image, tier: 'starter' } }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 3, 409: 7 })
  expect(await pointsOf(app.owner)).toBe(200)
  expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
})

test('D-62 every 30 days one charge and one stipend, however often and wherever the job runs', async () => {
  const app = await someHostingApp(plaza, { points: 20_000 })
  const id = await someDeployment(app, 'pro')
  const begun = plaza.clock.now()
  expect(await pointsOf(app.owner)).toBe(20_000 - 5_000 + 250)
  await charge()
  plaza.clock.advance(cycle_seconds - 1)
  await charge()
  expect(await chargesOf(id)).toHaveLength(1)
  plaza.clock.advance(1)
  const other = await plaza.startAnother()
  await Promise.all(Array.from({ length: 10 }, (_, at) => charge(at % 2 ? plaza : other)))
  await charge()
  const charges = await chargesOf(id)
  expect(charges.map(({ cycle, paid, stipend }) => [cycle, paid, stipend])).toEqual([
    [1, true, true],
    [2, true, true],
  ])
  expect(charges[1]?.cycle_starts).toEqual(later(begun, cycle_seconds))
  expect(await stateOf(id)).toMatchObject({
    billing_status: 'active',
    paid_until: later(begun, 2 * cycle_seconds),
    generation: 1,
  })
  const [{ spent } = { spent: 0 }] = await plaza.db.sql<{ spent: number }>`
    select sum(amount)::bigint as spent from transfers where from_account = ${app.owner.id} and kind = 'charge'`
  expect(spent).toBe(10_000)
  const [{ stipends } = { stipends: 0 }] = await plaza.db.sql<{ stipends: number }>`
    select sum(amount)::bigint as stipends from transfers where to_account = ${app.owner.id} and kind = 'stipend'`
  expect(stipends).toBe(500)
})

test('D-62 overdue cycles are each charged', async () => {
  const app = await someHostingApp(plaza, { points: 5_000 })
  const id = await someDeployment(app, 'starter')
  plaza.clock.advance(3 * cycle_seconds + 60)
  await charge()
  expect((await chargesOf(id)).map(({ cycle }) => cycle)).toEqual([1, 2, 3, 4])
})

test('D-62 a cycle that cannot be paid suspends; enough points reactivate, with a new cycle from then', async () => {
  const app = await someHostingApp(plaza, { points: 600 })
  const id = await someDeployment(app, 'starter')
  plaza.clock.advance(cycle_seconds)
  await charge()
  await charge()
  expect(await stateOf(id)).toMatchObject({
    billing_status: 'suspended',
    suspended_by: 'billing',
    desired: 'running',
    generation: 2,
  })
  expect(await actionsOf(id)).toEqual(['create', 'suspend'])
  const [entry] = await plaza.db.sql`
    select status, initiated_by, details from deploy_logs where deployment_id = ${id} and action = 'suspend'`
  expect(entry).toEqual({
    status: 'pending',
    initiated_by: null,
    details: { message: some_text, billing_status: 'suspended' },
  })
  expect(await chargesOf(id)).toHaveLength(1)
  plaza.clock.advance(5 * 86_400)
  await givePoints(plaza, app.owner, 400)
  await charge()
  const now = plaza.clock.now()
  expect(await stateOf(id)).toMatchObject({
    billing_status: 'active',
    suspended_by: null,
    desired: 'running',
    generation: 3,
    paid_until: later(now, cycle_seconds),
  })
  expect(await actionsOf(id)).toEqual(['create', 'suspend', 'reactivate'])
  expect((await chargesOf(id))[1]).toMatchObject({ cycle: 2, cycle_starts: now })
})

test('D-62 a deployment stays suspended, with one log entry, until the points suffice', async () => {
  const app = await someHostingApp(plaza, { points: 500 })
  const id = await someDeployment(app, 'starter')
  await withoutWaiting(plaza, id, () => app.api.result(stopDeployment, { params: { id } }))
  plaza.clock.advance(cycle_seconds)
  await charge()
  await observe(id, 'stopped')
  plaza.clock.advance(61)
  expect(outcome(await app.api.call(restartDeployment, { params: { id } }))).toEqual(refused('suspended'))
  await givePoints(plaza, app.owner, 499)
  await charge()
  expect(await actionsOf(id)).toEqual(['create', 'stop', 'suspend'])
  expect(await pointsOf(app.owner)).toBe(499)
  await givePoints(plaza, app.owner, 1)
  await charge()
  expect(await pointsOf(app.owner)).toBe(0)
  // The desired state from before the suspension holds again: it stays stopped.
  expect(await stateOf(id)).toMatchObject({ billing_status: 'active', suspended_by: null, desired: 'stopped' })
  expect(await actionsOf(id)).toEqual(['create', 'stop', 'suspend', 'reactivate'])
})

test('D-62 destroyed deployments, and those suspended by an admin, are not charged', async () => {
  const app = await someHostingApp(plaza, { points: 5_000 })
  const ids = [await someDeployment(app, 'starter'), await someDeployment(app, 'starter')] as const
  await plaza.db.sql`update deployments set desired = 'destroyed' where id = ${ids[0]}`
  await admin.api.result(suspendDeployment, { params: { id: ids[1] }, body: { reason: 'abuse' } })
  plaza.clock.advance(2 * cycle_seconds)
  await charge()
  for (const id of ids) expect(await chargesOf(id)).toHaveLength(1)
  await admin.api.result(reactivateDeployment, { params: { id: ids[1] }, body: {} })
  const now = plaza.clock.now()
  await charge()
  const charges = await chargesOf(ids[1])
  expect(charges).toHaveLength(2)
  expect(charges[1]?.cycle_starts).toEqual(now)
})

test('D-62 a bitcoin tier waits in pending until an admin records the payment, once; then again each cycle', async () => {
  const app = await someHostingApp(plaza)
  const reply = await create(app, 'sovereign')
  expect([reply.status, reply.body]).toMatchObject([201, { status: 'pending', billing_status: 'awaiting_payment' }])
  const { id } = reply.body as { id: string }
  await charge()
  expect(await stateOf(id)).toMatchObject({ suspended_by: 'billing', paid_until: null, generation: 1 })
  expect(await chargesOf(id)).toEqual([])
  expect(outcome(await app.api.call(restartDeployment, { params: { id } }))).toEqual(refused('suspended'))
  const pay = () => admin.api.call(recordDeploymentPayment, { params: { id }, body: { note: 'tx 4711' } })
  const replies = await race(plaza, 10, pay)
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 409: 9 })
  for (const one of replies) if (one.status === 409) expect(outcome(one)).toEqual(refused('not_allowed_now'))
  const now = plaza.clock.now()
  expect(await stateOf(id)).toMatchObject({
    billing_status: 'active',
    suspended_by: null,
    generation: 2,
    paid_until: later(now, cycle_seconds),
  })
  expect(await pointsOf(app.owner)).toBe(500)
  expect(await chargesOf(id)).toMatchObject([{ cycle: 1, paid: false, stipend: true }])
  // The next cycle may be paid early, once.
  plaza.clock.advance(cycle_seconds - 8 * 86_400)
  expect((await pay()).status).toBe(409)
  plaza.clock.advance(2 * 86_400)
  expect((await pay()).status).toBe(200)
  expect((await pay()).status).toBe(409)
  expect(await stateOf(id)).toMatchObject({ generation: 2, paid_until: later(now, 2 * cycle_seconds) })
  plaza.clock.advance(cycle_seconds + 6 * 86_400)
  await charge()
  expect(await stateOf(id)).toMatchObject({
    billing_status: 'awaiting_payment',
    suspended_by: 'billing',
    generation: 3,
  })
  expect((await pay()).status).toBe(200)
  expect(await actionsOf(id)).toEqual(['create', 'reactivate', 'suspend', 'reactivate'])
  expect(await pointsOf(app.owner)).toBe(1_500)
})

test('a payment for a tier that takes points is refused and changes nothing', async () => {
  const app = await someHostingApp(plaza, { points: 500 })
  const id = await someDeployment(app, 'starter')
  const before = [await stateOf(id), await chargesOf(id)]
  expect(outcome(await admin.api.call(recordDeploymentPayment, { params: { id }, body: {} }))).toEqual(
    refused('not_allowed_now'),
  )
  expect([await stateOf(id), await chargesOf(id)]).toEqual(before)
})

test('D-62 a deployment suspended for points on a tier that changed to bitcoin runs again once a payment is recorded', async () => {
  const app = await someHostingApp(plaza, { points: 50 })
  const prices = { payment_method: 'service_points', monthly_cost_points: 50 } as const
  const limits = { name: 'Turning', slug: 'turning', memory_limit_mb: 64, cpu_limit_millicores: 100 }
  const tier = await admin.api.result(createDeployTier, { body: { ...limits, ...prices } })
  const id = await someDeployment(app, 'turning')
  plaza.clock.advance(cycle_seconds)
  await charge()
  const pay = () => admin.api.call(recordDeploymentPayment, { params: { id }, body: {} })
  expect(outcome(await pay())).toEqual(refused('not_allowed_now'))
  await admin.api.result(updateDeployTier, { params: { id: tier.id }, body: { payment_method: 'bitcoin' } })
  await givePoints(plaza, app.owner, 50)
  await charge()
  expect(await stateOf(id)).toMatchObject({ billing_status: 'suspended', suspended_by: 'billing' })
  expect((await pay()).status).toBe(200)
  expect(await stateOf(id)).toMatchObject({
    billing_status: 'active',
    suspended_by: null,
    paid_until: later(plaza.clock.now(), cycle_seconds),
  })
  expect(await pointsOf(app.owner)).toBe(50)
})

test('a deployment whose charge fails does not stop the others, and the run fails', async () => {
  const app = await someHostingApp(plaza, { points: 3_000 })
  const ids = [await someDeployment(app, 'starter'), await someDeployment(app, 'starter')] as const
  plaza.clock.advance(cycle_seconds)
  // The next cycle number overflows; this deployment comes first, by its id.
  await plaza.db.sql`insert into deploy_charges values (${ids[0]}, ${2 ** 31 - 1}, null, null, now(), now(), now())`
  await expect(charge()).rejects.toThrow('out of range')
  expect((await chargesOf(ids[1])).map(({ cycle }) => cycle)).toEqual([1, 2])
  await plaza.db.sql`delete from deploy_charges where deployment_id = ${ids[0]} and cycle > 2`
  await charge()
  expect((await chargesOf(ids[0])).map(({ cycle }) => cycle)).toEqual([1, 2])
})

test('D-63 a changed price applies from the next cycle; a tier without a price is free', async () => {
  const app = await someHostingApp(plaza, { points: 100 })
  const tier = await admin.api.result(createDeployTier, {
    body: {
      name: 'Free',
      slug: 'free',
      payment_method: 'service_points',
      memory_limit_mb: 64,
      cpu_limit_millicores: 100,
    },
  })
  const id = await someDeployment(app, 'free')
  expect(await pointsOf(app.owner)).toBe(100)
  expect(await chargesOf(id)).toMatchObject([{ cycle: 1, paid: false, stipend: false }])
  const body = { monthly_cost_points: 30, memory_limit_mb: 128, retired: true }
  await admin.api.result(updateDeployTier, { params: { id: tier.id }, body })
  plaza.clock.advance(cycle_seconds)
  await charge()
  expect(await pointsOf(app.owner)).toBe(70)
  expect(await app.api.result(getDeployment, { params: { id } })).toMatchObject({ memory_limit_mb: 64 })
})

test('D-62 BILLING=off charges nothing: billing_status is null, and the job does nothing', async () => {
  const free = await plaza.startAnother({ BILLING: 'off' })
  const app = await someHostingApp(plaza)
  const reply = await new PlazaClient(free.url).withToken(app.tokens.access_token).call(createDeployment, {
    body: { subdomain: freshName(), image: any_image, tier: 'sovereign' },
  })
  expect([reply.status, reply.body]).toMatchObject([201, { billing_status: null }])
  const { id } = reply.body as { id: string }
  plaza.clock.advance(2 * cycle_seconds)
  await charge(free)
  await charge()
  expect(await stateOf(id)).toMatchObject({ billing_status: null, suspended_by: null, paid_until: null, generation: 1 })
  expect(await chargesOf(id)).toEqual([])
})

test('D-62 when billing is turned off, deployments suspended by billing run again, uncharged', async () => {
  const app = await someHostingApp(plaza, { points: 600 })
  const id = await someDeployment(app, 'starter')
  plaza.clock.advance(cycle_seconds)
  await charge()
  expect(await stateOf(id)).toMatchObject({ suspended_by: 'billing', billing_status: 'suspended', generation: 2 })
  const free = await plaza.startAnother({ BILLING: 'off' })
  await Promise.all([charge(free), charge(free)])
  expect(await stateOf(id)).toMatchObject({ suspended_by: null, billing_status: null, paid_until: null, generation: 3 })
  expect(await actionsOf(id)).toEqual(['create', 'suspend', 'reactivate'])
  expect(await pointsOf(app.owner)).toBe(100)
})

test('D-62 when billing is turned off, an error of one deployment does not stop the others', async () => {
  const app = await someHostingApp(plaza, { points: 1_000 })
  const ids = [await someDeployment(app, 'starter'), await someDeployment(app, 'starter')]
  plaza.clock.advance(cycle_seconds)
  await charge()
  const [failing = '', other = ''] = ids
  const restore = await failRowUpdates(plaza, 'deployments', failing, 'suspended_by')
  const free = await plaza.startAnother({ BILLING: 'off' })
  await expect(charge(free)).rejects.toThrow('this row fails')
  expect([await stateOf(failing), await stateOf(other)]).toMatchObject([
    { suspended_by: 'billing' },
    { suspended_by: null, billing_status: null },
  ])
  await restore()
  await charge(free)
  expect(await stateOf(failing)).toMatchObject({ suspended_by: null })
})

test('the ledger balances after all tests', async () => {
  expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
})

test('D-134: hosting of a team’s app is paid from the balance of the app, not by its owner', async () => {
  const { app, tokens } = await world(plaza, { points: 1_000, scopes: ['points:spend'] })
  await allowHosting(plaza, app)
  await givePoints(plaza, app.owner, 1_000)
  const { team } = await app.owner.api.result(createTeam, { body: { name: 'Night shift' } })
  await app.owner.api.result(moveApp, { params: { id: app.id }, body: { team_id: team.id } })
  const { api } = await someTokens(plaza, app, app.owner, ['deploy:manage'])
  const host = () => api.call(createDeployment, { body: { subdomain: freshName(), image: any_image, tier: 'starter' } })
  expect(outcome(await host())).toEqual(refused('insufficient_points'))
  await tokens.api.result(spendPoints, { body: { amount: 1_000, description: 'Stickers' } })
  expect((await host()).status).toBe(201)
  const [account] = await plaza.db.sql<{ debited: number }>`select debited from point_accounts where id = ${app.id}`
  expect([account!.debited > 0, await pointsOf(app.owner)]).toEqual([true, 1_000])
})
