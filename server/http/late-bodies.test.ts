import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { changePassword, logout, me } from '../../contract/accounts.ts'
import { setAdminRoles, updateUser } from '../../contract/admin.ts'
import { rejectApp } from '../../contract/admin-apps.ts'
import { PlazaClient } from '../../contract/client.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { failures, publicError, type FailureCode } from '../../contract/errors.ts'
import { mcp_path } from '../../contract/mcp.ts'
import { createSecret, deleteSecret, listSecrets, updateMyApp } from '../../contract/oauth-apps.ts'
import { disconnectApp, revoke } from '../../contract/oauth.ts'
import { operations } from '../../contract/operations.ts'
import { requestable_scopes } from '../../contract/kinds/scopes.ts'
import { startTestService } from '../test/harness.ts'
import { halfSend } from '../test/half-sent.ts'
import { allowHosting } from '../test/hosting-world.ts'
import { digestTables } from '../test/table-digests.ts'
import { basicOf, givePoints, raw, signedInAgain, someApp, someTokens, someUser, theAdmin } from '../test/world.ts'
import type { JsonSchema } from './json-schema.ts'
import { exampleOf } from './schema-example.ts'

const plaza = await startTestService({}, { body_seconds: 60 })
/** The process in which credentials end. */
const other = await plaza.startAnother()
const admin = await theAdmin(other)
const anonymous = new PlazaClient(other.url)

interface Credential {
  authorization: string
  /** Ends the credential, in the other process. */
  end(): Promise<unknown>
}

const of_app = requestable_scopes

const someSession = async (isEnded: (user: Awaited<ReturnType<typeof someUser>>) => Promise<unknown>) => {
  const user = await someUser(other)
  return { authorization: `Bearer ${user.token}`, end: () => isEnded(user) }
}

/** An app with every scope that acts for its owner. */
async function someActingApp(resource?: string) {
  const app = await someApp(other, { scopes: of_app.filter((scope) => scope !== 'deploy:manage') })
  await allowHosting(other, app)
  const tokens = await someTokens(other, app, app.owner, of_app, resource)
  return { app, tokens, authorization: `Bearer ${tokens.access_token}` }
}

const update = (id: string, body: { suspended?: boolean; is_admin?: boolean }) =>
  admin.api.result(updateUser, { params: { id }, body })

async function someAdmin() {
  const user = await someUser(other)
  await update(user.id, { is_admin: true })
  return user
}

/** Each kind of credential with each way to end it, and the error of a later call. */
const kinds: Record<
  string,
  { of: (auth: Declaration['auth']) => boolean; code: FailureCode; make(): Promise<Credential> }
> = {
  'a session that was signed out': {
    of: (auth) => auth === 'user',
    code: 'invalid_token',
    make: () => someSession((user) => user.api.result(logout)),
  },
  'a session of a person who is suspended': {
    of: (auth) => auth === 'user',
    code: 'invalid_token',
    make: () => someSession((user) => update(user.id, { suspended: true })),
  },
  'a session that a new password has ended': {
    of: (auth) => auth === 'user',
    code: 'invalid_token',
    make: () =>
      someSession(async (user) => {
        const again = await signedInAgain(other, user)
        const body = { current_password: user.password, new_password: 'quite another password' }
        await again.api.result(changePassword, { body })
      }),
  },
  'a session of an admin who got another role (D-135)': {
    of: (auth) => auth === 'admin',
    code: 'role_required',
    make: async () => {
      const user = await someAdmin()
      const body = { roles: ['auditor' as const], reason: 'other duties' }
      const end = () => admin.api.result(setAdminRoles, { params: { id: user.id }, body })
      return { authorization: `Bearer ${user.token}`, end }
    },
  },
  'a session of an admin who is suspended': {
    of: (auth) => auth === 'admin',
    code: 'invalid_token',
    make: async () => {
      const user = await someAdmin()
      return { authorization: `Bearer ${user.token}`, end: () => update(user.id, { suspended: true }) }
    },
  },
  'a token of an app that is disconnected': {
    of: (auth) => typeof auth === 'object',
    code: 'invalid_token',
    make: async () => {
      const { app, authorization } = await someActingApp()
      return { authorization, end: () => app.owner.api.result(disconnectApp, { params: { app_id: app.id } }) }
    },
  },
  'a token of an agent whose app is disconnected': {
    of: (auth) => auth === 'agent',
    code: 'invalid_token',
    make: async () => {
      const { app, authorization } = await someActingApp(plaza.url + mcp_path)
      return { authorization, end: () => app.owner.api.result(disconnectApp, { params: { app_id: app.id } }) }
    },
  },
  'a token that is revoked': {
    of: (auth) => typeof auth === 'object',
    code: 'invalid_token',
    make: async () => {
      const { app, tokens, authorization } = await someActingApp()
      const body = { token: tokens.access_token, client_id: app.client_id, client_secret: app.client_secret }
      return { authorization, end: () => anonymous.result(revoke, { body }) }
    },
  },
  'a token of a person who is suspended': {
    of: (auth) => typeof auth === 'object',
    code: 'invalid_token',
    make: async () => {
      const { app, authorization } = await someActingApp()
      return { authorization, end: () => update(app.owner.id, { suspended: true }) }
    },
  },
  'a token that has lost its scope': {
    of: (auth) => typeof auth === 'object' && auth.scope !== 'profile:read',
    code: 'insufficient_scope',
    make: async () => {
      const { app, authorization } = await someActingApp()
      const body = { allowed_scopes: ['profile:read' as const] }
      return { authorization, end: () => app.owner.api.result(updateMyApp, { params: { id: app.id }, body }) }
    },
  },
  'a secret that is deleted': {
    of: (auth) => auth === 'client' || (typeof auth === 'object' && auth.or_client === true),
    code: 'client_unauthorized',
    make: async () => {
      const { app } = await someActingApp()
      const { api } = app.owner
      await api.result(createSecret, { params: { id: app.id } })
      const { secrets } = await api.result(listSecrets, { params: { id: app.id } })
      const secret_id = secrets.at(-1)?.id ?? ''
      return {
        authorization: basicOf(app),
        end: () => api.result(deleteSecret, { params: { id: app.id, secret_id } }),
      }
    },
  },
  'a secret of an app that is rejected': {
    of: (auth) => typeof auth === 'object' && auth.or_client === true,
    code: 'client_not_approved',
    make: async () => {
      const { app } = await someActingApp()
      const end = () => admin.api.result(rejectApp, { params: { id: app.id }, body: { reason: 'over' } })
      return { authorization: basicOf(app), end }
    },
  },
}

/** A call with the example values of the reference. */
function exampleCall({ method, path, body, params }: Declaration, authorization: string) {
  const values = (params ? exampleOf(params as TSchema as JsonSchema) : {}) as Record<string, string>
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? '')),
    authorization,
    body: body ? exampleOf(body as JsonSchema) : {},
  }
}

/** The rows of all tables; a call that lacks a scope counts as a use of its connection (D-38). */
async function written(code: FailureCode) {
  await other.service.app.last_uses.flush()
  const { connections, ...tables } = await digestTables(plaza)
  return code === 'insufficient_scope' ? tables : { connections, ...tables }
}

const withBody = Object.values(operations).filter(({ method }) => method !== 'GET')

test.each(Object.entries(kinds))(
  'D-120: %s: every operation refuses a body that is finished after its end in another process, and nothing is written',
  async (_, kind) => {
    const endpoints = withBody.filter(({ auth }) => kind.of(auth))
    expect(endpoints.length).toBeGreaterThan(0)
    const { authorization, end } = await kind.make()
    // The process has cached the credential.
    await raw(plaza, 'GET', me.path, { headers: { authorization } })
    const calls = await Promise.all(
      endpoints.map(async (endpoint) => ({
        endpoint,
        call: await halfSend(plaza, exampleCall(endpoint, authorization)),
      })),
    )
    await end()
    const before = await written(kind.code)
    for (const { endpoint, call } of calls) {
      const { status, message } = failures[kind.code]
      const role = kind.code === 'role_required' && { role: endpoint.admin_roles?.[0] }
      const body = { error: publicError(kind.code), message, ...role }
      const answer = await call.finish()
      expect([endpoint.method, endpoint.path, answer.status, answer.body]).toEqual([
        endpoint.method,
        endpoint.path,
        status,
        body,
      ])
    }
    expect(await written(kind.code)).toEqual(before)
  },
)

test('D-120: every operation with a credential and a body has a kind', () => {
  const missing = withBody.filter(({ auth }) => auth !== 'none' && !Object.values(kinds).some(({ of }) => of(auth)))
  expect(missing).toEqual([])
})

test('D-120: with a valid credential, a late body gets the same response as one sent with its head', async () => {
  const { app, authorization } = await someActingApp()
  await givePoints(plaza, app.owner, 10)
  const spend = { amount: 3, description: 'late' }
  const call = { method: 'POST', path: '/api/external/points/spend', authorization, body: spend }
  const answer = await (await halfSend(plaza, call)).finish()
  expect([answer.status, answer.body]).toMatchObject([200, { amount_spent: 3, points: 7 }])
})

const impatient = await plaza.startAnother({}, { body_seconds: 0.2 })
const slow = { errors: { detail: 'Request Timeout' } }
const slow_oauth = { error: 'invalid_request', error_description: 'Request Timeout' }
const cases: [name: string, path: string, body: unknown, expected: object][] = [
  ['an endpoint without a credential', '/api/auth/login', { email: 'a@b.test', password: 'wrong' }, slow],
  ['an endpoint with one', '/api/social/friends', { username: 'somebody' }, slow],
  ['an endpoint in the OAuth format, as JSON', '/api/oauth/token', { grant_type: 'refresh_token' }, slow_oauth],
  ['an endpoint in the OAuth format, as a form', '/api/oauth/token', 'grant_type=refresh_token', slow_oauth],
]
test.each(cases)(
  'D-120: a body that takes too long, %s: 408, and the connection is closed',
  async (_, path, body, expected) => {
    const { token } = await someUser(plaza)
    const authorization = `Bearer ${token}`
    const stalled = await halfSend(impatient, { method: 'POST', path, authorization, body })
    const trickled = await halfSend(impatient, { method: 'POST', path, authorization, body })
    const timer = setInterval(() => trickled.sendByte(1), 50)
    for (const call of [stalled, trickled]) {
      const answer = await call.closed()
      expect([answer.status, answer.body, answer.headers.connection]).toEqual([408, expected, 'close'])
    }
    clearInterval(timer)
  },
)

test('D-120: a call without a valid credential is refused before its body', async () => {
  const call = { method: 'POST', path: '/api/social/friends', authorization: 'Bearer nonsense', body: {} }
  const { status } = await (await halfSend(impatient, call)).finish()
  expect(status).toBe(401)
})
