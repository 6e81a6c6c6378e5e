import { changeEmail, changeUsername } from '../../contract/account-upkeep.ts'
import { forgotPassword, login, register, setupTotp } from '../../contract/accounts.ts'
import { awardPoints } from '../../contract/admin.ts'
import { approveApp, denyScopeRequest, rejectApp } from '../../contract/admin-apps.ts'
import { PlazaClient } from '../../contract/client.ts'
import {
  addDirectReaction,
  editDirectMessage,
  readDirectMessages,
  sendDirectMessage,
} from '../../contract/conversations.ts'
import { createDeployment } from '../../contract/deployments.ts'
import { chooseLearningPath } from '../../contract/learning.ts'
import { authorize, setDailyLimit } from '../../contract/oauth.ts'
import { createReport } from '../../contract/moderation.ts'
import { createApp, createSecret, requestScopes, updateMyApp } from '../../contract/oauth-apps.ts'
import { captureHold, createHold } from '../../contract/payments.ts'
import { spendPoints, transferPoints } from '../../contract/points.ts'
import { requestPoints } from '../../contract/sending.ts'
import { announcePresence, blockUser, openChannel, requestFriend, sendMessage } from '../../contract/social.ts'
import { createWebhook, testWebhook } from '../../contract/webhooks.ts'
import { setEmailVerified } from '../accounts/store.ts'
import type { TestService } from './harness.ts'
import { allowHosting, any_image } from './hosting-world.ts'
import { befriend } from './social-world.ts'
import {
  authorizationQuery,
  givePoints,
  pkce,
  raw,
  someApp,
  someTokens,
  someUser,
  theAdmin,
  type SomeUser,
} from './world.ts'

/** The marker in all texts of the marked person, and the address of their sign-ins. */
export const marker = 'zqmarkerzq'
export const marked_address = '203.0.113.77'
const password = `password of ${marker}`

async function markedUser(plaza: TestService): Promise<SomeUser> {
  const anonymous = new PlazaClient(plaza.url)
  const first = { email: `${marker}@people.test`, username: `${marker}-first` }
  const { user } = await anonymous.result(register, { body: { ...first, password } })
  await setEmailVerified(plaza.db, user.id)
  await anonymous.result(login, { body: { email: first.email, password } })
  const reply = await raw(plaza, 'POST', '/api/auth/login', {
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': marked_address,
      'user-agent': `Browser of ${marker}`,
    },
    body: JSON.stringify({ email: first.email, password }),
  })
  const { token } = reply.body as { token: string }
  const api = anonymous.withToken(token)
  await api.result(changeUsername, { body: { username: marker, password } })
  await plaza.db.sql`
    insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, backed_up, name, inserted_at)
    values (gen_random_uuid(), ${user.id}, ${marker}::bytea, '\\x01', 0, '{}', false, ${`Phone of ${marker}`}, now())`
  await plaza.db.sql`
    insert into waiting_rewards (user_id, kind, amount, description, inserted_at)
    values (${user.id}, 'reward', 1, ${`Step of ${marker}`}, now())`
  return { ...first, username: marker, id: user.id, password, token, api }
}

/** A direct conversation with an edited message, a reaction, a read position and a reported text. */
async function writeDirectly(plaza: TestService, user: SomeUser) {
  const other = await someUser(plaza)
  await befriend(user, other)
  const [to_other, to_user] = [{ user_id: other.id }, { user_id: user.id }]
  const { id } = await user.api.result(sendDirectMessage, { params: to_other, body: { body: `first of ${marker}` } })
  await user.api.result(editDirectMessage, { params: { ...to_other, id }, body: { body: `second of ${marker}` } })
  await user.api.result(addDirectReaction, { params: { ...to_other, id, name: 'like' } })
  await user.api.result(readDirectMessages, { params: to_other, body: { message_id: id } })
  await other.api.result(createReport, { body: { message_id: id, reason: 'spam' } })
  await other.api.result(addDirectReaction, { params: { ...to_user, id, name: 'love' } })
}

/** Uses the marked person's app as an operator: name, links, webhook, deployment. */
async function operate(plaza: TestService, user: SomeUser) {
  const admin = await theAdmin(plaza)
  const { app } = await user.api.result(createApp, {
    body: {
      app_name: `App ${marker}`,
      app_description: `About ${marker}`,
      logo_url: `https://${marker}.test/logo.png`,
      website_url: `https://${marker}.test/`,
      redirect_uris: [`https://${marker}.test/cb`],
    },
  })
  await admin.api.result(rejectApp, { params: { id: app.id }, body: { reason: `No, ${marker}` } })
  await admin.api.result(approveApp, { params: { id: app.id }, body: { listed: true } })
  const made = { ...app, redirect_uri: `https://${marker}.test/cb`, owner: user }
  await allowHosting(plaza, made)
  await user.api.result(createSecret, { params: { id: app.id }, body: { name: `Key of ${marker}` } })
  const asked = { params: { id: app.id }, body: { requested_scopes: ['points:spend' as const] } }
  const denied = await user.api.result(requestScopes, asked)
  await admin.api.result(denyScopeRequest, {
    params: { id: denied.id },
    body: { reason: `Not for ${marker}` },
  })
  await user.api.result(requestScopes, asked)
  const other = await someUser(plaza)
  const customer = await someTokens(plaza, made, other)
  const { webhook } = await user.api.result(createWebhook, {
    params: { id: app.id },
    body: { url: `http://127.0.0.1:9/${marker}` },
    headers: { 'idempotency-key': `webhook ${marker}` },
  })
  await user.api.result(testWebhook, { params: { id: app.id, webhook_id: webhook.id } })
  const own = await someTokens(plaza, made, user, ['profile:read', 'deploy:manage'])
  const deployment = await own.api.result(createDeployment, {
    body: {
      subdomain: marker,
      image: `code.test/${marker}/web:1`,
      tier: 'standard',
      custom_domain: `${marker}.example.org`,
      env_vars: { [`NAME_${marker.toUpperCase()}`]: marker },
    },
  })
  await user.api.result(updateMyApp, { params: { id: app.id }, body: { app_description: `Still ${marker}` } })
  // A code that is never redeemed.
  await other.api.result(authorize, { query: authorizationQuery(made, pkce().code_challenge) })
  return { app: made, customer, deployment_id: deployment.id, denied_id: denied.id }
}

/** Lets another app act for the marked person: spends, holds and transfers that contain the person's words. */
async function pay(plaza: TestService, user: SomeUser) {
  const shop = await someApp(plaza, { scopes: ['profile:read', 'points:read', 'points:spend', 'points:transfer'] })
  await shop.owner.api.result(createWebhook, { params: { id: shop.id }, body: { url: 'http://127.0.0.1:9/shop' } })
  const tokens = await someTokens(plaza, shop, user, ['profile:read', 'points:read', 'points:spend', 'points:transfer'])
  const texts = { description: `For ${marker}`, reference: `order ${marker}`, metadata: { name: marker } }
  const key = { headers: { 'idempotency-key': `key ${marker}` } }
  const spent = await tokens.api.result(spendPoints, { body: { amount: 30, ...texts }, ...key })
  const friend = await someUser(plaza)
  await tokens.api.result(transferPoints, { body: { amount: 5, to_user_id: friend.id, description: `From ${marker}` } })
  const { description: _, ...names } = texts
  const { hold } = await tokens.api.result(createHold, { body: { amount: 20, ...names } })
  const captured = await tokens.api.result(createHold, { body: { amount: 10, ...names } })
  const basic = new PlazaClient(plaza.url, { client_id: shop.client_id, client_secret: shop.client_secret })
  await basic.result(captureHold, { params: { id: captured.hold.id }, body: {} })
  await user.api.result(setDailyLimit, { params: { app_id: shop.id }, body: { daily_limit: 500 } })
  return { shop, shop_api: basic, tokens, hold_id: hold.id, spent_id: spent.transfer_id }
}

/** Meets others: chat, friends, blocks, presence. */
async function meet(plaza: TestService, user: SomeUser) {
  const [friend, blocked] = [await someUser(plaza), await someUser(plaza)]
  const { id: channel_id } = await friend.api.result(openChannel, {
    body: { type: 'table', ref_id: 'a table of others' },
  })
  const body = (text: string) => ({ params: { channel_id }, body: { body: text } })
  await friend.api.result(sendMessage, body('before'))
  await user.api.result(sendMessage, { ...body(`I am ${marker}`), headers: { 'idempotency-key': `message ${marker}` } })
  await friend.api.result(sendMessage, body('after'))
  await writeDirectly(plaza, user)
  const report = (person_id: string) => ({
    body: { user_id: person_id, reason: 'spam' as const, note: `About ${marker}` },
  })
  await user.api.result(createReport, report(blocked.id))
  await blocked.api.result(createReport, report(user.id))
  await plaza.db.sql`
    insert into reported_pictures (case_id, picture_id, content)
    select id, id, ${marker}::bytea from moderation_cases where person_id = ${user.id} and message_id is null`
  await user.api.result(requestFriend, { body: { friend_id: friend.id } })
  await friend.api.result(requestFriend, { body: { friend_id: user.id } })
  for (const [asker, asked] of [
    [user, friend],
    [friend, user],
  ] as const)
    await asker.api.result(requestPoints, {
      body: { from_user_id: asked.id, amount: 7, description: `Lunch with ${marker}` },
    })
  await user.api.result(blockUser, { body: { user_id: blocked.id } })
  await user.api.result(announcePresence, { body: { game: `game ${marker}`, lobby: `lobby ${marker}` } })
  return { friend, channel_id }
}

/** A person who has entered the marker in every field that a person can fill in, together with all related objects. */
export async function markedPerson(plaza: TestService) {
  const user = await markedUser(plaza)
  await givePoints(plaza, user, 5_000)
  const admin = await theAdmin(plaza)
  await admin.api.result(awardPoints, { body: { user_id: user.id, amount: 1, description: `For ${marker}` } })
  const operated = await operate(plaza, user)
  const paid = await pay(plaza, user)
  const met = await meet(plaza, user)
  await user.api.result(chooseLearningPath, { body: { path: 'bitcoin-basics' } }).catch(() => {})
  await user.api.result(setupTotp)
  await user.api.result(changeEmail, { body: { email: `${marker}-new@people.test`, password } })
  await new PlazaClient(plaza.url).result(forgotPassword, { body: { email: user.email } })
  return { user, any_image, ...operated, ...paid, ...met }
}
