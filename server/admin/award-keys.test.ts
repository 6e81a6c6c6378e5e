import { expect, test } from 'vitest'
import { awardPoints, checkLedger, updateUser } from '../../contract/admin.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { givePoints, pointsOf, someUser, theAdmin, type SomeUser, proveUser } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)

const award = (user: SomeUser, amount: number, key: string, by = admin) =>
  by.api.call(awardPoints, { body: { user_id: user.id, amount }, headers: { 'idempotency-key': key } })
const awardsOf = async (user: SomeUser) => (await user.api.result(myPointsHistory)).data.length
const noted = async ({ id }: SomeUser) =>
  (await admin.api.result(listAudit, { query: { target_id: id, action: 'points.award' } })).data.length

test('D-09, D-47: 20 concurrent awards with one key are paid and audited once, with the same response', async () => {
  const user = await someUser(plaza)
  const replies = await race(plaza, 20, () => award(user, 7, 'prize'))
  expect(new Set(replies.map((reply) => JSON.stringify(outcome(reply)))).size).toBe(1)
  expect(replies[0]?.body).toEqual({ transfer_id: expect.any(String), points: 7 })
  expect(countBy(replies, ({ headers }) => String(headers.get('idempotency-replayed')))).toEqual({ null: 1, true: 19 })
  expect([await pointsOf(user), await awardsOf(user), await noted(user)]).toEqual([7, 1, 1])
  await award(user, 3, 'another')
  expect(outcome(await award(user, 7, 'prize'))).toEqual(outcome(replies[0]!))
  expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
})

test('D-09: an award’s key with another request is refused; keys are per admin', async () => {
  const [user, other] = [await someUser(plaza), await someUser(plaza)]
  expect((await award(user, 5, 'k')).status).toBe(200)
  expect(outcome(await award(user, 6, 'k'))).toEqual(refused('idempotency_key_reused'))
  expect(outcome(await award(other, 5, 'k'))).toEqual(refused('idempotency_key_reused'))
  const second = await someUser(plaza)
  await proveUser(admin)
  await admin.api.result(updateUser, { params: { id: second.id }, body: { is_admin: true } })
  expect((await award(other, 6, 'k', second)).status).toBe(200)
  expect([await pointsOf(user), await pointsOf(other)]).toEqual([5, 6])
  expect([await noted(user), await noted(other)]).toEqual([1, 1])
  // Other files of the worker have one admin.
  await admin.api.result(updateUser, { params: { id: second.id }, body: { is_admin: false } })
})

test('D-09: a refused award does not use up its key', async () => {
  const user = await someUser(plaza)
  await award(user, Number.MAX_SAFE_INTEGER - 1, 'much')
  expect(outcome(await award(user, 2, 'more'))).toEqual(refused('points_limit_reached'))
  const reply = await award(user, 1, 'more')
  expect([reply.status, reply.headers.get('idempotency-replayed')]).toEqual([200, null])
  expect([await pointsOf(user), await noted(user)]).toEqual([Number.MAX_SAFE_INTEGER, 2])
})

test('D-47 award to an unknown user, for an unknown app or above the limit: refused, and nothing is written', async () => {
  const rich = await someUser(plaza)
  await givePoints(plaza, rich, Number.MAX_SAFE_INTEGER)
  const nobody = '01890000-0000-7000-8000-000000000000'
  const before = await digestTables(plaza)
  const give = async (body: { user_id: string; amount: number; app_id?: string }) =>
    outcome(await admin.api.call(awardPoints, { body }))
  expect(await give({ user_id: nobody, amount: 1 })).toEqual(refused('user_not_found'))
  expect(await give({ user_id: rich.id, amount: 1, app_id: nobody })).toEqual(refused('not_found'))
  expect(await give({ user_id: rich.id, amount: 1 })).toEqual(refused('points_limit_reached'))
  expect(await digestTables(plaza)).toEqual(before)
})
