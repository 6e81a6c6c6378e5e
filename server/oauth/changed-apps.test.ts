import { expect, test } from 'vitest'
import { adminListApps, approveApp, countPending, markAppSeen, rejectApp } from '../../contract/admin.ts'
import { submitMyApp, updateMyApp } from '../../contract/oauth-apps.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { race, startTestService } from '../test/harness.ts'
import { auditOf, jsonCaller, someApp, theAdmin, type SomeApp } from '../test/world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)

const changed = async () => (await admin.api.result(adminListApps, { query: { changed: true } })).data
const change = ({ id, owner }: SomeApp, body: object) => {
  plaza.clock.advance(1)
  return owner.api.result(updateMyApp, { params: { id }, body })
}
const see = (id: string, updated_at: string, reason = 'A new name, nothing else.') =>
  admin.api.call(markAppSeen, { params: { id }, body: { updated_at, reason } })
const appOf = async ({ id, owner }: SomeApp) =>
  (await admin.api.result(adminListApps, { query: { owner_id: owner.id } })).data.find((app) => app.id === id)!

test('D-110: a change of name, description, logo, website or redirect URIs after the approval stands in the queue with what was approved', async () => {
  const app = await someApp(plaza)
  const { app_name } = await appOf(app)
  const approved = {
    app_name,
    app_description: null,
    logo_url: null,
    website_url: null,
    redirect_uris: [app.redirect_uri],
  }
  expect([await changed(), (await appOf(app)).approved]).toEqual([[], approved])
  const changes = [
    { app_name: 'Bank of Ada' },
    { app_description: 'The bank of Ada' },
    { logo_url: 'https://other.test/logo.png' },
    { website_url: 'https://other.test' },
    { redirect_uris: ['https://other.test/cb'] },
  ]
  for (const body of changes) {
    await change(app, body)
    expect(await changed()).toMatchObject([{ id: app.id, ...body, changed_since_approval: true, approved }])
    // Taken back, it is as it was approved.
    await change(app, approved)
    expect(await changed()).toEqual([])
  }
  await change(app, { require_pkce: true })
  expect(await changed()).toEqual([])
})

test('D-110: marked as seen, approved again or rejected, a change is no longer in the queue; each is audited', async () => {
  const app = await someApp(plaza)
  await change(app, { app_name: 'Second name' })
  const { updated_at } = await appOf(app)
  const seen = await see(app.id, updated_at)
  expect([seen.status, seen.body]).toMatchObject([
    200,
    { changed_since_approval: false, approved: { app_name: 'Second name' }, status: 'approved' },
  ])
  expect(await changed()).toEqual([])
  expect((await auditOf(admin, app.id))[0]).toEqual({
    action: 'app.seen',
    actor_id: admin.id,
    details: { reason: 'A new name, nothing else.' },
  })
  await change(app, { app_name: 'Third name' })
  await admin.api.result(approveApp, { params: { id: app.id }, body: {} })
  expect([await changed(), (await appOf(app)).approved?.app_name]).toEqual([[], 'Third name'])
  await change(app, { app_name: 'Fourth name' })
  await admin.api.result(rejectApp, { params: { id: app.id }, body: {} })
  expect([await changed(), (await appOf(app)).changed_since_approval]).toEqual([[], false])
  await app.owner.api.result(submitMyApp, { params: { id: app.id } })
  await admin.api.result(approveApp, { params: { id: app.id }, body: {} })
  expect([await changed(), (await appOf(app)).approved?.app_name]).toEqual([[], 'Fourth name'])
})

test('D-110: what waits for an admin is counted', async () => {
  const counts = () => admin.api.result(countPending)
  const before = await counts()
  await someApp(plaza, { approved: false, scopes: ['profile:read', 'deploy:manage'] })
  await change(await someApp(plaza), { app_name: 'Changed afterwards' })
  const { apps, changed_apps, scope_requests, cases } = before
  expect(await counts()).toEqual({
    apps: apps + 1,
    changed_apps: changed_apps + 1,
    scope_requests: scope_requests + 1,
    cases,
  })
  for (const { id } of await changed()) await admin.api.result(approveApp, { params: { id }, body: {} })
})

test('D-110: an app that was never approved has nothing approved', async () => {
  const app = await someApp(plaza, { approved: false })
  await change(app, { app_name: 'Another one' })
  expect(await appOf(app)).toMatchObject({ approved: null, changed_since_approval: false })
})

test('D-110: a change that its owner made after the admin looked is not marked as seen', async () => {
  const app = await someApp(plaza)
  const unchanged = await appOf(app)
  const before_all = await digestTables(plaza)
  expect(outcome(await see(app.id, unchanged.updated_at))).toEqual(refused('app_not_changed'))
  expect(outcome(await see('01890000-0000-7000-8000-000000000000', unchanged.updated_at))).toEqual(refused('not_found'))
  const ask = jsonCaller(plaza, admin.token)
  const missing = await ask('POST', `/api/admin/apps/${app.id}/seen`, { updated_at: unchanged.updated_at })
  expect(missing[0]).toBe(422)
  expect(await digestTables(plaza)).toEqual(before_all)
  await change(app, { app_name: 'Harmless' })
  const { updated_at } = await appOf(app)
  await change(app, { app_name: 'Bank of Ada' })
  const before = await digestTables(plaza)
  expect(outcome(await see(app.id, updated_at))).toEqual(refused('app_changed_again'))
  expect(await digestTables(plaza)).toEqual(before)
  const { updated_at: now } = await appOf(app)
  const all = await race(plaza, 10, () => see(app.id, now))
  expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
})
