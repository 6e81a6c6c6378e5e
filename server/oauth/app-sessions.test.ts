import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { endSession, getExternalUser, getSessionStatus } from '../../contract/external.ts'
import { refreshSession, token } from '../../contract/oauth.ts'
import { getPoints, spendPoints, transferPoints } from '../../contract/points.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import * as make from '../test/world.ts'
import { long_lifetimes } from '../test/settings.ts'
import { createLastUseRecorder } from './last-use.service.ts'

const plaza = await sharedService(long_lifetimes)
const anonymous = new PlazaClient(plaza.url)
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const none = { session_active: false, session_id: null, points_earned: null, last_heartbeat: null, is_alive: false }

const status = (tokens: make.SomeTokens) => tokens.api.result(getSessionStatus)
const renew = (session_token: string) => anonymous.call(refreshSession, { body: { token: session_token } })
const now = () => plaza.clock.now().toISOString()
/** Writes pending uses to the database, as the service does every few seconds. */
const flush = () => plaza.service.app.last_uses.flush()

test('spec Session status: all fields of a session that has just begun', async () => {
  const { tokens } = await make.world(plaza)
  const reply = await tokens.api.call(getSessionStatus)
  expect(outcome(reply)).toEqual([
    200,
    {
      session_active: true,
      session_id: expect.stringMatching(uuid),
      points_earned: 0,
      last_heartbeat: now(),
      is_alive: true,
    },
  ])
  expect((await status(tokens)).session_id).toBe((reply.body as { session_id: string }).session_id)
})

test('D-38: a session is alive 119 seconds after its last heartbeat and not at 120, but active all the while', async () => {
  const [early, late] = [await make.world(plaza), await make.world(plaza)]
  const begun = now()
  plaza.clock.advance(119)
  expect(await status(early.tokens)).toMatchObject({ session_active: true, last_heartbeat: begun, is_alive: true })
  plaza.clock.advance(1)
  expect(await status(late.tokens)).toMatchObject({ session_active: true, last_heartbeat: begun, is_alive: false })
})

test('D-38: the status is the one before the call, which is a heartbeat itself', async () => {
  const { tokens } = await make.world(plaza)
  plaza.clock.advance(200)
  expect(await status(tokens)).toMatchObject({ is_alive: false })
  const beat = now()
  expect(await status(tokens)).toMatchObject({ last_heartbeat: beat, is_alive: true })
  await flush()
  expect(await status(tokens)).toMatchObject({ last_heartbeat: beat, is_alive: true })
})

test('D-38: any call with the grant’s access token is a heartbeat, written or not', async () => {
  const { tokens } = await make.world(plaza, { scopes: ['profile:read', 'points:read'] })
  for (const [at, endpoint] of [getPoints, getExternalUser, getPoints].entries()) {
    plaza.clock.advance(100)
    await tokens.api.result(endpoint)
    const beat = now()
    if (at === 2) await flush()
    plaza.clock.advance(50)
    expect(await status(tokens)).toMatchObject({ last_heartbeat: beat, is_alive: true })
  }
})

test('D-38: a call refused for its scope is a heartbeat too, and the log names its caller', async () => {
  const { user, app, tokens } = await make.world(plaza)
  plaza.clock.advance(130)
  const reply = await tokens.api.call(getPoints)
  expect(outcome(reply)).toEqual(refused('insufficient_scope'))
  expect(await status(tokens)).toMatchObject({ last_heartbeat: now(), is_alive: true })
  const line = plaza
    .logged()
    .split('\n')
    .find((text) => text.includes(`"request_id":"${reply.headers.get('x-request-id')}"`))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    user_id: user.id,
    app_id: app.id,
    refusal: { code: 'insufficient_scope', scope: 'points:read' },
  })
})

test('D-38: a heartbeat counts while it is being written, too', async () => {
  const { tokens } = await make.world(plaza, { scopes: ['profile:read', 'points:read'] })
  plaza.clock.advance(150)
  await tokens.api.result(getPoints)
  const blocker = await plaza.db.pool.connect()
  try {
    await blocker.query('begin')
    await blocker.query('lock table app_sessions in exclusive mode')
    const flushed = flush()
    expect(await status(tokens)).toMatchObject({ last_heartbeat: now(), is_alive: true })
    await blocker.query('commit')
    await flushed
  } finally {
    blocker.release()
  }
  expect(await status(tokens)).toMatchObject({ last_heartbeat: now(), is_alive: true })
})

test('D-38: the heartbeat of one grant is not that of another, though user and app are the same', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const begun = now()
  const other = await make.someTokens(plaza, app, user)
  plaza.clock.advance(130)
  await other.api.result(getExternalUser)
  await flush()
  const [mine, theirs] = [await status(tokens), await status(other)]
  expect([mine.last_heartbeat, mine.is_alive, theirs.is_alive]).toEqual([begun, false, true])
  expect(mine.session_id).not.toBe(theirs.session_id)
})

test('D-10, D-38: a session refresh answers a new token with its end, and is a heartbeat', async () => {
  const { tokens } = await make.world(plaza)
  const { session_id } = await status(tokens)
  plaza.clock.advance(500)
  const reply = await renew(tokens.session_token)
  expect(outcome(reply)).toEqual([
    200,
    {
      session_token: expect.stringMatching(/^plz_st_[A-Za-z0-9_-]{43}$/),
      expires_at: new Date(plaza.clock.now().getTime() + 900_000).toISOString(),
    },
  ])
  expect((reply.body as { session_token: string }).session_token).not.toBe(tokens.session_token)
  expect(await status(tokens)).toMatchObject({ session_id, last_heartbeat: now(), is_alive: true })
})

test('D-38: a session ends when its session token expires, at exactly 900 seconds, also when it is in use', async () => {
  const { tokens } = await make.world(plaza)
  plaza.clock.advance(899)
  expect(await status(tokens)).toMatchObject({ session_active: true })
  plaza.clock.advance(1)
  expect(await status(tokens)).toEqual(none)
  expect(outcome(await renew(tokens.session_token))).toEqual(refused('invalid_token'))
  expect(await status(tokens)).toEqual(none)
})

test('D-10: the old session token stays valid until it expires, and never shortens the session', async () => {
  const { tokens } = await make.world(plaza)
  plaza.clock.advance(600)
  const second = await anonymous.result(refreshSession, { body: { token: tokens.session_token } })
  plaza.clock.advance(299)
  expect((await renew(tokens.session_token)).status).toBe(200)
  plaza.clock.advance(1)
  expect(outcome(await renew(tokens.session_token))).toEqual(refused('invalid_token'))
  plaza.clock.advance(599)
  expect((await renew(second.session_token)).status).toBe(200)
  expect(await status(tokens)).toMatchObject({ session_active: true })
})

test('D-10: 30 parallel session refreshes with one token all succeed, each with a token that works', async () => {
  const { tokens } = await make.world(plaza)
  const replies = await race(plaza, 30, () => renew(tokens.session_token))
  expect(countBy(replies, (reply) => reply.status)).toEqual({ 200: 30 })
  const issued = new Set(replies.flatMap((reply) => (reply.ok ? [reply.body.session_token] : [])))
  expect(issued.size).toBe(30)
  for (const session_token of issued) expect((await renew(session_token)).status).toBe(200)
})

test('D-10: no other secret and no nonsense renews a session', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const { code } = await make.someCode(app, user)
  const { access_token, refresh_token } = tokens
  for (const secret of [access_token, refresh_token, code, app.client_secret, 'plz_st_', 'x'])
    expect(outcome(await renew(secret))).toEqual(refused('invalid_token'))
})

test('spec Session end result: ends the session; the tokens stay valid, the session token does not', async () => {
  const { app, tokens } = await make.world(plaza)
  const { session_id } = await status(tokens)
  expect(outcome(await tokens.api.call(endSession))).toEqual([200, { message: 'The session is over.', session_id }])
  expect(await status(tokens)).toEqual(none)
  expect(outcome(await renew(tokens.session_token))).toEqual(refused('invalid_token'))
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
  const refreshed = await anonymous.call(token, { body: make.refreshRequest(app, tokens.refresh_token) })
  expect(refreshed.status).toBe(200)
})

test('D-38: ending a session gets 404 if there is none', async () => {
  const { tokens } = await make.world(plaza)
  const absent = refused('no_active_session')
  await tokens.api.result(endSession)
  expect(outcome(await tokens.api.call(endSession))).toEqual(absent)
  const quiet = await make.world(plaza)
  plaza.clock.advance(900)
  expect(outcome(await quiet.tokens.api.call(endSession))).toEqual(absent)
})

test('D-38: of 20 parallel calls that end one session, one does', async () => {
  const { tokens } = await make.world(plaza)
  const replies = await race(plaza, 20, () => tokens.api.call(endSession))
  expect(countBy(replies, (reply) => reply.status)).toEqual({ 200: 1, 404: 19 })
})

test('spec Authentication 6: the tokens of a refresh see the same session; a refresh begins none and revives none', async () => {
  const { app, tokens } = await make.world(plaza)
  const { session_id } = await status(tokens)
  const next = await anonymous.result(token, { body: make.refreshRequest(app, tokens.refresh_token) })
  expect(Object.keys(next)).not.toContain('session_token')
  const api = anonymous.withToken(next.access_token)
  expect(await api.result(getSessionStatus)).toMatchObject({ session_id })
  await api.result(endSession)
  const last = await anonymous.result(token, { body: make.refreshRequest(app, next.refresh_token) })
  expect(await anonymous.withToken(last.access_token).result(getSessionStatus)).toEqual(none)
})

test('D-38: points_earned counts what this app awarded this user since the session began, and nothing else', async () => {
  const scopes = ['profile:read', 'points:spend', 'points:transfer'] as const
  const { user, app, tokens } = await make.world(plaza, { points: 50, scopes: [...scopes] })
  const [other_app, friend] = [await make.someApp(plaza), await make.someUser(plaza)]
  await make.givePoints(plaza, user, 1000, app.id)
  plaza.clock.advance(1)
  const session = await make.someTokens(plaza, app, user)
  plaza.clock.advance(1)
  await make.givePoints(plaza, user, 7, app.id)
  await make.givePoints(plaza, user, 30, app.id)
  await make.givePoints(plaza, user, 200)
  await make.givePoints(plaza, user, 400, other_app.id)
  await make.givePoints(plaza, friend, 800, app.id)
  await tokens.api.result(spendPoints, { body: { amount: 5 } })
  await tokens.api.result(transferPoints, { body: { amount: 3, to_user_id: friend.id } })
  expect(await status(session)).toMatchObject({ points_earned: 37 })
  expect(await status(tokens)).toMatchObject({ points_earned: 1037 })
})

test('uses that cannot be written do not block others, and are tried again', async () => {
  const { user, app } = await make.world(plaza)
  const [connection] = await plaza.db.sql<{ grant_id: string }>`
    select grant_id from app_sessions where user_id = ${user.id} and app_id = ${app.id}`
  plaza.clock.advance(600)
  const uses = createLastUseRecorder(plaza.db, plaza.clock.now)
  const broken = Array.from({ length: 1_000 }, (_, at) => `no id ${at}`)
  for (const grant_id of broken) uses.record({ grant_id, user_id: user.id, app_id: app.id })
  const grant_id = connection?.grant_id ?? ''
  uses.record({ grant_id, user_id: user.id, app_id: app.id })
  await expect(uses.flush()).rejects.toThrow('invalid input syntax for type uuid')
  expect([uses.pending(grant_id), uses.pending('no id 0')]).toEqual([undefined, plaza.clock.now()])
  const [written] = await plaza.db.sql<{ last_used_at: Date }>`
    select last_used_at from connections where user_id = ${user.id} and app_id = ${app.id}`
  expect(written?.last_used_at).toEqual(plaza.clock.now())
})
