import { expect, test } from 'vitest'
import { adminListApps, approveApp, markAppSeen } from '../../contract/admin.ts'
import { updateMyApp } from '../../contract/oauth-apps.ts'
import { authorize, describeAuthorization, listConnectedApps } from '../../contract/oauth.ts'
import { listPublicOperators } from '../../contract/operators.ts'
import { startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { authorizationQuery, pkce, someApp, someUser, theAdmin, type SomeApp, type SomeUser } from '../test/world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)
const { code_challenge } = pkce()

const before = {
  app_name: 'A small shop',
  app_description: 'Sells kites',
  logo_url: 'https://shop.test/logo.png',
  website_url: 'https://shop.test/',
}
const reviewed = { ...before, redirect_hosts: ['shop.test', 'com.shop.app:'] }

/** An approved, listed app, and somebody who has connected it. */
async function someShop() {
  const app = await someApp(plaza, { redirect_uris: ['https://shop.test/cb', 'com.shop.app:/cb'] })
  await change(app, before)
  await approve(app)
  const person = await someUser(plaza)
  await consent(person, app)
  return { app, person }
}

const change = ({ id, owner }: SomeApp, body: object) => {
  plaza.clock.advance(1)
  return owner.api.result(updateMyApp, { params: { id }, body })
}
const approve = ({ id }: SomeApp) => admin.api.result(approveApp, { params: { id }, body: { listed: true } })
const see = async ({ id, owner }: SomeApp) => {
  const { data } = await admin.api.result(adminListApps, { query: { owner_id: owner.id } })
  const updated_at = data.find((app) => app.id === id)?.updated_at ?? ''
  return admin.api.result(markAppSeen, { params: { id }, body: { updated_at, reason: 'Looked at it' } })
}
const queryOf = (app: SomeApp) => authorizationQuery(app, code_challenge)
const consent = ({ api }: SomeUser, app: SomeApp) => api.result(authorize, { query: queryOf(app) })
const request = ({ api }: SomeUser, app: SomeApp) => api.result(describeAuthorization, { query: queryOf(app) })
const listedApp = async ({ id }: SomeApp, { api }: SomeUser) =>
  (await api.result(listPublicOperators, {})).data.find((app) => app.id === id)
const connected = async ({ id }: SomeApp, { api }: SomeUser) =>
  (await api.result(listConnectedApps, {})).connected_apps.find(({ app_id }) => app_id === id)

/** What consent, directory and Connected apps say of a review. */
const said = async (app: SomeApp, person: SomeUser) => [
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

test('D-117: a change of an approved app is said at consent, in the directory and in Connected apps until an admin has seen it', async () => {
  const { app, person } = await someShop()
  expect(await said(app, person)).toEqual([undefined, undefined, undefined])
  for (const body of changes) {
    await change(app, body)
    expect(await said(app, person)).toEqual([reviewed, reviewed, reviewed])
    await change(app, { ...before, redirect_uris: ['https://shop.test/cb', 'com.shop.app:/cb'] })
    expect(await said(app, person)).toEqual([undefined, undefined, undefined])
  }
  await change(app, { app_name: 'Plaza Bank' })
  await see(app)
  expect(await said(app, person)).toEqual([undefined, undefined, undefined])
  await change(app, { app_name: 'Another Bank' })
  expect((await said(app, person))[0]).toEqual({ ...reviewed, app_name: 'Plaza Bank' })
  await approve(app)
  expect(await said(app, person)).toEqual([undefined, undefined, undefined])
})

test('D-117: a change takes effect at once, and consent is asked again, also after an admin has seen it', async () => {
  for (const body of changes) {
    const { app, person } = await someShop()
    expect((await request(person, app)).consent_needed).toBe(false)
    await change(app, body)
    expect(await request(person, app)).toMatchObject({ consent_needed: true })
    const silent = await person.api.call(authorize, { query: { ...queryOf(app), prompt: 'none' } })
    expect(outcome(silent)).toEqual(refused('consent_required'))
    await see(app)
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

test('D-117: what was changed before an approval was never another thing to people', async () => {
  const app = await someApp(plaza, { approved: false })
  await change(app, { app_name: 'Second name' })
  await approve(app)
  const person = await someUser(plaza)
  await consent(person, app)
  expect(await said(app, person)).toEqual([undefined, undefined, undefined])
})
