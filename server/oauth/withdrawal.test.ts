import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { approveApp, rejectApp, updateUser } from '../../contract/admin.ts'
import { getExternalUser, getSessionStatus } from '../../contract/external.ts'
import { authorize, listConnectedApps, refreshSession, token, verifyToken } from '../../contract/oauth.ts'
import { sharedService } from '../test/harness.ts'
import { invalid_grant, outcome, refused } from '../test/refusals.ts'
import {
  authorizationQuery,
  pkce,
  codeRequest,
  refreshRequest,
  someApp,
  someCode,
  someTokens,
  someUser,
  theAdmin,
  type SomeUser,
} from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const user = await someUser(plaza)
const { code_challenge } = pkce()

/** A code not yet redeemed and tokens, of one app for one user, and a check that all of it is dead. */
async function access(someone: SomeUser) {
  const owned = await someApp(plaza)
  const tokens = await someTokens(plaza, owned, someone)
  const code = await someCode(owned, someone)
  const expectDead = async () => {
    expect(outcome(await anonymous.call(token, { body: codeRequest(owned, code) }))).toEqual(invalid_grant)
    const refresh = await anonymous.call(token, { body: refreshRequest(owned, tokens.refresh_token) })
    expect(outcome(refresh)).toEqual(invalid_grant)
    expect(outcome(await tokens.api.call(getExternalUser))).toEqual(refused('invalid_token'))
    const introspected = await anonymous.result(verifyToken, { body: { token: tokens.access_token } })
    expect(introspected).toEqual({ active: false, reason: 'revoked' })
    const session = await anonymous.call(refreshSession, { body: { token: tokens.session_token } })
    expect(outcome(session)).toEqual(refused('invalid_token'))
  }
  return { owned, tokens, expectDead }
}

test('D-40: withdrawing an approval ends codes, tokens and sessions; a new approval restores none of them', async () => {
  const { api } = await theAdmin(plaza)
  const { owned, tokens, expectDead } = await access(user)
  expect(await tokens.api.result(getSessionStatus)).toMatchObject({ session_active: true })
  const query = authorizationQuery(owned, code_challenge)
  await api.result(rejectApp, { params: { id: owned.id }, body: { reason: 'spam' } })
  await expectDead()
  expect(outcome(await user.api.call(authorize, { query }))).toEqual(refused('app_not_approved'))
  await api.result(approveApp, { params: { id: owned.id }, body: {} })
  await expectDead()
  expect((await user.api.call(authorize, { query })).status).toBe(200)
  expect((await (await someTokens(plaza, owned, user)).api.call(getExternalUser)).status).toBe(200)
})

test('D-40: approving an approved app again disturbs nothing', async () => {
  const { api } = await theAdmin(plaza)
  const { owned, tokens } = await access(user)
  await api.result(approveApp, { params: { id: owned.id }, body: { listed: true } })
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
})

test('D-40: suspending a user ends the access of apps; lifting the suspension restores none of it', async () => {
  const { api } = await theAdmin(plaza)
  const someone = await someUser(plaza)
  const { owned, expectDead } = await access(someone)
  const suspend = (suspended: boolean) => api.result(updateUser, { params: { id: someone.id }, body: { suspended } })
  await suspend(true)
  await expectDead()
  const query = authorizationQuery(owned, code_challenge)
  expect(outcome(await someone.api.call(authorize, { query }))).toEqual(refused('invalid_token'))
  await suspend(false)
  await expectDead()
  expect(outcome(await someone.api.call(listConnectedApps))).toEqual(refused('invalid_token'))
})
