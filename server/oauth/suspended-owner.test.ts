import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { updateUser } from '../../contract/admin.ts'
import { approveApp, rejectApp } from '../../contract/admin-apps.ts'
import { getExternalUser } from '../../contract/external.ts'
import { createApp } from '../../contract/oauth-apps.ts'
import { authorize } from '../../contract/oauth.ts'
import { listPublicOperators } from '../../contract/operators.ts'
import { spendPoints } from '../../contract/points.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import * as make from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const admin = (await make.theAdmin(plaza)).api
const suspend = (user: { id: string }, suspended = true) =>
  admin.result(updateUser, { params: { id: user.id }, body: { suspended } })
const authorizes = (app: make.SomeApp, { api }: make.SomeUser) =>
  api.call(authorize, { query: make.authorizationQuery(app, make.pkce().code_challenge) })
const isListed = async (app: make.SomeApp) => {
  const { data } = await anonymous.result(listPublicOperators, { query: { page_size: 100 } })
  return data.some(({ id }) => id === app.id)
}

test('D-88: while an owner is suspended nobody can authorize the app, and the directory does not show it', async () => {
  const [app, user] = [await make.someApp(plaza), await make.someUser(plaza)]
  await admin.result(approveApp, { params: { id: app.id }, body: { listed: true } })
  expect(await isListed(app)).toBe(true)
  await suspend(app.owner)
  expect(outcome(await authorizes(app, user))).toEqual(refused('app_not_approved'))
  expect(await isListed(app)).toBe(false)
  expect(await plaza.db.sql`select 1 from authorization_codes where app_id = ${app.id}`).toEqual([])
  await suspend(app.owner, false)
  expect((await authorizes(app, user)).status).toBe(200)
  expect(await isListed(app)).toBe(true)
})

test('D-88: an app that was not approved is not approved when the suspension ends; apps of others are unaffected', async () => {
  const owner = await make.someUser(plaza)
  const pending = await make.someApp(plaza, { owner, approved: false })
  const rejected = await make.someApp(plaza, { owner })
  await admin.result(rejectApp, { params: { id: rejected.id }, body: {} })
  const { user, tokens } = await make.world(plaza)
  await suspend(owner)
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
  await suspend(owner, false)
  for (const app of [pending, rejected])
    expect(outcome(await authorizes(app, user))).toEqual(refused('app_not_approved'))
})

test('D-88: approved while its owner is suspended, an app can be authorized only after the suspension', async () => {
  const [app, user] = [await make.someApp(plaza, { approved: false }), await make.someUser(plaza)]
  await suspend(app.owner)
  await admin.result(approveApp, { params: { id: app.id }, body: {} })
  expect(outcome(await authorizes(app, user))).toEqual(refused('app_not_approved'))
  await suspend(app.owner, false)
  expect((await authorizes(app, user)).status).toBe(200)
})

test('D-88: suspended twice and lifted twice is suspended and lifted once', async () => {
  const { user, app } = await make.world(plaza)
  const epoch = async () =>
    (await plaza.db.sql<{ approval_epoch: number }>`select approval_epoch from oauth_apps where id = ${app.id}`)[0]
  await suspend(app.owner)
  const once = await epoch()
  await suspend(app.owner)
  expect(await epoch()).toEqual(once)
  await suspend(app.owner, false)
  const tokens = await make.someTokens(plaza, app, user)
  await suspend(app.owner, false)
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
})

test('D-88: apps created during a suspension are suspended too', async () => {
  const owner = await make.someUser(plaza)
  const replies = await race(plaza, 10, (at) =>
    at === 5
      ? suspend(owner).then(() => undefined)
      : owner.api.call(createApp, { body: { app_name: `App ${at}`, redirect_uris: ['https://a.example/cb'] } }),
  )
  const made = replies.flatMap((reply) => (reply?.ok ? [reply.body.app.id] : []))
  const rows = await plaza.db.sql<{ owner_suspended: boolean }>`
    select owner_suspended from oauth_apps where owner_id = ${owner.id}`
  expect(rows).toEqual(made.map(() => ({ owner_suspended: true })))
})

test('D-40, D-88: of 40 spends beside the suspension of the user or the owner, none is applied after it was answered', async () => {
  for (const whom of ['user', 'owner'] as const) {
    const { user, app, tokens } = await make.world(plaza, { points: 1_000, scopes: ['points:spend'] })
    const replies = await race(plaza, 41, (at) =>
      at === 20
        ? suspend(whom === 'user' ? user : app.owner).then(() => undefined)
        : tokens.api.call(spendPoints, { body: { amount: 1 } }),
    )
    const late = await tokens.api.call(spendPoints, { body: { amount: 1 } })
    expect(outcome(late)).toEqual(refused('invalid_token'))
    const counts = countBy(
      replies.filter((reply) => reply !== undefined),
      ({ status }) => status,
    )
    const [balance] = await plaza.db.sql<{ points: number }>`
      select credited - debited as points from point_accounts where id = ${user.id}`
    expect([counts[200] ?? 0, (counts[200] ?? 0) + (counts[401] ?? 0)]).toEqual([1_000 - (balance?.points ?? 0), 40])
  }
})
