import { expect, test } from 'vitest'
import { updateUser } from '../../contract/admin.ts'
import { adminGetApp, adminListApps } from '../../contract/admin-apps.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { operation_examples } from '../../contract/examples.ts'
import { failures } from '../../contract/errors.ts'
import { includesRole, member_roles, type MemberRole } from '../../contract/kinds/member-roles.ts'
import { deleteAccount, exportAccount, getLeaving } from '../../contract/leaving.ts'
import { listNotices } from '../../contract/notices.ts'
import { createSecret, listMyApps } from '../../contract/oauth-apps.ts'
import { operations } from '../../contract/operations.ts'
import * as contract from '../../contract/teams.ts'
import { PlazaClient } from '../../contract/client.ts'
import { exampleOf } from '../http/schema-example.ts'
import type { JsonSchema } from '../http/json-schema.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { allowHosting } from '../test/hosting-world.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import {
  auditOf,
  basicOf,
  jsonCaller,
  raw,
  signedInAgain,
  someApp,
  someTokens,
  someUser,
  suspend,
  theAdmin,
  type SomeApp,
  type SomeUser,
} from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)

async function someTeam(owner: SomeUser, name = 'Night shift') {
  return (await owner.api.result(contract.createTeam, { body: { name } })).team.id
}
const invite = (by: SomeUser, id: string, email: string, role: MemberRole) =>
  by.api.call(contract.inviteMember, { params: { id }, body: { email, role } })
const accept = (by: SomeUser, code: string) => by.api.call(contract.acceptInvitation, { params: { code } })
const codeOf = async (by: SomeUser, id: string, email: string, role: MemberRole) =>
  ((await invite(by, id, email, role)).body as { invitation: { id: string } }).invitation.id

/** A new member of the team, who has accepted an invitation. */
async function someMember(by: SomeUser, id: string, role: MemberRole) {
  const user = await someUser(plaza)
  expect((await accept(user, await codeOf(by, id, user.email, role))).status).toBe(200)
  return user
}

/** An app of a new team. */
async function teamWithApp() {
  const app = await someApp(plaza, { scopes: ['profile:read', 'app:balance:read'] })
  const team_id = await someTeam(app.owner)
  expect((await move(app, app.owner, { team_id })).status).toBe(200)
  return { app, team_id, owner: app.owner }
}
const move = ({ id }: SomeApp, by: SomeUser, body: { team_id?: string; user_id?: string }) =>
  by.api.call(contract.moveApp, { params: { id }, body })
const takeApp = ({ id }: SomeApp, by: SomeUser) => by.api.call(contract.acceptApp, { params: { id } })
const setRole = (by: SomeUser, id: string, { id: user_id }: { id: string }, role: MemberRole) =>
  by.api.call(contract.updateMember, { params: { id, user_id }, body: { role } })
const remove = (by: SomeUser, id: string, { id: user_id }: { id: string }) =>
  by.api.call(contract.removeMember, { params: { id, user_id } })
const lacksRole = (role: MemberRole) => {
  const { status, message } = failures.role_required
  return [status, { error: 'role_required', message, role }]
}
const rolesIn = async (team_id: string) =>
  (await plaza.db.sql<{ role: string }>`select role from team_members where team_id = ${team_id} order by role`).map(
    ({ role }) => role,
  )
const ownerOf = async ({ id }: SomeApp) =>
  (
    await plaza.db.sql<{ owner_id: string; team_id: string | null; owner_suspended: boolean }>`
    select owner_id, team_id, owner_suspended from oauth_apps where id = ${id}`
  )[0]
/** All tables except last uses of credentials and counts of limits. */
async function written() {
  const { grants: _, connections: __, app_sessions: ___, rate_limits: ____, ...tables } = await digestTables(plaza)
  return tables
}

// The matrix of roles and operations

const with_role = Object.values(operations).filter((endpoint) => endpoint.team_role !== undefined)

/** A call of the endpoint for this app and team, with example values for everything else. */
function callOf({ method, path, params, body }: Declaration, ids: { app: string; team: string }) {
  const examples = exampleOf((params ?? {}) as unknown as JsonSchema) as Record<string, string> | undefined
  const own = path.startsWith('/api/teams/')
    ? ids.team
    : path.startsWith('/api/oauth/my-apps/')
      ? ids.app
      : examples?.id
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? own! : examples![name]!))
  return [
    method,
    at,
    method === 'GET' || !body
      ? undefined
      : (operation_examples[`${method} ${path}`]?.body ?? exampleOf(body as unknown as JsonSchema)),
  ] as const
}

test('D-134: each operation on an app or a team takes its role and those above, and refuses all others', async () => {
  expect(with_role.length).toBeGreaterThan(55)
  const { app, team_id, owner } = await teamWithApp()
  await allowHosting(plaza, app)
  const outsider = await someUser(plaza)
  const people = new Map<MemberRole | 'none', SomeUser>([
    ['none', outsider],
    ['owner', owner],
  ])
  for (const role of ['viewer', 'developer', 'admin'] as const) people.set(role, await someMember(owner, team_id, role))
  const tokens = new Map<SomeUser, string>()
  for (const user of people.values())
    tokens.set(user, (await someTokens(plaza, app, user, ['app:balance:read', 'deploy:manage'])).access_token)
  const send = jsonCaller(plaza, owner.token)
  const answerOf = async (endpoint: Declaration, user: SomeUser) => {
    const [method, path, body] = callOf(endpoint, { app: app.id, team: team_id })
    return send(method, path, body, endpoint.auth === 'user' ? user.token : tokens.get(user))
  }
  const before = await written()
  for (const endpoint of with_role)
    for (const [role, user] of people) {
      const needed = endpoint.team_role!
      if (role !== 'none' && includesRole(role, needed)) continue
      const at = `${role}: ${endpoint.method} ${endpoint.path}`
      const refusal =
        endpoint.auth !== 'user' ? refused('not_app_owner') : role === 'none' ? refused('not_found') : lacksRole(needed)
      expect([at, ...(await answerOf(endpoint, user))]).toEqual([at, ...refusal])
    }
  expect(await written()).toEqual(before)
  for (const endpoint of with_role)
    for (const role of member_roles.filter((one) => includesRole(one, endpoint.team_role!))) {
      const at = `${role}: ${endpoint.method} ${endpoint.path}`
      const [, body] = await answerOf(endpoint, people.get(role)!)
      const { error } = (body ?? {}) as { error?: string }
      expect([at, ['role_required', 'not_app_owner', 'unauthorized', 'invalid_token'].includes(error ?? '')]).toEqual([
        at,
        false,
      ])
    }
})

test('D-134: every operation on an app or a team of the path declares its role', () => {
  const without = Object.values(operations).filter(
    ({ auth, path, team_role }) =>
      auth === 'user' && team_role === undefined && /^\/api\/(oauth\/my-apps|teams)\/\{id\}/.test(path),
  )
  expect(without).toEqual([contract.acceptApp])
})

// Invitations

test('D-134: an invitation is mailed, found without a mail, and accepted once by the verified address only', async () => {
  const owner = await someUser(plaza)
  const id = await someTeam(owner)
  const [invited, other, unverified] = [
    await someUser(plaza),
    await someUser(plaza),
    await someUser(plaza, { verified: false }),
  ]
  const address = invited.email.replace(/^./, (first) => first.toUpperCase())
  const code = await codeOf(owner, id, address, 'developer')
  expect(await plaza.mailTo(address, 0, 'Night shift')).toContain('/invitations')
  const { invitations } = await invited.api.result(contract.listOwnInvitations)
  expect(invitations).toMatchObject([
    { code, team_name: 'Night shift', role: 'developer', invited_by_username: owner.username },
  ])
  expect((await invited.api.result(listNotices)).data[0]).toMatchObject({
    event: 'team_invited',
    subject_name: 'Night shift',
  })
  const code_of_unverified = await codeOf(owner, id, unverified.email, 'viewer')
  const before = await written()
  expect(outcome(await accept(other, code))).toEqual(refused('not_found'))
  expect(outcome(await accept(unverified, code_of_unverified))).toEqual(refused('email_not_verified'))
  expect((await unverified.api.result(contract.listOwnInvitations)).invitations).toEqual([])
  expect(await written()).toEqual(before)
  const answers = await race(plaza, 8, () => accept(invited, code))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 404: 7 })
  expect(outcome(await accept(invited, code))).toEqual(refused('not_found'))
  expect(outcome(await invite(owner, id, invited.email, 'viewer'))).toEqual(refused('already_member'))
  expect((await invited.api.result(contract.getTeam, { params: { id } })).members).toMatchObject([
    { user_id: owner.id, role: 'owner' },
    { user_id: invited.id, role: 'developer' },
  ])
})

test.each<
  [
    string,
    (made: { owner: SomeUser; inviter: SomeUser; id: string; code: string; invited: SomeUser }) => Promise<unknown>,
  ]
>([
  ['the member who invited lost the role', ({ owner, id, inviter }) => setRole(owner, id, inviter, 'developer')],
  ['the member who invited left', ({ id, inviter }) => remove(inviter, id, inviter)],
  ['the member who invited is suspended', ({ inviter }) => suspend(plaza, inviter)],
  [
    'it was withdrawn',
    ({ owner, id, code }) => owner.api.call(contract.withdrawInvitation, { params: { id, invitation_id: code } }),
  ],
  ['it was declined', ({ invited, code }) => invited.api.call(contract.declineInvitation, { params: { code } })],
  ['it was replaced', ({ owner, id, invited }) => invite(owner, id, invited.email, 'viewer')],
  [
    'it has expired',
    ({ code }) => plaza.db.sql`update team_invitations set expires_at = ${plaza.clock.now()} where id = ${code}`,
  ],
  [
    'the address of the person changed',
    ({ invited }) => plaza.db.sql`update users set email = ${`new-${invited.email}`} where id = ${invited.id}`,
  ],
])('D-134: an invitation is void once %s', async (_, happens) => {
  const owner = await someUser(plaza)
  const id = await someTeam(owner)
  const [inviter, invited] = [await someMember(owner, id, 'admin'), await someUser(plaza)]
  const code = await codeOf(inviter, id, invited.email, 'developer')
  await happens({ owner, inviter, id, code, invited })
  const before = await rolesIn(id)
  expect(outcome(await accept(invited, code))).toEqual(refused('not_found'))
  const { invitations } = await invited.api.result(contract.listOwnInvitations)
  expect(invitations.some((one) => one.code === code)).toBe(false)
  expect(await rolesIn(id)).toEqual(before)
})

test('D-134: invitations as admin or owner, changes of roles and moves need a proof; 20 invitations a day', async () => {
  const { app, team_id: id, owner } = await teamWithApp()
  const member = await someMember(owner, id, 'viewer')
  plaza.clock.advance(900)
  const before = await written()
  expect(outcome(await invite(owner, id, 'new@plaza.test', 'admin'))).toEqual(refused('proof_required'))
  expect(outcome(await setRole(owner, id, member, 'developer'))).toEqual(refused('proof_required'))
  expect(outcome(await move(app, owner, { user_id: owner.id }))).toEqual(refused('proof_required'))
  expect(await written()).toEqual(before)
  const body = { email: 'new@plaza.test', role: 'admin', password: owner.password } as const
  expect((await owner.api.call(contract.inviteMember, { params: { id }, body })).status).toBe(201)
  const answers = await race(plaza, 20, (at) => invite(owner, id, `person-${at}@plaza.test`, 'viewer'))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 201: 17, 429: 3 })
})

// Members

test('D-134: nobody gives or takes a role above their own, and the last owner stays', async () => {
  const owner = await someUser(plaza)
  const id = await someTeam(owner)
  const [second, member] = [await someMember(owner, id, 'admin'), await someMember(owner, id, 'viewer')]
  const before = await rolesIn(id)
  for (const [call, refusal] of [
    [() => setRole(second, id, member, 'owner'), lacksRole('owner')],
    [() => setRole(second, id, owner, 'viewer'), lacksRole('owner')],
    [() => remove(second, id, owner), lacksRole('owner')],
    [() => remove(member, id, second), lacksRole('admin')],
    [() => invite(second, id, 'x@plaza.test', 'owner'), lacksRole('owner')],
    [() => remove(owner, id, owner), refused('last_owner')],
    [() => setRole(owner, id, owner, 'admin'), refused('last_owner')],
    [() => owner.api.call(deleteAccount, { body: { password: owner.password } }), refused('last_owner')],
  ] as const)
    expect(outcome(await call())).toEqual(refusal)
  expect(await rolesIn(id)).toEqual(before)
  expect((await owner.api.result(getLeaving)).last_owner_of).toEqual([{ id, name: 'Night shift' }])
  expect((await setRole(second, id, member, 'developer')).status).toBe(200)
  expect((await member.api.result(listNotices)).data[0]).toMatchObject({ event: 'team_role_changed', subject_id: id })
  expect((await remove(second, id, second)).body).toEqual({ message: 'You left the team.' })
  const { data } = await owner.api.result(contract.listTeamLog, { params: { id } })
  expect(data.slice(0, 2)).toMatchObject([
    { action: 'team.leave', actor_username: second.username },
    { action: 'team.change_role', actor_username: second.username, subject_name: member.username, role: 'developer' },
  ])
  expect((await auditOf(admin, id)).map(({ action }) => action)).toEqual(data.map(({ action }) => action))
})

test('D-134: of two owners who remove each other in parallel, one stays', async () => {
  const owner = await someUser(plaza)
  const id = await someTeam(owner)
  let pair = [owner, await someMember(owner, id, 'owner')] as const
  for (let round = 0; round < 10; round++) {
    const take = async (at: number) => {
      const [one, other] = [pair[at]!, pair[1 - at]!]
      return (round % 2 ? await remove(one, id, other) : await setRole(one, id, other, 'viewer')).status
    }
    const [first, second] = await race(plaza, 2, take)
    expect([first, second].sort()).toEqual([200, round % 2 ? 404 : 403])
    expect((await rolesIn(id)).filter((role) => role === 'owner')).toEqual(['owner'])
    const left = first === 200 ? pair[0] : pair[1]
    pair = [left, await someMember(left, id, 'owner')]
  }
})

test('D-134: a change of a role holds on the next call in every process', async () => {
  const { app, team_id, owner } = await teamWithApp()
  const member = await someMember(owner, team_id, 'admin')
  const another = await plaza.startAnother()
  const there = new PlazaClient(another.url, member.token)
  const params = { id: app.id }
  expect((await there.call(createSecret, { params, body: {} })).status).toBe(201)
  await setRole(owner, team_id, member, 'viewer')
  expect(outcome(await there.call(createSecret, { params, body: {} }))).toEqual(lacksRole('admin'))
  expect(await there.result(listMyApps)).toMatchObject([
    { id: app.id, role: 'viewer', team_id, team_name: 'Night shift' },
  ])
  await remove(owner, team_id, member)
  expect(outcome(await there.call(createSecret, { params, body: {} }))).toEqual(refused('not_found'))
  expect(await there.result(listMyApps)).toEqual([])
})

test('D-134: a team that requires a second factor refuses its members without one', async () => {
  const { app, team_id: id, owner } = await teamWithApp()
  const require = () => owner.api.call(contract.updateTeam, { params: { id }, body: { require_second_factor: true } })
  expect(outcome(await require())).toEqual(refused('second_factor_required'))
  await plaza.db.sql`insert into passkey_second_factors (user_id, inserted_at) values (${owner.id}, now())`
  const member = await someMember(owner, id, 'admin')
  expect((await require()).status).toBe(200)
  const params = { id: app.id }
  expect(outcome(await member.api.call(createSecret, { params, body: {} }))).toEqual(refused('second_factor_required'))
  expect(await member.api.result(listMyApps)).toEqual([])
  expect((await member.api.result(contract.listTeams)).teams).toMatchObject([{ id, require_second_factor: true }])
  expect((await owner.api.call(createSecret, { params, body: {} })).status).toBe(201)
})

test('D-134: a member without the required second factor can leave, and do nothing else; an owner returns with a factor', async () => {
  const { team_id: id, owner } = await teamWithApp()
  const [second, member] = [await someMember(owner, id, 'owner'), await someMember(owner, id, 'viewer')]
  const stranger = await someUser(plaza)
  const factor = ({ id: user_id }: SomeUser) =>
    plaza.db.sql`insert into passkey_second_factors (user_id, inserted_at) values (${user_id}, now())`
  await factor(owner)
  await owner.api.result(contract.updateTeam, { params: { id }, body: { require_second_factor: true } })
  const before = await written()
  for (const refusal of [
    await remove(second, id, member),
    await remove(member, id, second),
    await setRole(second, id, member, 'admin'),
    await second.api.call(contract.getTeam, { params: { id } }),
  ])
    expect(outcome(refusal)).toEqual(refused('second_factor_required'))
  expect(outcome(await remove(stranger, id, member))).toEqual(refused('not_found'))
  expect(await written()).toEqual(before)
  expect(outcome(await remove(member, id, member))).toEqual([200, { message: 'You left the team.' }])
  expect(outcome(await remove(owner, id, owner))).toEqual([200, { message: 'You left the team.' }])
  expect(outcome(await remove(second, id, second))).toEqual(refused('last_owner'))
  expect(await rolesIn(id)).toEqual(['owner'])
  await factor(second)
  const { members } = await second.api.result(contract.getTeam, { params: { id } })
  expect(members).toMatchObject([{ user_id: second.id, role: 'owner', lacks_second_factor: false }])
})

test('D-134: a person is in 20 teams at most, also with parallel calls, and a team with apps is not deleted', async () => {
  const { team_id: id, owner } = await teamWithApp()
  await plaza.db.sql`
    with made as (insert into teams (id, name, inserted_at) select gen_random_uuid(), 'Many', now() from generate_series(1, 17) returning id)
    insert into team_members (team_id, user_id, role, joined_at) select id, ${owner.id}, 'viewer', now() from made`
  const answers = await race(plaza, 6, () => owner.api.call(contract.createTeam, { body: { name: 'More' } }))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 201: 2, 409: 4 })
  expect(outcome(await owner.api.call(contract.deleteTeam, { params: { id } }))).toEqual(refused('team_has_apps'))
})

// Owners of apps

test('D-134, D-88: an app of a team keeps working while one of its owners is active, and with D-106 after one has left', async () => {
  const { app, team_id, owner } = await teamWithApp()
  const second = await someMember(owner, team_id, 'owner')
  const works = async () =>
    (await raw(plaza, 'GET', '/api/app/balance', { headers: { authorization: basicOf(app) } })).status
  await suspend(plaza, owner)
  expect(await ownerOf(app)).toEqual({ owner_id: second.id, team_id, owner_suspended: false })
  await suspend(plaza, second)
  expect(await ownerOf(app)).toMatchObject({ owner_suspended: true })
  await admin.api.result(updateUser, { params: { id: owner.id }, body: { suspended: false } })
  expect(await ownerOf(app)).toEqual({ owner_id: owner.id, team_id, owner_suspended: false })
  const back = await signedInAgain(plaza, owner)
  expect(outcome(await back.api.call(deleteAccount, { body: { password: owner.password } }))).toEqual(
    refused('last_owner'),
  )
  await admin.api.result(updateUser, { params: { id: second.id }, body: { suspended: false } })
  expect(JSON.stringify(await back.api.result(exportAccount))).toContain('Night shift')
  expect((await back.api.call(deleteAccount, { body: { password: owner.password } })).status).toBe(200)
  expect(await ownerOf(app)).toEqual({ owner_id: second.id, team_id, owner_suspended: false })
  expect(await rolesIn(team_id)).toEqual(['owner'])
  expect(await works()).toBe(200)
})

test('D-134: a person accepts an app before they get it, once, while it is offered', async () => {
  const { app, team_id, owner } = await teamWithApp()
  const [taker, other] = [await someUser(plaza), await someUser(plaza)]
  expect(outcome(await move(app, owner, { user_id: other.id }))).toMatchObject([200, { team_id }])
  await move(app, owner, { user_id: taker.id })
  expect(await plaza.mailTo(taker.email, 0, 'offered')).toContain('/invitations')
  expect((await taker.api.result(contract.listOwnInvitations)).apps).toMatchObject([
    { app_id: app.id, offered_by_username: owner.username },
  ])
  expect(outcome(await takeApp(app, other))).toEqual(refused('not_found'))
  for (const [person, by_you] of [
    [taker, false],
    [owner, true],
  ] as const)
    expect(await person.api.result(exportAccount)).toMatchObject({ app_offers: [{ app_id: app.id, by_you }] })
  expect(await other.api.result(exportAccount)).toMatchObject({ app_offers: [] })
  expect(await ownerOf(app)).toMatchObject({ owner_id: owner.id, team_id })
  const answers = await race(plaza, 6, () => takeApp(app, taker))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 404: 5 })
  expect(await ownerOf(app)).toMatchObject({ owner_id: taker.id, team_id: null })
  expect(outcome(await move(app, owner, { user_id: owner.id }))).toEqual(refused('not_found'))
  // The offer of a former owner is void.
  await move(app, taker, { user_id: other.id })
  const team_of_taker = await someTeam(taker)
  await move(app, taker, { team_id: team_of_taker })
  expect(outcome(await takeApp(app, other))).toEqual(refused('not_found'))
})

test('D-134: an app moves into a team only by an admin there, and to exactly one owner with parallel calls', async () => {
  const app = await someApp(plaza)
  const stranger = await someUser(plaza)
  const foreign = await someTeam(stranger)
  expect(outcome(await move(app, app.owner, { team_id: foreign }))).toEqual(refused('not_found'))
  const viewer_code = await codeOf(stranger, foreign, app.owner.email, 'viewer')
  await accept(app.owner, viewer_code)
  expect(outcome(await move(app, app.owner, { team_id: foreign }))).toEqual(lacksRole('admin'))
  for (const body of [{}, { team_id: foreign, user_id: stranger.id }])
    expect((await move(app, app.owner, body)).status).toBe(422)
  const [one, two] = [await someTeam(app.owner), await someTeam(app.owner)]
  const answers = await race(plaza, 6, (at) => move(app, app.owner, { team_id: at % 2 ? one : two }))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 6 })
  expect([one, two]).toContain((await ownerOf(app))!.team_id)
})

test('D-134: admins see the team that owns an app, and find its apps by the name or the id of the team', async () => {
  const { app, team_id, owner } = await teamWithApp()
  const team_name = `Crew ${app.client_id}`
  await owner.api.result(contract.updateTeam, { params: { id: team_id }, body: { name: team_name } })
  for (const q of [team_name.toLowerCase(), team_id])
    expect((await admin.api.result(adminListApps, { query: { q } })).data).toMatchObject([
      { id: app.id, owner_id: owner.id, team_id, team_name },
    ])
  await move(app, owner, { user_id: owner.id })
  const found = await admin.api.result(adminGetApp, { params: { id: app.id } })
  expect(found.app).toMatchObject({ owner_id: owner.id, team_id: null, team_name: null })
  expect((await admin.api.result(adminListApps, { query: { q: team_id } })).data).toEqual([])
})
