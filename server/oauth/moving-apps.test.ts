import { expect, test } from 'vitest'
import { checkLedger } from '../../contract/admin.ts'
import { refundOfMyApp, voidHoldOfMyApp, withdrawFromMyApp } from '../../contract/app-payments.ts'
import { PlazaClient } from '../../contract/client.ts'
import { createDeployment } from '../../contract/deployments.ts'
import { listNotices } from '../../contract/notices.ts'
import { updateOperatorApp } from '../../contract/operators.ts'
import { createHold, createPayouts, getOwnBalance } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import { acceptApp, createTeam, moveApp } from '../../contract/teams.ts'
import { createWebhook } from '../../contract/webhooks.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { allowHosting, any_image, freshName, observeStatus, someContainerHost } from '../test/hosting-world.ts'
import { startReceiver } from '../test/receiver.ts'
import { outcome, refused } from '../test/refusals.ts'
import { billing_settings } from '../test/settings.ts'
import { digestTables } from '../test/table-digests.ts'
import { waitUntil } from '../test/wait.ts'
import { givePoints, pointsOf, proveUser, someTokens, someUser, theAdmin, world, type SomeUser } from '../test/world.ts'

const plaza = await sharedService(billing_settings)
await someContainerHost(plaza)

/** An app with earnings and holds, its owner's token, and a person to whom it is offered. */
async function shop() {
  const { app, tokens, user } = await world(plaza, { points: 5_000, scopes: ['points:spend', 'app:balance:read'] })
  await allowHosting(plaza, app)
  const [owner, taker] = [app.owner, await someUser(plaza)]
  const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 1_000 } })
  const reserve = async () => (await tokens.api.result(createHold, { body: { amount: 10 } })).hold.id
  const { api: token } = await someTokens(plaza, app, owner, ['deploy:manage', 'app:balance:read'])
  const client = new PlazaClient(plaza.url, app)
  const params = { id: app.id }
  const offer = () => move({ user_id: taker.id })
  const move = (body: { user_id?: string; team_id?: string }, by = owner) => by.api.call(moveApp, { params, body })
  const take = () => taker.api.call(acceptApp, { params })
  return { app, user, owner, taker, client, token, transfer_id, reserve, params, offer, move, take }
}
type Shop = Awaited<ReturnType<typeof shop>>

const newDeployment = ({ token }: Shop) =>
  token.call(createDeployment, { body: { subdomain: freshName(), image: any_image, tier: 'starter' } })
const incomeOf = async ({ client }: Shop) => (await client.result(getOwnBalance)).points

/** Acts on an app, by the console or a token, each with its refusal after the app has moved. */
const acts: [
  string,
  (made: Shop, hold_id: string) => Promise<{ status: number; body: unknown }>,
  'not_found' | 'not_app_owner',
][] = [
  [
    'a refund',
    ({ owner, params, transfer_id }) => owner.api.call(refundOfMyApp, { params, body: { transfer_id, amount: 5 } }),
    'not_found',
  ],
  [
    'a withdrawal',
    ({ owner, params }) => owner.api.call(withdrawFromMyApp, { params, body: { amount: 7, password: owner.password } }),
    'not_found',
  ],
  [
    'the end of a hold',
    ({ owner, params }, hold_id) => owner.api.call(voidHoldOfMyApp, { params: { ...params, hold_id } }),
    'not_found',
  ],
  ['a deployment', newDeployment, 'not_app_owner'],
  [
    'a change of the app',
    ({ token }) => token.call(updateOperatorApp, { body: { app_name: 'Renamed' } }),
    'not_app_owner',
  ],
]

test.each(acts)(
  'D-134: %s that began before the app moved is refused after it, and nothing is written',
  async (_, act, code) => {
    const made = await shop()
    await givePoints(plaza, made.owner, 2_000)
    await made.offer()
    const hold_id = await made.reserve()
    const before = await written()
    const lock = await plaza.db.pool.connect()
    try {
      // The call passes its first checks, then waits for these rows.
      await lock.query('begin')
      await lock.query('select from point_accounts where id = $1 for update', [made.app.id])
      await lock.query('update oauth_apps set owner_id = $1 where id = $2', [made.taker.id, made.app.id])
      const waiting = act(made, hold_id)
      await waitUntil(async () => (await waits()).length > 0, 'the call waits')
      await lock.query('commit')
      expect(outcome(await waiting)).toEqual(refused(code))
      expect(await written()).toEqual(before)
    } finally {
      lock.release(true)
    }
  },
)

const waits = () =>
  plaza.db.sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`

/** All tables except the app itself and the times of last use of credentials. */
async function written() {
  const { oauth_apps: _, grants: __, connections: ___, app_sessions: ____, ...tables } = await digestTables(plaza)
  return tables
}

test('D-134: each act on an app belongs to before or after its move, with parallel calls; its deployments follow it', async () => {
  for (let round = 0; round < 4; round++) {
    const made = await shop()
    const { app, owner, taker } = made
    for (const person of [owner, taker]) await givePoints(plaza, person, 3_000)
    const first = (await newDeployment(made)).body as { id: string }
    await observeStatus(plaza, first.id, 'running')
    plaza.clock.advance(30 * 86_400 + 1)
    await proveUser(owner)
    const hold_id = await made.reserve()
    await made.offer()
    const charge = plaza.service.app.jobs.find(({ name }) => name === 'deployments.charge_due_cycles')!
    const results = await race(plaza, acts.length + 2, async (at): Promise<unknown[]> => {
      if (at < acts.length) return outcome(await acts[at]![1](made, hold_id))
      if (at === acts.length) return outcome(await made.take())
      await charge.run({}, 'test')
      return [200, 'charged']
    })
    expect(results[acts.length]![0]).toBe(200)
    const happened = acts.map(([what, , code], at) => {
      const [status, body] = results[at] as [number, unknown]
      if (status >= 300) expect([what, status, body]).toEqual([what, ...refused(code)])
      return status < 300
    })
    const [refunded, withdrawn, freed, deployed] = happened
    expect(await incomeOf(made)).toBe(1_000 - (refunded ? 5 : 0) - (withdrawn ? 7 : 0))
    expect(await pointsOf(made.user)).toBe(4_000 - (freed ? 0 : 10) + (refunded ? 5 : 0))
    const deployments = await plaza.db.sql<{
      owner_id: string
    }>`select owner_id from deployments where app_id = ${app.id}`
    expect(deployments.map(({ owner_id }) => owner_id)).toEqual(Array(deployed ? 2 : 1).fill(taker.id))
    // Two or three cycles were paid, each by one of the two.
    const paid = 6_000 + (withdrawn ? 7 : 0) - (await pointsOf(owner)) - (await pointsOf(taker))
    expect(paid).toBe(deployed ? 1_500 : 1_000)
    expect(outcome(await newDeployment(made))).toEqual(refused('not_app_owner'))
  }
  const admin = await theAdmin(plaza)
  expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
})

test('D-134, D-130: payouts of a secret go on while the app moves to a team, back and to a person: each item once', async () => {
  const made = await shop()
  const { owner, client, user } = made
  const { team } = await owner.api.result(createTeam, { body: { name: 'Night shift' } })
  await made.offer()
  const payouts = Array.from({ length: 150 }, (_, at) => ({ to_user_id: user.id, amount: 1, reference: `prize ${at}` }))
  const answers = await race(plaza, 6, async (at): Promise<unknown> => {
    if (at < 3)
      return client.result(createPayouts, { body: { payouts }, headers: { 'idempotency-key': `prizes ${at}` } })
    if (at === 5) return (await made.take()).status
    return (await made.move(at === 3 ? { team_id: team.id } : { user_id: owner.id })).status
  })
  for (const answer of answers.slice(0, 3))
    expect((answer as { outcomes: { error: unknown }[] }).outcomes.every(({ error }) => error === null)).toBe(true)
  expect(await incomeOf(made)).toBe(1_000 - 450)
  // The person accepts it while it is offered; a move ends the offer.
  expect(countBy(answers.slice(3) as number[], (status) => status)[200]).toBeGreaterThan(0)
})

test('D-134: a webhook that ends while the app moves is noticed by the people who have the app afterwards', async () => {
  const made = await shop()
  const { owner, taker, client, params, user } = made
  const receiver = await startReceiver()
  let answer = () => {}
  receiver.answer((response) => (answer = () => response.writeHead(410).end()))
  await owner.api.result(createWebhook, { params, body: { url: receiver.url } })
  await client.result(createPayouts, { body: { payouts: [{ to_user_id: user.id, amount: 1 }] } })
  await receiver.nth(1)
  await made.offer()
  expect((await made.take()).status).toBe(200)
  answer()
  const heard = async (person: SomeUser) =>
    (await person.api.result(listNotices)).data.filter(({ event }) => event === 'webhook_switched_off').length
  await expect.poll(() => heard(taker), { timeout: 10_000 }).toBe(1)
  expect(await heard(owner)).toBe(0)
})
