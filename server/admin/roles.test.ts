import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { me } from '../../contract/accounts.ts'
import { adminListUsers, awardPoints, setAdminRoles, updateUser } from '../../contract/admin.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { setChatMute } from '../../contract/admin-moderation.ts'
import { adminEndSessions, adminGetUser } from '../../contract/admin-users.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { failures } from '../../contract/errors.ts'
import { admin_roles, mayCall, rolesAllowedAt, type AdminRole } from '../../contract/kinds/admin-roles.ts'
import { operations } from '../../contract/operations.ts'
import { makeAdmin } from '../accounts/registration.service.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { jsonCaller, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)
const person = await someUser(plaza)
const target = await someUser(plaza)

const setRoles = ({ id }: { id: string }, roles: AdminRole[], by: SomeUser = admin) =>
  by.api.call(setAdminRoles, { params: { id }, body: { roles, reason: 'a change of duties' } })
const rolesOf = async ({ api }: SomeUser) => {
  const { is_admin, admin_roles: roles } = (await api.result(me)).user
  return [is_admin, roles]
}
const auditOf = async ({ id }: { id: string }) =>
  (await admin.api.result(listAudit, { query: { target_id: id, action: 'user.roles' } })).data.map(
    ({ actor_id, details }) => ({ actor_id, ...details }),
  )
function lacks(role: AdminRole) {
  const { status, message } = failures.role_required
  return [status, { error: 'role_required', message, role }]
}

afterAll(async () => {
  for (const user of [person, target]) await setRoles(user, [])
})

const of_admins = Object.values(operations).filter(
  (each): each is typeof each & Required<Pick<Declaration, 'admin_roles'>> => each.admin_roles !== undefined,
)

/** The path with unknown ids, and a body that changes nothing. */
const unknownAt = ({ method, path }: Declaration): [string, object?] => {
  const at = path.replaceAll(/\{\w+\}/g, randomUUID())
  return method === 'GET' ? [`${at}?limit=1&actor_id=${randomUUID()}`] : [at, {}]
}

test('D-135: every operation of admins declares its roles, and no other one does', () => {
  expect(of_admins).toEqual(Object.values(operations).filter(({ auth }) => auth === 'admin'))
  expect(of_admins.length).toBeGreaterThan(45)
})

test('D-135: each role calls the operations that declare it; the auditor reads everything and changes nothing', async () => {
  const send = jsonCaller(plaza, person.token)
  for (const role of admin_roles) {
    expect((await setRoles(person, [role])).status).toBe(200)
    const answers = await Promise.all(of_admins.map((endpoint) => send(endpoint.method, ...unknownAt(endpoint))))
    for (const [index, endpoint] of of_admins.entries()) {
      const { method, path } = endpoint
      const [status, body] = answers[index]!
      const at = `${role}: ${method} ${path}`
      if (!mayCall([role], endpoint)) expect([at, status, body]).toEqual([at, ...lacks(rolesAllowedAt(endpoint)[0])])
      else expect([at, (body as { error?: string } | null)?.error]).not.toEqual([at, 'role_required'])
      const expected =
        role === 'administrator' || (role === 'auditor' ? method === 'GET' : endpoint.admin_roles.includes(role))
      expect([at, mayCall([role], endpoint)]).toEqual([at, expected])
    }
  }
  const { data } = await admin.api.result(listAudit, { query: { actor_id: person.id } })
  expect(data).toEqual([])
})

test('D-135: roles are set exactly, with a reason, hold from the next call on, and are in the audit log', async () => {
  await setRoles(person, [])
  const answer = await setRoles(person, ['support', 'finance'])
  expect(answer.body).toMatchObject({ id: person.id, is_admin: true, admin_roles: ['support', 'finance'] })
  expect(await rolesOf(person)).toEqual([true, ['support', 'finance']])
  expect((await person.api.call(adminListUsers)).status).toBe(200)
  expect(outcome(await setRoles(target, ['support'], person))).toEqual(lacks('administrator'))
  expect(outcome(await person.api.call(updateUser, { params: { id: target.id }, body: { is_admin: true } }))).toEqual(
    lacks('administrator'),
  )
  await setRoles(person, [])
  expect(outcome(await person.api.call(adminListUsers))).toEqual(refused('admin_only'))
  expect(await rolesOf(target)).toEqual([false, []])
  const entry = { actor_id: admin.id, reason: 'a change of duties' }
  expect((await auditOf(person)).slice(0, 2)).toEqual([
    { ...entry, roles: [], before: ['support', 'finance'] },
    { ...entry, roles: ['support', 'finance'], before: [] },
  ])
})

test('D-135: nobody changes their own roles; is_admin of 0.1 grants administrator and takes every role away', async () => {
  expect(outcome(await setRoles(admin, ['auditor']))).toEqual(refused('own_roles'))
  await setRoles(person, ['support'])
  const update = (is_admin: boolean, by = admin) =>
    by.api.call(updateUser, { params: { id: person.id }, body: { is_admin } })
  expect((await update(true)).body).toMatchObject({ is_admin: true, admin_roles: ['administrator', 'support'] })
  expect(outcome(await update(false, person))).toEqual(refused('own_roles'))
  expect(outcome(await setRoles(person, ['administrator'], person))).toEqual(refused('own_roles'))
  expect((await update(false)).body).toMatchObject({ is_admin: false, admin_roles: [] })
  expect(outcome(await setRoles({ id: randomUUID() }, ['auditor']))).toEqual(refused('not_found'))
  const { status } = await admin.api.call(setAdminRoles, {
    params: { id: person.id },
    body: { roles: ['chief' as AdminRole], reason: 'a change of duties' },
  })
  expect([status, await rolesOf(person)]).toEqual([422, [false, []]])
})

test('D-135: a lesser role acts on the account of an admin only as far as it reaches no right by it', async () => {
  await setRoles(person, ['support', 'moderator'])
  await setRoles(target, ['finance'])
  const because = { reason: 'a stolen laptop' }
  const end = () => person.api.call(adminEndSessions, { params: { id: target.id }, body: because })
  expect(outcome(await end())).toEqual(lacks('administrator'))
  expect((await target.api.call(me)).status).toBe(200)
  const mute = { params: { id: target.id }, body: { muted_until: null, ...because } }
  expect((await person.api.call(setChatMute, mute)).status).toBe(200)
  expect((await person.api.call(adminGetUser, { params: { id: target.id } })).body).toMatchObject({
    admin_roles: ['finance'],
  })
  await setRoles(target, [])
  expect((await end()).status).toBe(200)
})

test('D-135: npm run admin -- grant adds a role to those that the person has', async () => {
  const { accounts } = plaza.service.app
  await setRoles(person, ['auditor'])
  expect(await makeAdmin(accounts, person.email, 'finance')).toBe(true)
  expect(await rolesOf(person)).toEqual([true, ['auditor', 'finance']])
  expect((await auditOf(person))[0]).toEqual({ actor_id: null, roles: ['auditor', 'finance'] })
  const award = { body: { user_id: target.id, amount: 1 } }
  expect((await person.api.call(awardPoints, award)).status).toBe(200)
})
