import { expect, test } from 'vitest'
import { register } from '../../contract/accounts.ts'
import { changeUsername } from '../../contract/account-upkeep.ts'
import { PlazaClient } from '../../contract/client.ts'
import { digestTables } from '../test/table-digests.ts'
import { startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { someUser } from '../test/world.ts'

const plaza = await startTestService({ RESERVED_USERNAMES: 'acme, Globex Corp' })
const anonymous = new PlazaClient(plaza.url)
const names = ['admin', 'Adm1n', 'p1aza_support', 'plaza', 'Moderator', 'acme', 'Acme-Team', 'gl0bexcorp']

test('D-118: nobody registers with a name of the platform or its staff, nor takes one later', async () => {
  const user = await someUser(plaza)
  const before = await digestTables(plaza)
  for (const username of names) {
    const body = { email: `${username}@people.test`, username, password: 'a few words in a row' }
    expect(outcome(await anonymous.call(register, { body }))).toEqual(refused('username_taken'))
    const change = { username, password: user.password }
    expect(outcome(await user.api.call(changeUsername, { body: change }))).toEqual(refused('username_taken'))
  }
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-118: an account that has such a name keeps it, and may spell it in another case', async () => {
  const user = await someUser(plaza)
  await plaza.db.sql`update users set username = 'support' where id = ${user.id}`
  const rename = async (username: string) =>
    outcome(await user.api.call(changeUsername, { body: { username, password: user.password } }))
  expect((await rename('Support'))[0]).toBe(200)
  expect((await rename('Support2'))[0]).toBe(409)
  expect((await rename('somebody-else'))[0]).toBe(200)
  expect(await rename('Support')).toEqual(refused('username_taken'))
})
