import { expect, test } from 'vitest'
import { countPending } from '../../contract/admin.ts'
import { adminListApps, approveApp, markAppSeen, rejectApp } from '../../contract/admin-apps.ts'
import { submitMyApp, updateMyApp } from '../../contract/oauth-apps.ts'
import { authorize, describeAuthorization, listConnectedApps } from '../../contract/oauth.ts'
import { listPublicOperators } from '../../contract/operators.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { race, sharedService } from '../test/harness.ts'
import {
  auditOf,
  authorizationQuery,
  jsonCaller,
  pkce,
  someApp,
  someUser,
  theAdmin,
  type SomeApp,
  type SomeUser,
} from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)

/** The owner's changed apps that wait for an admin. */
const changed = async ({ owner }: SomeApp) =>
  (await admin.api.result(adminListApps, { query: { changed: true, owner_id: owner.id } })).data
const change = ({ id, owner }: SomeApp, body: object) => {
  plaza.clock.advance(1)
  return owner.api.result(updateMyApp, { params: { id }, body })
}
const see = (id: string, updated_at: string, reason = 'A new name, nothing else.') =>
  admin.api.call(markAppSeen, { params: { id }, body: { updated_at, reason } })
const appOf = async ({ id, owner }: SomeApp) =>
  (await admin.api.result(adminListApps, { query: { owner_id: owner.id } })).data.find((app) => app.id === id)!

test('D-110: a change of name, description, logo, website or redirect URIs after the approval is in the queue, with the approved values', async () => {
  const app = await someApp(plaza)
  const { app_name } = await appOf(app)
  const approved = {
    app_name,
    app_description: null,
    logo_url: null,
    website_url: null,
    redirect_uris: [app.redirect_uri],
  }
  expect([await changed(app), (await appOf(app)).approved]).toEqual([[], approved])
  const changes = [
    { app_name: 'Bank of Ada' },
    { app_description: 'The bank of Ada' },
    { logo_url: 'https://other.test/logo.png' },
    { website_url: 'https://other.test' },
    { redirect_uris: ['https://other.test/cb'] },
  ]
  for (const body of changes) {
    await change(app, body)
    expect(await changed(app)).toMatchObject([{ id: app.id, ...body, changed_since_approval: true, approved }])
    await change(app, approved)
    expect(await changed(app)).toEqual([])
  }
  await change(app, { require_pkce: true })
  expect(await changed(app)).toEqual([])
})

test('D-110: a change that is marked as seen, approved again or rejected leaves the queue, and is audited', async () => {
  const app = await someApp(plaza)
  await change(app, { app_name: 'Second name' })
  const { updated_at } = await appOf(app)
  const seen = await see(app.id, updated_at)
  expect([seen.status, seen.body]).toMatchObject([
    200,
    { changed_since_approval: false, approved: { app_name: 'Second name' }, status: 'approved' },
  ])
  expect(await changed(app)).toEqual([])
  expect((await auditOf(admin, app.id))[0]).toEqual({
    action: 'app.seen',
    actor_id: admin.id,
    details: { reason: 'A new name, nothing else.' },
  })
  await change(app, { app_name: 'Third name' })
  await admin.api.result(approveApp, { params: { id: app.id }, body: {} })
  expect([await changed(app), (await appOf(app)).approved?.app_name]).toEqual([[], 'Third name'])
  await change(app, { app_name: 'Fourth name' })
  await admin.api.result(rejectApp, { params: { id: app.id }, body: {} })
  expect([await changed(app), (await appOf(app)).changed_since_approval]).toEqual([[], false])
  await app.owner.api.result(submitMyApp, { params: { id: app.id } })
  await admin.api.result(approveApp, { params: { id: app.id }, body: {} })
  expect([await changed(app), (await appOf(app)).approved?.app_name]).toEqual([[], 'Fourth name'])
})

test('D-110: pending decisions are counted', async () => {
  const counts = () => admin.api.result(countPending)
  const before = await counts()
  await someApp(plaza, { approved: false, scopes: ['profile:read', 'deploy:manage'] })
  await change(await someApp(plaza), { app_name: 'Changed afterwards' })
  const { apps, changed_apps, scope_requests, cases, reviews } = before
  expect(await counts()).toEqual({
    apps: apps + 1,
    changed_apps: changed_apps + 1,
    scope_requests: scope_requests + 1,
    cases,
    reviews,
  })
})

test('D-110: an app that was never approved has nothing approved', async () => {
  const app = await someApp(plaza, { approved: false })
  await change(app, { app_name: 'Another one' })
  expect(await appOf(app)).toMatchObject({ approved: null, changed_since_approval: false })
})

/** The tables that the call writes to; other test files of the worker may write to others in the meantime. */
async function written() {
  const { oauth_apps, audit_log, notices } = await digestTables(plaza)
  return { oauth_apps, audit_log, notices }
}

test('D-110: a change that its owner made after the admin looked is not marked as seen', async () => {
  const app = await someApp(plaza)
  const unchanged = await appOf(app)
  const before_all = await written()
  expect(outcome(await see(app.id, unchanged.updated_at))).toEqual(refused('app_not_changed'))
  expect(outcome(await see('01890000-0000-7000-8000-000000000000', unchanged.updated_at))).toEqual(refused('not_found'))
  const ask = jsonCaller(plaza, admin.token)
  const missing = await ask('POST', `/api/admin/apps/${app.id}/seen`, { updated_at: unchanged.updated_at })
  expect(missing[0]).toBe(422)
  expect(await written()).toEqual(before_all)
  await change(app, { app_name: 'Harmless' })
  const { updated_at } = await appOf(app)
  await change(app, { app_name: 'Bank of Ada' })
  const before = await written()
  expect(outcome(await see(app.id, updated_at))).toEqual(refused('app_changed_again'))
  expect(await written()).toEqual(before)
  const { updated_at: now } = await appOf(app)
  const all = await race(plaza, 10, () => see(app.id, now))
  expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
})

// The change as people see it

const { code_challenge } = pkce()
const metadata = {
  app_name: 'A small shop',
  app_description: 'Sells kites',
  logo_url: 'https://shop.test/logo.png',
  website_url: 'https://shop.test/',
}
const reviewed = { ...metadata, redirect_hosts: ['shop.test', 'com.shop.app:'] }

/** An approved, listed app, and somebody who has connected it. */
async function someShop() {
  const app = await someApp(plaza, { redirect_uris: ['https://shop.test/cb', 'com.shop.app:/cb'] })
  await change(app, metadata)
  await approve(app)
  const person = await someUser(plaza)
  await consent(person, app)
  return { app, person }
}

const approve = ({ id }: SomeApp) => admin.api.result(approveApp, { params: { id }, body: { listed: true } })
const seeNow = async (app: SomeApp) => see(app.id, (await appOf(app)).updated_at)
const queryOf = (app: SomeApp) => authorizationQuery(app, code_challenge)
const consent = ({ api }: SomeUser, app: SomeApp) => api.result(authorize, { query: queryOf(app) })
const request = ({ api }: SomeUser, app: SomeApp) => api.result(describeAuthorization, { query: queryOf(app) })
const listedApp = async ({ id }: SomeApp, { api }: SomeUser) =>
  (await api.result(listPublicOperators, { query: { page_size: 100 } })).data.find((app) => app.id === id)
const connected = async ({ id }: SomeApp, { api }: SomeUser) =>
  (await api.result(listConnectedApps, {})).connected_apps.find(({ app_id }) => app_id === id)

/** The reviewed state, as consent, the directory and Connected apps show it. */
const shownReviews = async (app: SomeApp, person: SomeUser) => [
  (await request(person, app)).app.reviewed,
  (await listedApp(app, person))?.reviewed,
  (await connected(app, person))?.reviewed,
]
const changes = [
  { app_name: 'Plaza Bank' },
  { app_description: 'The bank of Plaza' },
  { app_description: '' },
  { logo_url: 'https://other.test/logo.png' },
  { website_url: 'https://other.test/' },
  { redirect_uris: ['https://shop.test/cb', 'https://other.test/cb'] },
]

test('D-117: a change of an approved app is shown at consent, in the directory and in Connected apps until an admin has seen it', async () => {
  const { app, person } = await someShop()
  expect(await shownReviews(app, person)).toEqual([undefined, undefined, undefined])
  for (const body of changes) {
    await change(app, body)
    expect(await shownReviews(app, person)).toEqual([reviewed, reviewed, reviewed])
    await change(app, { ...metadata, redirect_uris: ['https://shop.test/cb', 'com.shop.app:/cb'] })
    expect(await shownReviews(app, person)).toEqual([undefined, undefined, undefined])
  }
  await change(app, { app_name: 'Plaza Bank' })
  await seeNow(app)
  expect(await shownReviews(app, person)).toEqual([undefined, undefined, undefined])
  await change(app, { app_name: 'Another Bank' })
  expect((await shownReviews(app, person))[0]).toEqual({ ...reviewed, app_name: 'Plaza Bank' })
  await approve(app)
  expect(await shownReviews(app, person)).toEqual([undefined, undefined, undefined])
})

test('D-117: a change takes effect immediately, and consent is asked again, also after an admin has seen it', async () => {
  for (const body of changes) {
    const { app, person } = await someShop()
    expect((await request(person, app)).consent_needed).toBe(false)
    await change(app, body)
    expect(await request(person, app)).toMatchObject({ consent_needed: true })
    const silent = await person.api.call(authorize, { query: { ...queryOf(app), prompt: 'none' } })
    expect(outcome(silent)).toEqual(refused('consent_required'))
    await seeNow(app)
    expect((await request(person, app)).consent_needed).toBe(true)
    await consent(person, app)
    expect((await request(person, app)).consent_needed).toBe(false)
  }
  const { app, person } = await someShop()
  await change(app, { app_name: 'Plaza Bank', redirect_uris: ['https://other.test/cb'] })
  const moved = { ...app, redirect_uri: 'https://other.test/cb' }
  expect((await request(person, moved)).app.app_name).toBe('Plaza Bank')
  expect((await consent(person, moved)).redirect_uri).toBe('https://other.test/cb')
})

test('D-117: a change before the approval is not shown', async () => {
  const app = await someApp(plaza, { approved: false })
  await change(app, { app_name: 'Second name' })
  await approve(app)
  const person = await someUser(plaza)
  await consent(person, app)
  expect(await shownReviews(app, person)).toEqual([undefined, undefined, undefined])
})
