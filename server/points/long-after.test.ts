import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login } from '../../contract/accounts.ts'
import { awardPoints } from '../../contract/admin.ts'
import { myPointsHistory, spendPoints } from '../../contract/points.ts'
import { startTestService, type TestService } from '../test/harness.ts'
import { givePoints, pointsOf, someApp, someTokens, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await startTestService()
const scopes = ['points:spend', 'points:read'] as const

/** Signs the user in again at this process. */
async function signedIn({ url }: TestService, user: SomeUser): Promise<SomeUser> {
  const anonymous = new PlazaClient(url)
  const { token } = await anonymous.result(login, { body: { email: user.email, password: user.password } })
  return { ...user, token, api: anonymous.withToken(token) }
}

/** Another process on the same database, a year later, after all scheduled jobs have run. */
async function aYearLater() {
  plaza.clock.advance(366 * 86_400)
  const other = await plaza.startAnother()
  for (const { cron, run } of other.service.app.jobs) if (cron !== undefined) await run({}, 'test')
  return other
}

test('D-09: keys do not expire: a year later, in another process, a repetition gets the first response and books nothing', async () => {
  const [user, app] = [await someUser(plaza), await someApp(plaza, { scopes: [...scopes] })]
  await givePoints(plaza, user, 100)
  const admin = await theAdmin(plaza)
  const headers = { 'idempotency-key': 'order-of-last-year' }
  const spend = { body: { amount: 7 }, headers }
  const award = { body: { user_id: user.id, amount: 5 }, headers }
  const spent = await (await someTokens(plaza, app, user)).api.result(spendPoints, spend)
  const awarded = await admin.api.result(awardPoints, award)

  const other = await aYearLater()
  const same_user = await signedIn(other, user)
  const { api } = await someTokens(other, app, same_user)
  const replies = [
    await api.call(spendPoints, spend),
    await (await signedIn(other, admin)).api.call(awardPoints, award),
  ]
  expect(replies.map(({ status, body }) => [status, body])).toEqual([
    [200, spent],
    [200, awarded],
  ])
  expect(replies.map(({ headers: given }) => given.get('idempotency-replayed'))).toEqual(['true', 'true'])
  expect(await pointsOf(same_user)).toBe(98)
})

test('D-48: a cursor stays valid after new rows, in another process and a year later', async () => {
  const user = await signedIn(plaza, await someUser(plaza))
  // The admin's session of the harness ended with the year.
  const admin = await signedIn(plaza, await theAdmin(plaza))
  const award = (amount: number) => admin.api.result(awardPoints, { body: { user_id: user.id, amount } })
  for (const amount of [1, 2, 3, 4, 5]) await award(amount)
  const first = await user.api.result(myPointsHistory, { query: { limit: 2 } })
  for (const amount of [6, 7]) await award(amount)

  const other = await aYearLater()
  const { api } = await signedIn(other, user)
  const amounts = first.data.map(({ amount }) => amount)
  for (let cursor = first.next_cursor; cursor !== null;) {
    const page = await api.result(myPointsHistory, { query: { limit: 2, cursor } })
    amounts.push(...page.data.map(({ amount }) => amount))
    cursor = page.next_cursor
  }
  expect(amounts).toEqual([5, 4, 3, 2, 1])
})
