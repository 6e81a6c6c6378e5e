import { expect, test } from 'vitest'
import { awardPoints, checkLedger, countPending, setAdminRoles } from '../../contract/admin.ts'
import { setPayoutLimit } from '../../contract/admin-apps.ts'
import { adminListReviews, approveReview, rejectReview } from '../../contract/admin-reviews.ts'
import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import { countBy, race, startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { auditOf, pointsOf, signedInAgain, someApp, someUser, theAdmin, type SomeUser } from '../test/world.ts'
import { noticePending } from './notices.service.ts'

const plaza = await startTestService({ REVIEW_AMOUNT: '100', JWT_TTL: '4000000' })
const admin = await theAdmin(plaza)
const setRoles = (user: SomeUser, roles: AdminRole[]) =>
  admin.api.result(setAdminRoles, { params: { id: user.id }, body: { roles, reason: 'duties' } })
async function someAdmin(...roles: AdminRole[]) {
  const user = await someUser(plaza)
  await setRoles(user, roles)
  return user
}
const [anna, berta] = [await someAdmin('finance'), await someAdmin('finance')]

const award = (user: SomeUser, amount: number, key?: string, by = anna) =>
  by.api.call(awardPoints, {
    body: { user_id: user.id, amount, reason: 'the prize of May' },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
type Reviewed = { review: { id: string; status: string; transfer_id: string } }
const reviewOf = (reply: { body: unknown }) => (reply.body as unknown as Reviewed).review
const approve = (id: string, by = berta) => by.api.call(approveReview, { params: { id } })
const reject = (id: string, by = berta) => by.api.call(rejectReview, { params: { id }, body: { reason: 'too much' } })

test('D-136: an award above REVIEW_AMOUNT waits for a second person, and is booked once when approved', async () => {
  const user = await someUser(plaza)
  expect((await award(user, 100)).status).toBe(200)
  const asked = await award(user, 101)
  expect(outcome(asked)).toEqual([
    202,
    {
      review: {
        id: expect.any(String),
        kind: 'award',
        status: 'open',
        user_id: user.id,
        username: user.username,
        app_id: null,
        app_name: null,
        amount: 101,
        description: null,
        reason: 'the prize of May',
        transfer_id: expect.any(String),
        asked_by: anna.id,
        asked_by_username: anna.username,
        inserted_at: plaza.clock.now().toISOString(),
        expires_at: new Date(plaza.clock.now().getTime() + 7 * 86_400_000).toISOString(),
        decided_by: null,
        decided_by_username: null,
        decided_at: null,
        decision_reason: null,
      },
    },
  ])
  const { id, transfer_id } = reviewOf(asked)
  expect(outcome(await approve(id, anna))).toEqual(refused('own_review'))
  expect(outcome(await reject(id, anna))).toEqual(refused('own_review'))
  expect(await pointsOf(user)).toBe(100)
  const approved = await race(plaza, 8, () => approve(id))
  expect(countBy(approved, ({ status }) => String(status))).toEqual({ 200: 1, 409: 7 })
  expect(outcome(await reject(id))).toEqual(refused('already_decided'))
  expect(await pointsOf(user)).toBe(201)
  expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
  expect((await admin.api.result(adminListReviews, { query: { status: 'approved', limit: 1 } })).data).toMatchObject([
    { id, transfer_id, status: 'approved', decided_by: berta.id, decided_by_username: berta.username },
  ])
  const facts = { reason: 'the prize of May', review_id: id }
  expect(
    (await auditOf(admin, user.id)).slice(0, 3).map(({ action, actor_id, details }) => [action, actor_id, details]),
  ).toEqual([
    ['review.approve', berta.id, { kind: 'award', amount: 101, review_id: id }],
    ['points.award', anna.id, { amount: 101, ...facts }],
    ['review.ask', anna.id, { kind: 'award', amount: 101, ...facts }],
  ])
})

test('D-136: a keyed award waits once, and its repetition shows the outcome', async () => {
  const user = await someUser(plaza)
  const replies = await race(plaza, 8, () => award(user, 500, 'may'))
  expect(countBy(replies, ({ status, headers }) => `${status} ${headers.get('idempotency-replayed')}`)).toEqual({
    '202 null': 1,
    '202 true': 7,
  })
  const ids = new Set(replies.map((reply) => reviewOf(reply).id))
  expect(ids.size).toBe(1)
  expect(outcome(await award(user, 501, 'may'))).toEqual(refused('idempotency_key_reused'))
  await approve([...ids][0]!)
  const again = await award(user, 500, 'may')
  expect([again.status, reviewOf(again).status, await pointsOf(user)]).toEqual([202, 'approved', 500])
})

test('D-136: a payout limit above REVIEW_AMOUNT waits, one without a bound too; a rejection changes nothing', async () => {
  const app = await someApp(plaza)
  const set = (payout_limit: number | null) =>
    anna.api.call(setPayoutLimit, { params: { id: app.id }, body: { payout_limit } })
  const limit = async () =>
    (await plaza.db.sql<{ payout_limit: number | null }>`select payout_limit from oauth_apps where id = ${app.id}`)[0]!
      .payout_limit
  expect([(await set(100)).status, await limit()]).toEqual([200, 100])
  const [more, none] = [await set(1_000), await set(null)]
  expect([more.status, none.status, await limit()]).toEqual([202, 202, 100])
  expect((await reject(reviewOf(none).id)).body).toMatchObject({ status: 'rejected', decision_reason: 'too much' })
  expect(await limit()).toBe(100)
  expect((await approve(reviewOf(more).id)).body).toMatchObject({ kind: 'payout_limit', app_id: app.id, amount: 1_000 })
  expect(await limit()).toBe(1_000)
})

test('D-136: a review is void if nobody decides within 7 days, or if its requester has lost the right', async () => {
  const user = await someUser(plaza)
  const carla = await someAdmin('finance')
  const { id } = reviewOf(await award(user, 300, undefined, carla))
  await setRoles(carla, ['auditor'])
  expect(outcome(await approve(id))).toEqual(refused('review_void'))
  expect((await reject(id)).status).toBe(200)
  const late = reviewOf(await award(user, 300))
  plaza.clock.advance(7 * 86_400 - 1)
  const again = await signedInAgain(plaza, berta)
  expect([(await approve(late.id, again)).status, await pointsOf(user)]).toEqual([200, 300])
  const last = reviewOf(await award(user, 400, undefined, await signedInAgain(plaza, anna)))
  plaza.clock.advance(7 * 86_400)
  const much_later = await signedInAgain(plaza, berta)
  expect(outcome(await approve(last.id, much_later))).toEqual(refused('review_void'))
  expect(outcome(await reject(last.id, much_later))).toEqual(refused('review_void'))
  const { data } = await much_later.api.result(adminListReviews, { query: { status: 'void' } })
  expect(data.map(({ id: found }) => found)).toContain(last.id)
})

test('D-136, D-135: pending reviews notify finance and administrators, and nobody else', async () => {
  const [user, moderator] = [await someUser(plaza), await someUser(plaza)]
  const root = await signedInAgain(plaza, admin)
  await root.api.result(setAdminRoles, {
    params: { id: moderator.id },
    body: { roles: ['moderator', 'auditor'], reason: 'duties' },
  })
  expect((await award(user, 900, undefined, await signedInAgain(plaza, anna))).status).toBe(202)
  await noticePending(plaza.service.app.accounts)
  expect((await root.api.result(countPending)).reviews).toBe(1)
  // Their own review does not wait for the one who asked.
  expect((await (await signedInAgain(plaza, anna)).api.result(countPending)).reviews).toBe(0)
  const notified = await plaza.db.sql<{ user_id: string }>`select user_id from notices where event = 'reviews_wait'`
  expect(notified.map(({ user_id }) => user_id).toSorted()).toEqual([anna.id, berta.id, admin.id].toSorted())
})
