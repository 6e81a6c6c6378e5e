import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { me, register } from '../../contract/accounts.ts'
import {
  adminListUsers,
  awardPoints,
  setAdminRoles,
  updateUser,
  user_orders,
  type UserOrder,
  type UserState,
} from '../../contract/admin.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { failures } from '../../contract/errors.ts'
import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import { setChatMute } from '../../contract/admin-moderation.ts'
import { makeAdmin } from '../accounts/registration.service.ts'
import { digestTables } from '../test/table-digests.ts'
import { race, startTestService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { outcome, refused } from '../test/refusals.ts'
import { someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)
const anonymous = new PlazaClient(plaza.url)

type Update = { tier?: string; signup_multiplier?: number; is_admin?: boolean; suspended?: boolean }
const update = (user: { id: string }, body: Update, by: SomeUser = admin) =>
  by.api.call(updateUser, { params: { id: user.id }, body })
const search = async (q: string) =>
  (await admin.api.result(adminListUsers, { query: { q, limit: 100 } })).data.map(({ id }) => id)
const mayAdministrate = async (user: SomeUser) => (await user.api.call(adminListUsers)).status === 200

test('D-81 GET users: every field an admin sees, newest first', async () => {
  const user = await someUser(plaza, { verified: false })
  const reply = await admin.api.call(adminListUsers, { query: { limit: 1 } })
  expect(outcome(reply)).toEqual([
    200,
    {
      data: [
        {
          id: user.id,
          email: user.email,
          username: user.username,
          display_name: null,
          picture_url: null,
          tier: 'bronze',
          signup_multiplier: 1,
          is_admin: false,
          admin_roles: [],
          email_verified: false,
          totp_enabled: false,
          suspended: false,
          points: 0,
          registration_number: expect.any(Number),
          inserted_at: plaza.clock.now().toISOString(),
        },
      ],
      next_cursor: expect.any(String),
    },
  ])
})

test('D-81 GET users: by state, by role (D-135), also with a name; a mute that is over does not count', async () => {
  const [unverified, suspended, muted] = [
    await someUser(plaza, { verified: false }),
    await someUser(plaza),
    await someUser(plaza),
  ]
  await update(suspended, { suspended: true })
  const muted_until = new Date(plaza.clock.now().getTime() + 60_000).toISOString()
  await admin.api.result(setChatMute, { params: { id: muted.id }, body: { muted_until, reason: 'Spam.' } })
  const inState = async (state: UserState, q?: string) =>
    (await admin.api.result(adminListUsers, { query: { state, limit: 100, ...(q && { q }) } })).data.map(({ id }) => id)
  expect(await inState('admin')).toContain(admin.id)
  expect(await inState('unverified')).toContain(unverified.id)
  expect([await inState('suspended'), await inState('muted')]).toEqual([[suspended.id], [muted.id]])
  expect(await inState('suspended', muted.username)).toEqual([])
  const ofRole = async (role: AdminRole) =>
    (await admin.api.result(adminListUsers, { query: { role } })).data.map(({ id }) => id)
  expect([await ofRole('administrator'), await ofRole('auditor')]).toEqual([[admin.id], []])
  expect(await inState('muted', muted.username)).toEqual([muted.id])
  plaza.clock.advance(61)
  expect(await inState('muted')).toEqual([])
})

test('D-81 GET users: pages without gaps or repeats, with and without q, in each order', async () => {
  for (const username of ['paged-a', 'paged-b', 'paged-c'])
    await anonymous.result(register, { body: { email: `${username}@q.test`, username, password: 'long enough' } })
  for (const [username, amount] of [
    ['paged-b', 5],
    ['paged-c', 3],
  ] as const) {
    const [user_id = ''] = await search(username)
    await admin.api.result(awardPoints, { body: { user_id, amount } })
  }
  for (const filter of [{}, ...user_orders.map((sort) => ({ q: 'paged-', sort }))]) {
    const all = (await admin.api.result(adminListUsers, { query: { ...filter, limit: 100 } })).data
    const paged = await rowsOfPages((next) =>
      admin.api.result(adminListUsers, { query: { ...filter, limit: 2, ...next } }),
    )
    expect(paged).toEqual(all)
    expect(all.length).toBeGreaterThanOrEqual(3)
  }
  const named = async (sort: UserOrder) =>
    (await admin.api.result(adminListUsers, { query: { q: 'paged-', sort } })).data.map(({ username }) => username)
  expect(await named('username')).toEqual(['paged-a', 'paged-b', 'paged-c'])
  expect(await named('-username')).toEqual(['paged-c', 'paged-b', 'paged-a'])
  expect(await named('inserted_at')).toEqual(['paged-a', 'paged-b', 'paged-c'])
  expect(await named('points')).toEqual(['paged-a', 'paged-c', 'paged-b'])
  expect(await named('-points')).toEqual(['paged-b', 'paged-c', 'paged-a'])
})

test('D-81 q is a case-insensitive prefix of a username or an address, or an id', async () => {
  const { user } = await anonymous.result(register, {
    body: { email: 'Find.Me@Search.test', username: 'Needle_1', password: 'long enough' },
  })
  for (const q of ['Needle_1', 'nEED', 'find.me@search', 'FIND', user.id, user.id.toUpperCase()])
    expect([q, await search(q)]).toEqual([q, [user.id]])
  for (const q of ['eedle', 'search.test', user.id.slice(0, 20), 'Needle_1 '])
    expect([q, await search(q)]).toEqual([q, []])
})

test('D-81 q takes %, _ and \\ literally', async () => {
  const names = ['lit_a', 'litxa']
  const ids: string[] = []
  for (const username of names) {
    const email = `${username === 'lit_a' ? 'per%cent' : 'perxcent'}@q.test`
    ids.push((await anonymous.result(register, { body: { email, username, password: 'long enough' } })).user.id)
  }
  expect(await search('lit_')).toEqual([ids[0]])
  expect(await search('per%')).toEqual([ids[0]])
  for (const q of ['%', '_', '\\', '%%', 'lit\\_', "'; drop table users; --"])
    expect([q, await search(q)]).toEqual([q, []])
})

test('D-16 an admin sets tier and multiplier; other fields stay; each change is audited', async () => {
  const user = await someUser(plaza)
  const reply = await update(user, { tier: 'gold' })
  expect([reply.status, reply.body]).toMatchObject([200, { id: user.id, tier: 'gold', signup_multiplier: 1 }])
  expect((await update(user, { signup_multiplier: 7 })).body).toMatchObject({ tier: 'gold', signup_multiplier: 7 })
  const { user: profile } = await user.api.result(me)
  expect(profile).toMatchObject({ tier: 'gold', tier_emoji: '🥇', signup_multiplier: 7 })
  const { data } = await admin.api.result(listAudit, { query: { target_id: user.id } })
  expect(data.map(({ action, actor_id, details }) => [action, actor_id, details])).toEqual([
    ['user.update', admin.id, { signup_multiplier: 7 }],
    ['user.update', admin.id, { tier: 'gold' }],
  ])
})

test('D-81 granting and revoking admin rights takes effect immediately, for open sessions and in every process', async () => {
  const other = await plaza.startAnother()
  const user = await someUser(plaza)
  const elsewhere = { ...user, api: new PlazaClient(other.url, user.token) }
  const both = async () => [await mayAdministrate(user), await mayAdministrate(elsewhere)]
  expect(await both()).toEqual([false, false])
  await update(user, { is_admin: true })
  expect(await mayAdministrate(user)).toBe(true)
  await expect.poll(() => mayAdministrate(elsewhere)).toBe(true)
  await update(user, { is_admin: false })
  expect(outcome(await user.api.call(adminListUsers))).toEqual(refused('admin_only'))
  await expect.poll(() => mayAdministrate(elsewhere)).toBe(false)
})

test('D-81 the last admin can be neither demoted nor suspended: 409, nothing changes', async () => {
  const before = await digestTables(plaza)
  expect(outcome(await update(admin, { is_admin: false }))).toEqual(refused('last_administrator'))
  expect(outcome(await update(admin, { suspended: true, tier: 'gold' }))).toEqual(refused('last_administrator'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-81 a suspended admin does not count as one', async () => {
  const second = await someUser(plaza)
  await update(second, { is_admin: true })
  expect((await update(second, { suspended: true })).status).toBe(200)
  expect(outcome(await update(admin, { is_admin: false }))).toEqual(refused('last_administrator'))
  await update(second, { is_admin: false })
})

const lacks_role = { error: 'role_required', message: failures.role_required.message, role: 'administrator' }

test('D-81, D-135: of two administrators who demote each other concurrently, one remains', async () => {
  for (let round = 0; round < 4; round++) {
    const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
    for (const user of [anna, berta]) await update(user, { is_admin: true })
    await update(admin, { is_admin: false }, anna)
    const roles = { roles: ['auditor' as const], reason: 'only one remains' }
    const replies = await race(plaza, 2, (at) =>
      at === 0
        ? update(berta, { is_admin: false }, anna)
        : berta.api.call(setAdminRoles, { params: { id: anna.id }, body: roles }),
    )
    const survivor = replies[0]?.ok ? anna : berta
    expect(replies.map(({ ok }) => ok).sort()).toEqual([false, true])
    for (const reply of replies)
      if (!reply.ok) expect([refused('admin_only')[1], lacks_role]).toContainEqual(reply.body)
    expect(await mayAdministrate(survivor)).toBe(true)
    expect((await update(admin, { is_admin: true }, survivor)).status).toBe(200)
    for (const user of [anna, berta]) await update(user, { is_admin: false })
  }
})

test('D-19 makeAdmin (npm run admin -- grant): takes effect immediately; an unknown address is reported', async () => {
  const user = await someUser(plaza)
  const { accounts } = plaza.service.app
  expect(await mayAdministrate(user)).toBe(false)
  expect(await makeAdmin(accounts, 'nobody@people.test')).toBe(false)
  expect(await makeAdmin(accounts, user.email.toUpperCase())).toBe(true)
  expect(await mayAdministrate(user)).toBe(true)
  const { data } = await admin.api.result(listAudit, { query: { target_id: user.id } })
  const entry = { actor_id: null, actor_username: null, action: 'user.update', details: { is_admin: true } }
  expect(data).toMatchObject([{ ...entry, target_id: user.id }])
  const first = await admin.api.result(listAudit, { query: { target_id: admin.id } })
  expect(first.data.at(-1), 'the first admin, made at the start').toMatchObject(entry)
  await update(user, { is_admin: false })
})

test('D-81 GET audit: newest first, filtered by action, actor and target, in pages', async () => {
  const second = await someUser(plaza)
  await update(second, { is_admin: true })
  const target = await someUser(plaza)
  for (const tier of ['silver', 'gold', 'bronze', 'gold', 'silver']) await update(target, { tier }, second)
  const all = (await admin.api.result(listAudit, { query: { actor_id: second.id } })).data
  expect(all.map(({ details }) => details)).toEqual(
    ['silver', 'gold', 'bronze', 'gold', 'silver'].map((tier) => ({ tier })),
  )
  const first = await admin.api.result(listAudit, { query: { target_id: target.id, limit: 3 } })
  const cursor = first.next_cursor ?? ''
  const rest = await admin.api.result(listAudit, { query: { target_id: target.id, limit: 3, cursor } })
  expect([[...first.data, ...rest.data], rest.next_cursor]).toEqual([all, null])
  const none = await admin.api.result(listAudit, { query: { actor_id: second.id, action: 'points.award' } })
  expect(none).toEqual({ data: [], next_cursor: null })
  await update(second, { is_admin: false })
})
