import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { endLoginSession, listLoginSessions, login, me } from '../../contract/accounts.ts'
import { adminListUsers, updateUser } from '../../contract/admin.ts'
import { getExternalUser } from '../../contract/external.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { proveUser, someUser, theAdmin, world } from '../test/world.ts'

// PostgreSQL accepts ids in capitals, so caches, comparisons and revocations must too.
const plaza = await sharedService()
const admin = await theAdmin(plaza)
const inCapitals = ({ id }: { id: string }) => ({ params: { id: id.toUpperCase() } })

test('D-40: a suspension by an id in capitals ends the login and the tokens of apps immediately', async () => {
  const { user, tokens } = await world(plaza)
  const answers = async () => [(await user.api.call(me)).status, (await tokens.api.call(getExternalUser)).status]
  expect(await answers()).toEqual([200, 200])
  const { id } = await admin.api.result(updateUser, { ...inCapitals(user), body: { suspended: true } })
  expect(id).toBe(user.id)
  expect(await answers()).toEqual([401, 401])
})

test('D-81: the last admin cannot be demoted, in any spelling of the id', async () => {
  await proveUser(admin)
  const reply = await admin.api.call(updateUser, { ...inCapitals(admin), body: { is_admin: false } })
  expect(outcome(reply)).toEqual(refused('last_administrator'))
  expect((await admin.api.call(adminListUsers)).status).toBe(200)
})

test('D-15: a login session ended by an id in upper case ends immediately', async () => {
  const { email, password, api } = await someUser(plaza)
  const session = await new PlazaClient(plaza.url).result(login, { body: { email, password } })
  const elsewhere = new PlazaClient(plaza.url, session.token)
  const { sessions } = await elsewhere.result(listLoginSessions)
  const [own] = sessions.filter(({ current }) => current)
  await api.result(endLoginSession, inCapitals(own as { id: string }))
  expect((await elsewhere.call(me)).status).toBe(401)
})
