import type pg from 'pg'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, register } from '../../contract/accounts.ts'
import { updateUser as adminUpdateUser } from '../../contract/admin.ts'
import { decisions } from '../../contract/decisions.ts'
import { blockUser, searchUsers, unblockUser } from '../../contract/social.ts'
import { startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { openReadStatistics } from '../test/rows-read.ts'
import { raw, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await startTestService()
const me = await someUser(plaza)

const search = async (q: string, { api }: SomeUser = me) => outcome(await api.call(searchUsers, { query: { q } }))
const names = async (q: string, { api }: SomeUser = me) =>
  (await api.result(searchUsers, { query: { q } })).users.map(({ username }) => username)

/** Registers a user of this name, without signing in. */
async function named(username: string) {
  const body = { username, email: `${username}.of@people.test`, password: 'a long enough one' }
  return (await new PlazaClient(plaza.url).result(register, { body })).user
}

/** Inserts many users, named `prefix` and a number. */
const crowd = (db: pg.ClientBase | pg.Pool, prefix: string, many: number) =>
  db.query(
    `insert into users (id, email, username, password_hash, tier, referral_code, registration_number, inserted_at)
     select gen_random_uuid(), $1::text || n || '@crowd.test', $1 || n, '', 'bronze', $1 || n,
            -n - 1000000 * ascii($1), now()
       from generate_series(1, $2::integer) n`,
    [prefix, many],
  )

test('spec users/search: id and username of users whose name begins with q, in any case, and nothing else', async () => {
  const user = await named('Walrus')
  for (const q of ['wa', 'WALR', 'walrus', 'Walrus'])
    expect(await search(q)).toEqual([
      200,
      { users: [{ id: user.id, username: 'Walrus', display_name: null, picture_url: null }] },
    ])
  for (const q of ['alrus', 'walrus1', 'walrus.of', 'walrus.of@people.test', 'people'])
    expect(await search(q)).toEqual([200, { users: [] }])
})

test('spec users/search: at most 20, the exact name first, then by name; the same each time', async () => {
  await crowd(plaza.db.pool, 'otter', 60)
  await named('Otter')
  const found = await names('otter')
  const others = Array.from({ length: 60 }, (_, at) => `otter${at + 1}`).sort()
  expect(found).toEqual(['Otter', ...others.slice(0, 19)])
  expect(await names('OTTER')).toEqual(found)
  expect(await names('otter5')).toEqual(['otter5', ...others.filter((name) => /^otter5./.test(name))])
})

test('spec users/search: without the caller, suspended users, and users of a block with the caller, in either direction', async () => {
  const berta = await someUser(plaza)
  const [lynx, other] = [await named('lynx'), await named('lynx2')]
  const found = () => names('lynx', berta)
  expect(await names(berta.username, berta)).toEqual([])
  expect(await names(berta.username)).toEqual([berta.username])
  await berta.api.result(blockUser, { body: { user_id: lynx.id } })
  expect(await found()).toEqual(['lynx2'])
  await berta.api.result(unblockUser, { params: { user_id: lynx.id } })
  const anonymous = new PlazaClient(plaza.url)
  const { token } = await anonymous.result(login, {
    body: { email: 'lynx2.of@people.test', password: 'a long enough one' },
  })
  await anonymous.withToken(token).result(blockUser, { body: { user_id: berta.id } })
  expect(await found()).toEqual(['lynx'])
  const admin = (await theAdmin(plaza)).api
  await admin.result(adminUpdateUser, { params: { id: lynx.id }, body: { suspended: true } })
  expect(await found()).toEqual([])
  await admin.result(adminUpdateUser, { params: { id: lynx.id }, body: { suspended: false } })
  await anonymous.withToken(token).result(unblockUser, { params: { user_id: berta.id } })
  expect(await names('lynx', berta)).toEqual(['lynx', other.username])
})

test('D-76: a blocker and an unknown name get the same response', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  await anna.api.result(blockUser, { body: { user_id: berta.id } })
  const texts = await Promise.all(
    [anna.username, 'nobody.has.this'].map(async (q) => {
      const headers = { authorization: `Bearer ${berta.token}` }
      return (await raw(plaza, 'GET', `/api/social/users/search?q=${q}`, { headers })).text
    }),
  )
  expect(texts).toEqual(['{"users":[]}', '{"users":[]}'])
})

test('D-76: %, _ and \\ are literal', async () => {
  for (const username of ['panda_x', 'pandaxx', 'panda-x', 'panda.x']) await named(username)
  expect(await names('panda_')).toEqual(['panda_x'])
  expect(await names('panda-')).toEqual(['panda-x'])
  for (const q of ['%%', '__', 'pan%', 'p_nda', 'panda\\', '\\%', 'panda_%', "pa'n", 'pa"', '.*', 'pa\u0301'])
    expect([q, await names(q)]).toEqual([q, []])
})

test('D-76: names are ordered by their bytes, so the collation of the database does not matter', async () => {
  const sorted = ['toad', 'toad-1', 'toad.1', 'toad1', 'TOAD_1', 'toada']
  for (const username of [...sorted].reverse()) await named(username)
  expect(await names('toad')).toEqual(sorted)
  expect(await names('Toad')).toEqual(sorted)
})

test('spec users/search: fewer than 2 characters are 422, counted in code points and without the spaces around', async () => {
  await named('yak')
  const too_short = refused('validation_failed', [{ path: 'q', message: 'must NOT have fewer than 2 characters' }])
  for (const q of ['', 'y', ' y', 'y ', '  y  ', '   ', '\u3000y\t', '🦦', ' 🦦 '])
    expect([q, await search(q)]).toEqual([q, too_short])
  for (const q of ['ya', '  ya  ', '\tYAK\n']) expect(await names(q)).toEqual(['yak'])
  expect(await search('🦦🦦')).toEqual([200, { users: [] }])
  const { query_max } = decisions.user_search
  expect(await search('🦦'.repeat(query_max))).toEqual([200, { users: [] }])
})

test('a search reads little more rows than it returns, with a plan from a small table, among very many users, most of them suspended', async () => {
  const statistics = await openReadStatistics(plaza)
  const rowsRead = async () => (await statistics.rowsRead(['users'])).get('users')?.all ?? 0
  await plaza.stopAll()
  await statistics.untilDisconnected()
  const searching = await plaza.startAnother({ ROLES: 'api' })
  const searcher = { ...me, api: new PlazaClient(searching.url).withToken(me.token) }
  const found = (q: string) => names(q, searcher)
  let young = 0
  await statistics.onNewConnection(async (other) => {
    await other.query('analyze users')
    young = (await other.query<{ count: number }>('select count(*) from users')).rows[0]!.count
  })
  for (let time = 0; time < 10; time++) expect(await found('xx')).toEqual([])
  await statistics.onNewConnection(async (other) => {
    await crowd(other, 'x', 30_000)
    await other.query(`update users set suspended_at = now() where username ~ '^x[1-8]'`)
  })
  const before = await rowsRead()
  expect(before).toBeGreaterThan(30_000)
  for (let time = 0; time < 10; time++) expect([await found('x1'), await found('x9')]).toEqual([[], expect.any(Array)])
  expect((await found('x9')).slice(0, 3)).toEqual(['x9', 'x90', 'x900'])
  await searching.service.stop()
  await statistics.untilDisconnected()
  // Scans of the still small table may be counted late and may have read all of it.
  const read = (await rowsRead()) - before
  expect(read).toBeGreaterThan(0)
  expect(read).toBeLessThan(1_000 + 10 * young)
})
