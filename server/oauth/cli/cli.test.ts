import { expect, test } from 'vitest'
import { createCliCode, deleteOwnSecret, redeemCliCode } from '../../../contract/cli.ts'
import { PlazaClient } from '../../../contract/client.ts'
import { logout } from '../../../contract/accounts.ts'
import { listDeployments } from '../../../contract/deployments.ts'
import { createSecret, listSecrets } from '../../../contract/oauth-apps.ts'
import { getOwnBalance } from '../../../contract/payments.ts'
import { acceptInvitation, updateMember, createTeam, inviteMember, moveApp } from '../../../contract/teams.ts'
import { listAppEvents } from '../../../contract/webhooks.ts'
import { countBy, race, sharedService } from '../../test/harness.ts'
import { someHostingApp } from '../../test/hosting-world.ts'
import { invalid, outcome, refused } from '../../test/refusals.ts'
import {
  auditOf,
  pkce,
  signedInAgain,
  someApp,
  someUser,
  suspend,
  theAdmin,
  type SomeApp,
  type SomeUser,
} from '../../test/world.ts'
import { purgeExpired } from '../purge.service.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const name = 'plaza on laptop'
const gone = refused('invalid_grant')

const ask = ({ id }: SomeApp, { api }: SomeUser, body: { code_challenge: string; name: string }) =>
  api.call(createCliCode, { params: { id }, body })
async function someCode(app: SomeApp, by: SomeUser = app.owner) {
  const { code_verifier, code_challenge } = pkce()
  const { code } = await by.api.result(createCliCode, { params: { id: app.id }, body: { code_challenge, name } })
  return { code, code_verifier }
}
const redeem = (body: { code: string; code_verifier: string }) => anonymous.call(redeemCliCode, { body })
const secretsOf = async ({ id, owner }: SomeApp) => (await owner.api.result(listSecrets, { params: { id } })).secrets
const clientOf = ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
  new PlazaClient(plaza.url, { client_id, client_secret })

test('D-157: a code is exchanged for a secret that deploys, reads events and payments, and ends after 90 days', async () => {
  const app = await someHostingApp(plaza)
  const { status, body } = await redeem(await someCode(app))
  const secret_expires_at = new Date(plaza.clock.now().getTime() + 90 * 86_400_000).toISOString()
  expect([status, body]).toEqual([
    201,
    {
      app_id: app.id,
      client_id: app.client_id,
      client_secret: expect.stringMatching(/^plz_cs_/) as string,
      secret_expires_at,
    },
  ])
  const [secret] = await secretsOf(app)
  const permissions = ['payments_read', 'deploy', 'webhooks']
  expect(secret).toMatchObject({ name, permissions, expires_at: secret_expires_at, maker_username: app.owner.username })
  const client = clientOf(body as { client_id: string; client_secret: string })
  for (const endpoint of [listDeployments, listAppEvents, getOwnBalance])
    expect((await client.call(endpoint)).status).toBe(200)
  const [entry] = await auditOf(await theAdmin(plaza), app.id)
  expect(entry).toMatchObject({ actor_id: app.owner.id, action: 'secret.create', details: { name, permissions } })
})

test('D-157: ten terminals with one code get one secret, and a code is exchanged once', async () => {
  const app = await someApp(plaza)
  const code = await someCode(app)
  const answers = await race(plaza, 10, () => redeem(code))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 201: 1, 400: 9 })
  expect(outcome(await redeem(code))).toEqual(gone)
  expect(await secretsOf(app)).toHaveLength(2)
})

test('D-157: a code that is unknown, expired, of another verifier, or whose maker has left, makes no secret', async () => {
  const app = await someApp(plaza)
  const code = await someCode(app)
  expect(outcome(await redeem({ ...code, code_verifier: pkce().code_verifier }))).toEqual(gone)
  expect(outcome(await redeem({ ...code, code: `${code.code}x` }))).toEqual(gone)
  plaza.clock.advance(60)
  expect(outcome(await redeem(code))).toEqual(gone)
  await purgeExpired({ db: plaza.db, clock: plaza.clock.now }, { rows_max: 100 })
  expect(await plaza.db.sql`select 1 from cli_codes where app_id = ${app.id}`).toEqual([])
  const again = await signedInAgain(plaza, app.owner)
  const of_session = await someCode(app, again)
  await again.api.result(logout)
  expect(outcome(await redeem(of_session))).toEqual(gone)
  const full = await someCode(app)
  for (let more = 0; more < 9; more++) await app.owner.api.result(createSecret, { params: { id: app.id }, body: {} })
  expect(outcome(await redeem(full))).toEqual(refused('too_many_secrets'))
  expect(await secretsOf(app)).toHaveLength(10)
  const suspended = await someApp(plaza)
  const of_suspended = await someCode(suspended)
  await suspend(plaza, suspended.owner)
  expect(outcome(await redeem(of_suspended))).toEqual(gone)
})

test('D-157: others, and a request without a proof or with a wrong challenge, get no code', async () => {
  const app = await someApp(plaza)
  const { code_challenge } = pkce()
  expect(outcome(await ask(app, await someUser(plaza), { code_challenge, name }))).toEqual(refused('not_found'))
  expect(outcome(await ask(app, app.owner, { code_challenge: 'x', name }))).toEqual(
    invalid('code_challenge', 'must be a SHA-256 in base64url: 43 characters'),
  )
  plaza.clock.advance(301)
  expect(outcome(await ask(app, app.owner, { code_challenge, name }))).toEqual(refused('proof_required'))
  const proved = { code_challenge, name, password: app.owner.password }
  expect((await ask(app, app.owner, proved)).status).toBe(201)
  expect(await secretsOf(app)).toHaveLength(1)
})

test('D-157: a developer of the team gets a secret that deploys only, and none after losing the role', async () => {
  const app = await someHostingApp(plaza)
  const { api } = app.owner
  const id = (await api.result(createTeam, { body: { name: 'Ops' } })).team.id
  await api.result(moveApp, { params: { id: app.id }, body: { team_id: id } })
  const developer = await someUser(plaza)
  const { invitation } = await api.result(inviteMember, {
    params: { id },
    body: { email: developer.email, role: 'developer' },
  })
  await developer.api.result(acceptInvitation, { params: { code: invitation.id } })
  const made = await redeem(await someCode(app, developer))
  expect(made.status).toBe(201)
  const client = clientOf(made.body as { client_id: string; client_secret: string })
  expect((await client.call(listDeployments)).status).toBe(200)
  expect((await client.call(listAppEvents)).status).toBe(403)
  const code = await someCode(app, developer)
  await api.result(updateMember, { params: { id, user_id: developer.id }, body: { role: 'viewer' } })
  expect(outcome(await redeem(code))).toEqual(gone)
  expect(outcome(await ask(app, developer, { code_challenge: pkce().code_challenge, name }))[0]).toBe(403)
})

test('D-157: a terminal deletes its own secret, which is refused from then on; others stay', async () => {
  const app = await someHostingApp(plaza)
  const made = await anonymous.result(redeemCliCode, { body: await someCode(app) })
  const client = clientOf(made)
  expect(await client.result(deleteOwnSecret)).toEqual({ message: 'The secret is deleted and works no more.' })
  expect(outcome(await client.call(deleteOwnSecret))).toEqual(refused('client_unauthorized'))
  expect((await secretsOf(app)).map((secret) => secret.name)).toEqual([null])
  const { body } = await clientOf({
    ...app,
    ...(await app.owner.api.result(createSecret, {
      params: { id: app.id },
      body: { permissions: ['webhooks'] },
    })),
  }).call(deleteOwnSecret)
  expect(body).toMatchObject({ error: 'secret_not_permitted', permission: 'deploy' })
})
