import { expect, test } from 'vitest'
import { changePassword, disableTotp, enableTotp, endOtherLoginSessions, setupTotp } from '../../contract/accounts.ts'
import { changeEmail, changeUsername, confirmEmail, renewRecoveryCodes } from '../../contract/account-upkeep.ts'
import { awardPoints, updateUser } from '../../contract/admin.ts'
import { rejectApp } from '../../contract/admin-apps.ts'
import { PlazaClient, type Reply } from '../../contract/client.ts'
import type { FailureCode } from '../../contract/errors.ts'
import { captureHold, createHold, createRefund, voidHold } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import {
  createApp,
  createSecret,
  deleteSecret,
  listSecrets,
  requestScopes,
  updateMyApp,
} from '../../contract/oauth-apps.ts'
import { disconnectApp, setDailyLimit } from '../../contract/oauth.ts'
import { createWebhook } from '../../contract/webhooks.ts'
import { updateOperatorApp } from '../../contract/operators.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { enableTwoFactor, totpCode } from '../test/two-factor.ts'
import { waitUntil } from '../test/wait.ts'
import { givePoints, someApp, someTokens, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()

type Answered = Promise<Reply<Declaration>>

/** The rows of all tables, except ended credentials and attempts at codes, which count even if the call fails. */
async function written() {
  const { login_sessions: _, grants: __, ...tables } = await digestTables(plaza)
  return tables
}

/** Runs `call` while a transaction that ends a credential is uncommitted, and commits it when the call waits for it. */
async function callDuring(ending: string, id: string, call: () => Answered) {
  const client = await plaza.db.pool.connect()
  try {
    await client.query('begin')
    await client.query(ending, [id])
    let is_answered = false
    const reply = call().finally(() => (is_answered = true))
    const waits = async () =>
      (
        await plaza.db.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`
      ).length > 0
    await waitUntil(async () => is_answered || (await waits()), 'the call to wait for the lock')
    await client.query('commit')
    return await reply
  } finally {
    client.release()
  }
}

async function ledgerTables() {
  const { transfers, point_accounts, holds, idempotency_keys } = await digestTables(plaza)
  return { transfers, point_accounts, holds, idempotency_keys }
}

const session_ends = 'update login_sessions set ended_at = now() where user_id = $1'

type Prepared = () => Answered
const changes: Record<string, (user: SomeUser) => Promise<Prepared>> = {
  'a new password': async ({ api, password }) => {
    const body = { current_password: password, new_password: 'quite another password' }
    return () => api.call(changePassword, { body })
  },
  'another address': async ({ api, password }) => {
    return () => api.call(changeEmail, { body: { email: `new-${Date.now()}@people.test`, password } })
  },
  'another name': async ({ api, password, username }) => {
    return () => api.call(changeUsername, { body: { username: `${username}x`, password } })
  },
  'the end of the second factor': async (user) => {
    const { recovery_codes } = await enableTwoFactor(plaza, user)
    const body = { password: user.password, totp_code: recovery_codes[0]! }
    return () => user.api.call(disableTotp, { body })
  },
  'new recovery codes': async (user) => {
    const { recovery_codes } = await enableTwoFactor(plaza, user)
    const body = { password: user.password, totp_code: recovery_codes[0]! }
    return () => user.api.call(renewRecoveryCodes, { body })
  },
  'the end of other sessions': async ({ api }) => {
    return () => api.call(endOtherLoginSessions)
  },
  'the end of the account': async ({ api, password }) => {
    return () => api.call(deleteAccount, { body: { password } })
  },
  'a new app': async ({ api }) => {
    return () => api.call(createApp, { body: { app_name: 'Late', redirect_uris: ['https://late.test/cb'] } })
  },
  'another redirect URI': async (owner) => {
    const app = await someApp(plaza, { owner })
    return () =>
      owner.api.call(updateMyApp, { params: { id: app.id }, body: { redirect_uris: ['https://thief.test/cb'] } })
  },
  'a scope request': async (owner) => {
    const app = await someApp(plaza, { owner })
    return () =>
      owner.api.call(requestScopes, { params: { id: app.id }, body: { requested_scopes: ['deploy:manage'] } })
  },
  'a new secret': async (owner) => {
    const app = await someApp(plaza, { owner })
    return () => owner.api.call(createSecret, { params: { id: app.id } })
  },
  'the end of a secret': async (owner) => {
    const { id } = await someApp(plaza, { owner })
    const { secrets } = await owner.api.result(listSecrets, { params: { id } })
    return () => owner.api.call(deleteSecret, { params: { id, secret_id: secrets[0]!.id } })
  },
  'a new webhook': async (owner) => {
    const { id } = await someApp(plaza, { owner })
    return () => owner.api.call(createWebhook, { params: { id }, body: { url: 'http://127.0.0.1:9/hook' } })
  },
  'another limit for an app': async (user) => {
    const app = await someApp(plaza)
    await someTokens(plaza, app, user)
    return () => user.api.call(setDailyLimit, { params: { app_id: app.id }, body: { daily_limit: null } })
  },
  'the end of a connection': async (user) => {
    const app = await someApp(plaza)
    await someTokens(plaza, app, user)
    return () => user.api.call(disconnectApp, { params: { app_id: app.id } })
  },
}

/** Counts attempts at a code and uses up codes before the change. */
const counts_first = ['the end of the second factor', 'new recovery codes']

test.each(Object.entries(changes))(
  'D-120: %s: not made when the session of its caller ends at the same time',
  async (name, prepare) => {
    const user = await someUser(plaza)
    const call = await prepare(user)
    const { users, recovery_codes, ...before } = await written()
    const reply = await callDuring(session_ends, user.id, call)
    expect(outcome(reply)).toEqual(refused('invalid_token'))
    const after = await written()
    expect(after).toMatchObject(before)
    if (!counts_first.includes(name)) expect(after).toMatchObject({ users, recovery_codes })
  },
)

test('D-120: the second factor cannot be ended concurrently either, nor can the address whose code was mailed', async () => {
  const user = await someUser(plaza)
  const { secret } = await user.api.result(setupTotp)
  const enable = () => user.api.call(enableTotp, { body: { code: totpCode(plaza.clock, secret) } })
  expect(outcome(await callDuring(session_ends, user.id, enable))).toEqual(refused('invalid_token'))

  const other = await someUser(plaza)
  const email = `new-${other.email}`
  await other.api.result(changeEmail, { body: { email, password: other.password } })
  const code = /\b\d{6}\b/.exec(await plaza.mailTo(email))![0]
  const confirm = () => other.api.call(confirmEmail, { body: { code } })
  expect(outcome(await callDuring(session_ends, other.id, confirm))).toEqual(refused('invalid_token'))
  const rows = await plaza.db.sql<{ id: string }>`
    select id from users where id in (${user.id}, ${other.id}) and (totp_secret is not null or email = ${email})`
  expect(rows).toEqual([])
})

test('D-120: what the owner of an app changes by a token whose connection ends at the same time, neither', async () => {
  const app = await someApp(plaza, { scopes: ['app:balance:read'] })
  const { api } = await someTokens(plaza, app, app.owner, ['app:balance:read'])
  const body = { redirect_uris: ['https://thief.test/cb'] }
  const before = await written()
  const reply = await callDuring('update grants set revoked_at = now() where user_id = $1', app.owner.id, () =>
    api.call(updateOperatorApp, { body }),
  )
  expect(outcome(reply)).toEqual(refused('invalid_token'))
  const { connections: _, ...rest } = await written()
  expect(before).toMatchObject(rest)
})

const deposits: Record<string, [settled: 'refund' | 'capture' | 'void', ending: string, failure: FailureCode]> = {
  'a refund by a secret': ['refund', 'delete from app_secrets where app_id = $1', 'client_unauthorized'],
  'a capture by a secret': ['capture', 'delete from app_secrets where app_id = $1', 'client_unauthorized'],
  'a void by a secret': ['void', 'delete from app_secrets where app_id = $1', 'client_unauthorized'],
  'a capture of an app whose approval': [
    'capture',
    "update oauth_apps set status = 'rejected' where id = $1",
    'client_not_approved',
  ],
}
test.each(Object.entries(deposits))(
  'D-120: %s that ends while the ledger waits: nothing is booked',
  async (_, [settled, ending, failure]) => {
    const [user, app] = [await someUser(plaza), await someApp(plaza, { scopes: ['points:spend'] })]
    await givePoints(plaza, user, 50)
    const { api } = await someTokens(plaza, app, user, ['points:spend'])
    const { client_id, client_secret } = app
    const basic = new PlazaClient(plaza.url, { client_id, client_secret })
    const { transfer_id } = await api.result(spendPoints, { body: { amount: 10, description: 'a game' } })
    const { hold } = await api.result(createHold, { body: { amount: 20 } })
    const params = { id: hold.id }
    const calls = {
      refund: () => basic.call(createRefund, { body: { transfer_id } }),
      capture: () => basic.call(captureHold, { params, body: {} }),
      void: () => basic.call(voidHold, { params }),
    }
    const before = await ledgerTables()
    const busy = `with busy as materialized (select from point_accounts where id in ($1, '${user.id}') for update), ended as (${ending} returning 1) select (select count(*) from busy), (select count(*) from ended)`
    expect(outcome(await callDuring(busy, app.id, calls[settled]))).toEqual(refused(failure))
    expect(await ledgerTables()).toEqual(before)
  },
)

const demotion = `update users set admin_roles = '{auditor}' where id = $1`
const acts: Record<string, (admin: SomeUser, person: SomeUser) => Promise<Prepared>> = {
  'making oneself an admin again': async ({ id, api }) => {
    return () => api.call(updateUser, { params: { id }, body: { is_admin: true } })
  },
  'a suspension': async ({ api }, { id }) => {
    return () => api.call(updateUser, { params: { id }, body: { suspended: true } })
  },
  'an award': async ({ api }, { id }) => {
    return () => api.call(awardPoints, { body: { user_id: id, amount: 5 } })
  },
  'the rejection of an app': async ({ api }, owner) => {
    const { id } = await someApp(plaza, { owner })
    return () => api.call(rejectApp, { params: { id }, body: { reason: 'over' } })
  },
}
test.each(Object.entries(acts))(
  'D-120: %s: not done when the right of the admin ends at the same time',
  async (_, prepare) => {
    const [admin, person] = [await someUser(plaza), await someUser(plaza)]
    await (await theAdmin(plaza)).api.result(updateUser, { params: { id: admin.id }, body: { is_admin: true } })
    const call = await prepare(admin, person)
    const { users: __, ...before } = await written()
    expect(outcome(await callDuring(demotion, admin.id, call))).toMatchObject([403, { error: 'role_required' }])
    expect(await written()).toMatchObject(before)
    const admins = await plaza.db.sql`select from users where id = ${admin.id} and 'administrator' = any(admin_roles)`
    expect(admins).toEqual([])
  },
)
