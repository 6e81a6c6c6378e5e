import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PlazaClient, type FailureBody } from '../../contract/client.ts'
import { login, proveOwner } from '../../contract/accounts.ts'
import { updateUser } from '../../contract/admin.ts'
import { approveApp, rejectApp } from '../../contract/admin-apps.ts'
import { getExternalUser } from '../../contract/external.ts'
import { createSecret, deleteSecret, listSecrets } from '../../contract/oauth-apps.ts'
import * as oauth from '../../contract/oauth.ts'
import { getPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { startTestService } from '../test/harness.ts'
import * as model from '../test/token-model.ts'
import type { Access, App, ModelState } from '../test/token-model.ts'
import * as make from '../test/world.ts'

// A single-threaded model predicts the response to each call; the service must agree, in whatever order the calls come.

const plaza = await startTestService({
  REFRESH_TOKEN_TTL: String(model.refresh_seconds),
  JWT_TTL: String(3660 * 86_400),
})
const anonymous = new PlazaClient(plaza.url)
const admin = (await make.theAdmin(plaza)).api

const all_scopes: Scope[] = ['profile:read', 'points:read', 'points:spend']
const scope_choices: Scope[][] = [all_scopes, ['profile:read'], ['profile:read', 'points:read'], ['points:read']]
const steps_of_time = [1, 5, 10, 20, 29, 30, 30, 31, 600, 3600]

/** The kinds of moves, with their relative frequencies. */
const weights = {
  issue: 10,
  redeem: 9,
  refresh: 28,
  revoke: 3,
  disconnect: 2,
  rotate: 2,
  suspend: 1,
  approval: 1,
  clock: 16,
}
type Kind = keyof typeof weights
const kinds = Object.keys(weights) as Kind[]
interface Move {
  kind: Kind
  /** The app, the code or token so far (0 is the newest), and the variant. */
  app: number
  at: number
  how: number
}
const move = fc.record<Move>({
  kind: fc.oneof(...kinds.map((kind) => ({ weight: weights[kind], arbitrary: fc.constant(kind) }))),
  app: fc.nat(1),
  at: fc.oneof(fc.nat(2), fc.nat(30)),
  how: fc.nat(9),
})
const moves = fc.array(move, { minLength: 10, maxLength: 23, size: 'max' })
/** Every run begins with a pair, so that something can go wrong. */
const opening: Move[] = (['issue', 'redeem'] as const).map((kind) => ({ kind, app: 0, at: 0, how: 4 }))

const now = () => plaza.clock.now().getTime() / 1000
const pick = <Item>(items: readonly Item[], at: number) => items.at(-1 - (at % items.length))

const seen = new Set<string>()
/** Compares the response of the service with the model's. */
function agree({ kind }: Move, reply: { status: number; body: unknown }, status: number, error?: string, note = '') {
  seen.add([kind, status, error, note].filter(Boolean).join(' '))
  expect([kind, reply.status, (reply.body as FailureBody).error]).toEqual([kind, status, error])
}

const play: Record<Kind, (run: ModelState, move: Move, app: App) => Promise<unknown>> = {
  async issue(run, move, app) {
    const scopes = pick(scope_choices, move.how)!
    const { code_verifier, code_challenge } = make.pkce()
    const query = make.authorizationQuery(app, code_challenge)
    const reply = await run.user.api.call(oauth.authorize, {
      query: { ...query, scope: scopes.join(' ') },
    })
    if (run.suspended) return agree(move, reply, 401, 'invalid_token')
    if (!app.approved) return agree(move, reply, 403, 'unauthorized_client')
    agree(move, reply, 200)
    run.connected.add(app)
    const proof = { code: reply.ok ? reply.body.code : '', code_verifier }
    const { epoch } = app
    run.codes.push({ app, scopes, epoch, issued_at: now(), is_void: false, proof, pairs: 0 })
  },

  async redeem(run, move) {
    const fresh = run.codes.filter(({ grant }) => !grant)
    const code = pick(move.how < 3 || fresh.length === 0 ? run.codes : fresh, move.at)
    if (!code) return
    const [body, refusal] = claim(move, code.app, make.codeRequest(code.app, code.proof))
    const reply = await anonymous.call(oauth.token, { body })
    if (refusal) return agree(move, reply, 400, refusal)
    const { app, epoch, scopes } = code
    if (!model.isRedeemable(run, code, now())) {
      if (code.grant) code.grant.revoked = true
      return agree(move, reply, 400, 'invalid_grant', code.grant && 'replay')
    }
    agree(move, reply, 200)
    code.grant = { app, scopes, epoch, revoked: false }
    code.pairs++
    if (reply.ok) model.addTokenPair(run, code.grant, scopes, reply.body, now())
  },

  async refresh(run, move) {
    const alive = run.refresh.filter(({ grant }) => model.isLive(run, grant))
    const held = pick(move.how === 7 || alive.length === 0 ? run.refresh : alive, move.at)
    if (!held) return
    const { grant } = held
    const scope = move.how === 8 ? 'points:read' : move.how === 9 ? 'points:transfer' : undefined
    const [body, refusal] = claim(move, grant.app, make.refreshRequest(grant.app, held.token))
    const reply = await anonymous.call(oauth.token, { body: { ...body, ...(scope !== undefined && { scope }) } })
    if (refusal) return agree(move, reply, 400, refusal)
    if (!model.isLive(run, grant)) return agree(move, reply, 400, 'invalid_grant')
    if (held.used && !model.isReplayable(held, now())) {
      grant.revoked = true
      return agree(move, reply, 400, 'invalid_grant', 'reuse')
    }
    if (!held.used && now() >= held.expires_at) return agree(move, reply, 400, 'invalid_grant', 'expired')
    const scopes = scope === undefined ? grant.scopes : [scope as Scope]
    if (!scopes.every((each) => grant.scopes.includes(each))) return agree(move, reply, 400, 'invalid_scope')
    if (held.used) {
      agree(move, reply, 200, undefined, 'same pair')
      const { access_token, refresh_token } = held.used
      return expect(reply.body).toMatchObject({ access_token, refresh_token })
    }
    agree(move, reply, 200)
    if (!reply.ok) return
    held.used = { at: now(), ...reply.body }
    model.addTokenPair(run, grant, scopes, reply.body, now())
  },

  async revoke(run, move) {
    const of_access = move.how % 2 === 0
    const held = of_access ? pick(run.access, move.at) : pick(run.refresh, move.at)
    if (!held) return
    const by_owner = move.how < 8
    const { client_id, client_secret } = apps.find((app) => (app === held.grant.app) === by_owner)!
    const reply = await anonymous.call(oauth.revoke, { body: { client_id, client_secret, token: held.token } })
    agree(move, reply, 200)
    if (!by_owner) return
    if ('revoked' in held) held.revoked = true
    else held.grant.revoked = true
  },

  async disconnect(run, move, app) {
    const reply = await run.user.api.call(oauth.disconnectApp, { params: { app_id: app.id } })
    if (run.suspended) return agree(move, reply, 401, 'invalid_token')
    if (!run.connected.has(app)) return agree(move, reply, 404, 'not_found')
    agree(move, reply, 200)
    model.invalidateAll(run, [app])
  },

  async rotate(_run, _move, app) {
    const params = { id: app.id }
    await app.owner.api.result(proveOwner, { body: { password: app.owner.password } })
    const { secrets } = await app.owner.api.result(listSecrets, { params })
    app.old_secret = app.client_secret
    app.client_secret = (await app.owner.api.result(createSecret, { params })).client_secret
    for (const { id } of secrets) await app.owner.api.result(deleteSecret, { params: { ...params, secret_id: id } })
  },

  async suspend(run, { how }) {
    const set = (suspended: boolean) => admin.result(updateUser, { params: { id: run.user.id }, body: { suspended } })
    if (!run.suspended) {
      await set(true)
      model.invalidateAll(run, apps)
      run.suspended = true
      if (how < 5) return
    }
    await set(false)
    run.suspended = false
    const { email, password } = run.user
    const { token } = await anonymous.result(login, { body: { email, password } })
    run.user = { ...run.user, token, api: anonymous.withToken(token) }
  },

  async approval(run, { how }, app) {
    const call = { params: { id: app.id }, body: {} }
    if (app.approved) {
      await admin.result(rejectApp, call)
      model.withdrawApproval(run, app)
      if (how < 5) return
    }
    await admin.result(approveApp, call)
    app.approved = true
  },

  async clock(_run, { how }) {
    plaza.clock.advance(pick(steps_of_time, how)!)
  },
}

/** Usually the right client; sometimes another app with valid credentials, or a deleted secret. */
function claim<Body extends { client_id: string; client_secret: string }>(move: Move, app: App, body: Body) {
  const other = apps.find((each) => each !== app)!
  if (move.how === 0)
    return [{ ...body, client_id: other.client_id, client_secret: other.client_secret }, 'invalid_grant'] as const
  if (move.how === 1) return [{ ...body, client_secret: app.old_secret }, 'invalid_client'] as const
  return [body, undefined] as const
}

/** Invariants that hold between any two calls. */
async function checkInvariants(run: ModelState, watched: readonly Access[]) {
  for (const { pairs } of run.codes) expect(pairs, 'I1: pairs of one code').toBeLessThanOrEqual(1)
  const unused = await plaza.db.sql`
    select g.id from refresh_tokens r join grants g on g.id = r.grant_id
     where g.user_id = ${run.user.id} and r.used_at is null group by g.id having count(*) > 1`
  expect(unused, 'I2: grants with more than one unused refresh token').toEqual([])
  await Promise.all(watched.map((access) => checkAccess(run, access)))
}

async function checkAccess(run: ModelState, access: Access) {
  const { token, grant, scopes, ended } = access
  const api = anonymous.withToken(token)
  const [told, called] = await Promise.all([
    anonymous.result(oauth.verifyToken, { body: { token } }),
    scopes.includes('profile:read') ? api.call(getExternalUser) : api.call(getPoints),
  ])
  if (ended) expect(told.active, 'I3: active after all of (user, app) ended').toBe(false)
  for (const scope of told.scopes ?? []) expect(grant.scopes, 'I4: scopes granted').toContain(scope)
  expect(called.ok, 'I5: the call is accepted exactly when introspection says active').toBe(told.active)
  expect(told.active).toBe(model.isActive(run, access, now()))
  if (told.active) expect(told.scopes).toEqual(scopes)
  access.seen_inactive = !told.active
}

const newApp = async (): Promise<App> => {
  const app = await make.someApp(plaza, { scopes: all_scopes })
  return { ...app, approved: true, epoch: 0, old_secret: 'never-a-secret' }
}
const apps: [App, App] = [await newApp(), await newApp()]

async function newRun(): Promise<ModelState> {
  for (const app of apps) {
    await admin.result(approveApp, { params: { id: app.id }, body: {} })
    app.approved = true
  }
  const user = await make.someUser(plaza)
  return { user, suspended: false, connected: new Set(), codes: [], access: [], refresh: [] }
}

/** A passing run is meaningful only if each of these occurred often. */
const worth_seeing = [
  'redeem 200',
  'redeem 400 invalid_grant replay',
  'refresh 200',
  'refresh 200 same pair',
  'refresh 400 invalid_grant reuse',
  'revoke 200',
]

test('D-25, D-26, D-36 to D-40: the token machine agrees with its model after every call, in any order', async () => {
  const property = fc.asyncProperty(moves, async (sequence) => {
    const run = await newRun()
    for (const each of [...opening, ...sequence]) {
      await play[each.kind](run, each, apps[each.app]!)
      await checkInvariants(
        run,
        run.access.filter(({ seen_inactive }) => !seen_inactive),
      )
    }
    await checkInvariants(run, run.access)
  })
  await fc.assert(property, { numRuns: 15, seed: 20261127 })
  expect([...seen]).toEqual(expect.arrayContaining(worth_seeing))
})
