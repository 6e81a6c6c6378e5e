import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { adminListApps, approveApp, rejectApp } from '../../contract/admin-apps.ts'
import { describeAuthorization } from '../../contract/oauth.ts'
import { listMyApps, submitMyApp, updateMyApp } from '../../contract/oauth-apps.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { auditOf, authorizationQuery, pkce, someApp, someUser, theAdmin, type SomeApp } from '../test/world.ts'

// The owner of an app sees the state of its review and the reason, and can resubmit a rejected app.

const plaza = await sharedService()
const admin = await theAdmin(plaza)
const at_some_time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)

const params = ({ id }: SomeApp) => ({ params: { id } })
const submit = (app: SomeApp) => app.owner.api.call(submitMyApp, params(app))
const reject = (app: SomeApp, reason: string) => admin.api.result(rejectApp, { ...params(app), body: { reason } })
const approve = (app: SomeApp) => admin.api.call(approveApp, { ...params(app), body: {} })
const reviewOf = async (app: SomeApp) =>
  (await app.owner.api.result(listMyApps)).find(({ id }) => id === app.id)?.review
const pendingOf = async (app: SomeApp) =>
  (await admin.api.result(adminListApps, { query: { status: 'pending', limit: 100 } })).data.find(
    ({ id }) => id === app.id,
  )

test('D-81: pending, rejected, submitted again and approved have distinct states, with the reason', async () => {
  const app = await someApp(plaza, { approved: false })
  expect(await reviewOf(app)).toEqual({
    status: 'pending',
    reason: null,
    decided_at: null,
    resubmitted_at: null,
    note: null,
  })
  await reject(app, 'There is no privacy policy.')
  const rejected = {
    status: 'rejected',
    reason: 'There is no privacy policy.',
    decided_at: at_some_time,
    resubmitted_at: null,
    note: null,
  }
  expect(await reviewOf(app)).toEqual(rejected)
  expect(await pendingOf(app)).toBeUndefined()

  const reply = await submit(app)
  const resubmitted = { ...rejected, status: 'pending', resubmitted_at: at_some_time }
  expect([reply.status, reply.ok && reply.body.review, reply.ok && reply.body.is_approved]).toEqual([
    200,
    resubmitted,
    false,
  ])
  expect(await reviewOf(app)).toEqual(resubmitted)
  expect(await pendingOf(app)).toMatchObject({ status: 'pending', review: resubmitted })
  expect((await auditOf(admin, app.id))[0]).toMatchObject({
    actor_id: app.owner.id,
    action: 'app.resubmit',
    details: { rejected_because: 'There is no privacy policy.' },
  })

  await approve(app)
  expect(await reviewOf(app)).toMatchObject({ status: 'approved', reason: null, decided_at: at_some_time })
})

test('D-81: a reviewer sees the note of the owner and the values at the last decision', async () => {
  const app = await someApp(plaza, { approved: false })
  expect((await pendingOf(app))?.decided_fields).toBeNull()
  const { app_name, app_description, logo_url, website_url, redirect_uris, allowed_scopes, require_pkce } =
    (await pendingOf(app))!
  await reject(app, 'The description is empty.')
  await app.owner.api.result(updateMyApp, { ...params(app), body: { app_description: 'Sells kites' } })
  const refusedNote = await app.owner.api.call(submitMyApp, { ...params(app), body: { note: 'n'.repeat(1001) } })
  expect(refusedNote).toMatchObject({ status: 422, body: { fields: [{ path: 'note' }] } })
  expect(await reviewOf(app)).toMatchObject({ status: 'rejected', note: null })
  await app.owner.api.result(submitMyApp, { ...params(app), body: { note: 'It has one now.' } })
  expect(await pendingOf(app)).toMatchObject({
    app_description: 'Sells kites',
    decided_fields: {
      app_name,
      app_description,
      logo_url,
      website_url,
      redirect_uris,
      allowed_scopes,
      require_pkce,
      require_dpop: false,
    },
    review: { reason: 'The description is empty.', note: 'It has one now.' },
  })
})

test('D-81: an app whose approval was withdrawn can be submitted again, and nothing comes back before it is approved', async () => {
  const app = await someApp(plaza)
  await reject(app, 'It sends spam.')
  expect((await submit(app)).status).toBe(200)
  const user = await someUser(plaza)
  const query = authorizationQuery(app, pkce().code_challenge)
  expect(outcome(await user.api.call(describeAuthorization, { query }))).toEqual(refused('app_not_approved'))
  await approve(app)
  expect((await user.api.call(describeAuthorization, { query })).status).toBe(200)
})

test('D-81: only a rejected app, only its owner: 409, 404 and 401, and nothing is changed or audited', async () => {
  const pending = await someApp(plaza, { approved: false })
  expect(outcome(await submit(pending))).toEqual(refused('app_not_rejected'))
  const approved = await someApp(plaza)
  expect(outcome(await submit(approved))).toEqual(refused('app_not_rejected'))
  expect(await reviewOf(approved)).toMatchObject({ status: 'approved', resubmitted_at: null })
  const rejected = await someApp(plaza)
  await reject(rejected, 'no')
  const stranger = await someUser(plaza)
  for (const other of [stranger, admin])
    expect(outcome(await other.api.call(submitMyApp, params(rejected)))).toEqual(refused('not_found'))
  expect(outcome(await new PlazaClient(plaza.url).call(submitMyApp, params(rejected)))).toEqual(refused('unauthorized'))
  expect(await reviewOf(rejected)).toMatchObject({ status: 'rejected', resubmitted_at: null })
  for (const app of [pending, approved, rejected])
    expect((await auditOf(admin, app.id)).filter(({ action }) => action === 'app.resubmit')).toEqual([])
})

test('D-81: of parallel submissions one succeeds, the others are 409, one audit entry', async () => {
  const app = await someApp(plaza, { approved: false })
  await reject(app, 'no')
  const replies = await race(plaza, 5, () => submit(app))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 409: 4 })
  expect((await auditOf(admin, app.id)).filter(({ action }) => action === 'app.resubmit')).toHaveLength(1)
})

test('D-81: submitted while an admin approves: it is approved in the end, in either order', async () => {
  for (let round = 0; round < 10; round++) {
    const app = await someApp(plaza, { approved: false })
    await reject(app, 'no')
    const [submitted, approved] = await race<{ status: number }>(plaza, 2, (at) =>
      (at + round) % 2 === 0 ? submit(app) : approve(app),
    )
    const statuses = [submitted!.status, approved!.status].toSorted()
    expect([
      [200, 200],
      [200, 409],
    ]).toContainEqual(statuses)
    expect(await reviewOf(app)).toMatchObject({ status: 'approved', reason: null })
  }
})

test('D-81: at most 5 an hour; changing the app and being rejected again go between', async () => {
  const app = await someApp(plaza, { approved: false })
  for (let turn = 1; turn <= 5; turn++) {
    await reject(app, `no, for the ${turn}th time`)
    await app.owner.api.result(updateMyApp, { ...params(app), body: { app_description: `try ${turn}` } })
    expect((await submit(app)).status).toBe(200)
  }
  await reject(app, 'no')
  expect((await submit(app)).status).toBe(429)
  plaza.clock.advance(3601)
  expect((await submit(app)).status).toBe(200)
})
