import { beforeEach, expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { endLoginSession, listLoginSessions, login, me } from '../../contract/accounts.ts'
import { adminListUsers, rejectApp, updateUser } from '../../contract/admin.ts'
import { getExternalUser } from '../../contract/external.ts'
import { deleteSecret, listSecrets } from '../../contract/oauth-apps.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { theAdmin, world, type SomeApp, type SomeTokens, type SomeUser, proveUser } from '../test/world.ts'

// PostgreSQL accepts ids in capitals. Caches, comparisons and revocations must too.
const plaza = await sharedService()
const admin = await theAdmin(plaza)
const inCapitals = ({ id }: { id: string }) => ({ params: { id: id.toUpperCase() } })

let user: SomeUser
let app: SomeApp
let tokens: SomeTokens
const answers = async () => [(await user.api.call(me)).status, (await tokens.api.call(getExternalUser)).status]

/** A user and an app that acts for them, both known to the caches. */
beforeEach(async () => {
  ;({ user, app, tokens } = await world(plaza))
  if ((await answers()).some((status) => status !== 200)) throw new Error('not let in to begin with')
})

test('D-40: a suspension by an id in capitals ends the login and the tokens of apps at once', async () => {
  const { id } = await admin.api.result(updateUser, { ...inCapitals(user), body: { suspended: true } })
  expect(id).toBe(user.id)
  expect(await answers()).toEqual([401, 401])
})

test('D-81: removing admin rights by an id in capitals takes effect', async () => {
  await proveUser(admin)
  await admin.api.result(updateUser, { ...inCapitals(user), body: { is_admin: true } })
  expect((await user.api.call(adminListUsers)).status).toBe(200)
  await admin.api.result(updateUser, { ...inCapitals(user), body: { is_admin: false } })
  expect(outcome(await user.api.call(adminListUsers))).toEqual(refused('admin_only'))
})

test('D-81: the last admin cannot be demoted, in any spelling of the id', async () => {
  await proveUser(admin)
  const reply = await admin.api.call(updateUser, { ...inCapitals(admin), body: { is_admin: false } })
  expect(outcome(reply)).toEqual(refused('last_admin'))
  expect((await admin.api.call(adminListUsers)).status).toBe(200)
})

test('D-40: withdrawing an approval by an id in capitals ends the app’s tokens at once', async () => {
  await admin.api.result(rejectApp, { ...inCapitals(app), body: {} })
  expect(await answers()).toEqual([200, 401])
})

test('spec: disconnecting an app by an id in capitals revokes its tokens', async () => {
  await user.api.result(disconnectApp, { params: { app_id: app.id.toUpperCase() } })
  expect(await answers()).toEqual([200, 401])
})

test('D-15: a login session ended by an id in upper case ends at once', async () => {
  const { email, password } = user
  const session = await new PlazaClient(plaza.url).result(login, { body: { email, password } })
  const elsewhere = new PlazaClient(plaza.url, session.token)
  const { sessions } = await elsewhere.result(listLoginSessions)
  const [own] = sessions.filter(({ current }) => current)
  await user.api.result(endLoginSession, inCapitals(own as { id: string }))
  expect((await elsewhere.call(me)).status).toBe(401)
})

test('D-39: a secret is deleted by ids in capitals', async () => {
  const params = { id: app.id.toUpperCase() }
  const { secrets } = await app.owner.api.result(listSecrets, { params })
  await app.owner.api.result(deleteSecret, { params: { ...params, secret_id: secrets[0]?.id.toUpperCase() ?? '' } })
  expect((await app.owner.api.result(listSecrets, { params })).secrets).toEqual([])
})
