import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { endSession, getSessionStatus } from '../../contract/external.ts'
import { listConnectedApps, refreshSession, revoke, token, verifyToken } from '../../contract/oauth.ts'
import { getAnalytics } from '../../contract/operators.ts'
import { race, sharedService } from '../test/harness.ts'
import { invalid_grant, outcome } from '../test/refusals.ts'
import { long_sign_ins } from '../test/settings.ts'
import * as make from '../test/world.ts'
import { purgeExpired } from './purge.service.ts'

const plaza = await sharedService(long_sign_ins)
const anonymous = new PlazaClient(plaza.url)
const day = 86_400

const redeem = (app: make.SomeApp, code: { code: string; code_verifier: string }) =>
  anonymous.call(token, { body: make.codeRequest(app, code) })
const refresh = (app: make.SomeApp, refresh_token: string) =>
  anonymous.call(token, { body: make.refreshRequest(app, refresh_token) })
const renewed = (app: make.SomeApp, refresh_token: string) =>
  anonymous.result(token, { body: make.refreshRequest(app, refresh_token) })
const verified = (access_token: string) => anonymous.result(verifyToken, { body: { token: access_token } })

const job = (name: string) => plaza.service.app.jobs.find((each) => each.name === name)!
const forget = () => job('oauth.forget_what_is_over').run({}, 'test')

/** The current grants of an app; the returned function counts their remaining rows of each kind. */
async function grantsOf(app: make.SomeApp) {
  const grants = await plaza.db.sql<{ id: string }>`select id from grants where app_id = ${app.id}`
  const ids = grants.map(({ id }) => id)
  return async () => {
    const [left] = await plaza.db.sql<Record<string, number>>`
      select (select count(*) from grants where id = any(${ids}::uuid[])) as grants,
             (select count(*) from authorization_codes where grant_id = any(${ids}::uuid[])) as codes,
             (select count(*) from access_tokens where grant_id = any(${ids}::uuid[])) as access_tokens,
             (select count(*) from refresh_tokens where grant_id = any(${ids}::uuid[])) as refresh_tokens,
             (select count(*) from app_sessions where grant_id = any(${ids}::uuid[])) as sessions,
             (select count(*) from session_tokens t join app_sessions s on s.id = t.session_id
               where s.grant_id = any(${ids}::uuid[])) as session_tokens`
    return left
  }
}
const nothing = { grants: 0, codes: 0, access_tokens: 0, refresh_tokens: 0, sessions: 0, session_tokens: 0 }

test('D-25: a code replayed with all proofs ends its grant days later too, and no other', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const code = await make.someCode(app, user)
  const issued = await anonymous.result(token, { body: make.codeRequest(app, code) })
  plaza.clock.advance(20 * day)
  await forget()
  const [next, other] = [await renewed(app, issued.refresh_token), await renewed(app, tokens.refresh_token)]
  plaza.clock.advance(20 * day)
  await forget()
  const [last, apart] = [await renewed(app, next.refresh_token), await renewed(app, other.refresh_token)]
  expect(outcome(await redeem(app, { ...code, code_verifier: 'a'.repeat(43) }))).toEqual(invalid_grant)
  expect((await verified(last.access_token)).active).toBe(true)
  expect(outcome(await redeem(app, code))).toEqual(invalid_grant)
  expect(await verified(last.access_token)).toEqual({ active: false, reason: 'revoked' })
  expect(outcome(await refresh(app, last.refresh_token))).toEqual(invalid_grant)
  expect((await verified(apart.access_token)).active).toBe(true)
})

test('D-26: a rotated refresh token ends its grant as long as that lives, and no other', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const other = await make.someTokens(plaza, app, user)
  let [newest, apart] = [tokens.refresh_token, other.refresh_token]
  for (let month = 0; month < 4; month++) {
    newest = (await renewed(app, newest)).refresh_token
    apart = (await renewed(app, apart)).refresh_token
    plaza.clock.advance(25 * day)
    await forget()
  }
  const alive = await renewed(app, newest)
  expect(outcome(await refresh(app, tokens.refresh_token))).toEqual(invalid_grant)
  expect(await verified(alive.access_token)).toEqual({ active: false, reason: 'revoked' })
  expect(outcome(await refresh(app, alive.refresh_token))).toEqual(invalid_grant)
  await renewed(app, apart)
})

test('D-21: a grant that is not refreshed is purged a day after its refresh token expired; what users see stays', async () => {
  const { user, app, tokens } = await make.world(plaza, { scopes: ['app:balance:read'] })
  const mine = await make.someTokens(plaza, app, app.owner)
  const kept = await make.world(plaza)
  const second = await renewed(app, tokens.refresh_token)
  const [left, left_of_kept] = [await grantsOf(app), await grantsOf(kept.app)]
  plaza.clock.advance(20 * day)
  await forget()
  expect(await left()).toEqual({ ...nothing, grants: 2, codes: 2, refresh_tokens: 3, sessions: 2 })
  const third = await renewed(kept.app, kept.tokens.refresh_token)
  const shown = async () => [await user.api.result(listConnectedApps), await plaza.db.sql`select * from app_users`]
  await plaza.service.app.last_uses.flush()
  const before = await shown()
  plaza.clock.advance(11 * day + 1)
  await forget()
  expect(await left()).toEqual(nothing)
  expect(await left_of_kept()).toEqual({ ...nothing, grants: 1, codes: 1, refresh_tokens: 2, sessions: 1 })
  for (const { refresh_token } of [tokens, second, mine])
    expect(outcome(await refresh(app, refresh_token))).toEqual(invalid_grant)
  expect(await verified(second.access_token)).toEqual({ active: false, reason: 'unknown' })
  expect(await shown()).toEqual(before)
  await renewed(kept.app, third.refresh_token)
})

test('D-49: analytics are the same after grants were purged', async () => {
  const { app } = await make.world(plaza, { scopes: ['app:balance:read'] })
  const told = async () => {
    const { api } = await make.someTokens(plaza, app, app.owner)
    return api.result(getAnalytics)
  }
  const before = await told()
  const left = await grantsOf(app)
  plaza.clock.advance(32 * day)
  await forget()
  expect(await left()).toEqual(nothing)
  expect(await told()).toEqual(before)
})

test('D-40: a revoked grant goes with its rows when its refresh token would have run out', async () => {
  const { app, tokens } = await make.world(plaza)
  const second = await renewed(app, tokens.refresh_token)
  const left = await grantsOf(app)
  const { client_id, client_secret } = app
  await anonymous.call(revoke, { body: { client_id, client_secret, token: second.refresh_token } })
  await forget()
  expect(await verified(second.access_token)).toEqual({ active: false, reason: 'revoked' })
  plaza.clock.advance(32 * day)
  await forget()
  expect(await left()).toEqual(nothing)
})

test('D-38: a session that its app renews outlives the refresh token, and its grant is purged after its end', async () => {
  const { app, tokens } = await make.world(plaza)
  const left = await grantsOf(app)
  let session_token = tokens.session_token
  const keepUp = async () => {
    const reply = await anonymous.call(refreshSession, { body: { token: session_token } })
    if (!reply.ok) throw new Error('the session ended')
    session_token = reply.body.session_token
  }
  const { sql } = plaza.db
  // As if the app had renewed it continually.
  const stretch = (days: number) => sql`
    with session as (update app_sessions set expires_at = expires_at + ${days} * interval '1 day' where app_id = ${app.id} returning id)
    update session_tokens t set expires_at = expires_at + ${days} * interval '1 day' from session s where t.session_id = s.id`
  await stretch(40)
  plaza.clock.advance(40 * day)
  await forget()
  await keepUp()
  expect(await left()).toMatchObject({ grants: 1, sessions: 1 })
  plaza.clock.advance(day - 1)
  await forget()
  expect(await left()).toMatchObject({ grants: 1, sessions: 1 })
  plaza.clock.advance(day)
  await forget()
  expect(await left()).toEqual(nothing)
})

test('D-37: a grant is not purged before an access token that outlives its refresh token', async () => {
  const { user, app } = await make.world(plaza)
  const long = await plaza.startAnother({ ACCESS_TOKEN_TTL: String(60 * day) })
  const tokens = await make.someTokens(long, app, user)
  const left = await grantsOf(app)
  plaza.clock.advance(40 * day)
  await forget()
  expect((await verified(tokens.access_token)).active).toBe(true)
  expect((await tokens.api.result(getSessionStatus)).session_active).toBe(false)
  expect((await tokens.api.call(endSession)).status).toBe(404)
  plaza.clock.advance(20 * day)
  await forget()
  expect(await verified(tokens.access_token)).toEqual({ active: false, reason: 'expired' })
  plaza.clock.advance(day + 1)
  await forget()
  expect(await left()).toEqual(nothing)
})

test('a grant with more rotations than a batch is purged in several; batches of two processes do not conflict', async () => {
  const [often, once] = [await make.world(plaza), await make.world(plaza)]
  let newest = often.tokens.refresh_token
  for (let at = 0; at < 12; at++) newest = (await renewed(often.app, newest)).refresh_token
  const [left_of_often, left_of_once] = [await grantsOf(often.app), await grantsOf(once.app)]
  plaza.clock.advance(32 * day)
  const alive = await make.world(plaza)
  const other = await plaza.startAnother()
  await Promise.all([
    ...[plaza, other, plaza, other].map(({ db, clock }) => purgeExpired({ db, clock: clock.now }, { rows_max: 5 })),
    race(plaza, 10, () => refresh(alive.app, alive.tokens.refresh_token)),
  ])
  await purgeExpired({ db: plaza.db, clock: plaza.clock.now }, { rows_max: 5 })
  expect([await left_of_often(), await left_of_once()]).toEqual([nothing, nothing])
  expect((await renewed(alive.app, alive.tokens.refresh_token)).refresh_token).toMatch(/^plz_rt_/)
})

test('one run purges all expired codes and tokens, however many, and unused codes too', async () => {
  const { user, app } = await make.world(plaza)
  const unused = await make.someCode(app, user)
  const hash = `sha256(('of long ago ' || n)::text::bytea)`
  const long_ago = `timestamptz '2000-01-01'`
  const many = `generate_series(1, 12000) n`
  const fill = (text: string) => plaza.db.pool.query(text)
  await fill(`insert into authorization_codes
    (code_hash, user_id, app_id, scopes, redirect_uri, code_challenge, approval_epoch, inserted_at, expires_at)
    select ${hash}, '${user.id}', '${app.id}', '{}', '', '', 0, ${long_ago}, ${long_ago} from ${many}`)
  await fill(`with g as materialized (select gen_random_uuid() as id, n from ${many}), s as (
      insert into app_sessions (id, grant_id, user_id, app_id, inserted_at, expires_at, last_heartbeat_at)
      select gen_random_uuid(), id, '${user.id}', '${app.id}', ${long_ago}, ${long_ago}, ${long_ago} from g returning id
    ), st as (
      insert into session_tokens (token_hash, session_id, expires_at) select sha256(id::text::bytea), id, ${long_ago} from s
    ), a as (
      insert into access_tokens (token_hash, grant_id, user_id, app_id, scopes, inserted_at, expires_at)
      select ${hash}, id, '${user.id}', '${app.id}', '{}', ${long_ago}, ${long_ago} from g
    ), r as (
      insert into refresh_tokens (token_hash, grant_id, inserted_at, expires_at)
      select ${hash}, id, ${long_ago}, ${long_ago} from g
    )
    insert into grants (id, user_id, app_id, scopes, approval_epoch, inserted_at)
    select id, '${user.id}', '${app.id}', '{}', 0, ${long_ago} from g`)
  await forget()
  const [left] = await plaza.db.sql<Record<string, number>>`
    select (select count(*) from authorization_codes where expires_at < '2001-01-01') as codes,
           (select count(*) from access_tokens where expires_at < '2001-01-01') as access_tokens,
           (select count(*) from refresh_tokens where expires_at < '2001-01-01') as refresh_tokens,
           (select count(*) from app_sessions where expires_at < '2001-01-01') as sessions,
           (select count(*) from session_tokens where expires_at < '2001-01-01') as session_tokens,
           (select count(*) from grants where inserted_at < '2001-01-01') as grants`
  expect(left).toEqual(nothing)
  const pending = async () =>
    (await plaza.db.sql`select 1 from authorization_codes where app_id = ${app.id} and used_at is null`).length
  expect(await pending()).toBe(1)
  plaza.clock.advance(day + 601)
  await forget()
  expect(await pending()).toBe(0)
  expect(outcome(await redeem(app, unused))).toEqual(invalid_grant)
})

test('D-26: all successors are wiped at most a minute after the replay window, however many', async () => {
  const { app, tokens } = await make.world(plaza)
  await renewed(app, tokens.refresh_token)
  const sealed = async () =>
    (await plaza.db.sql`select 1 from refresh_tokens where sealed_successor is not null`).length
  await plaza.db.sql`
    insert into refresh_tokens (token_hash, grant_id, inserted_at, expires_at, used_at, sealed_successor)
    select sha256(('sealed ' || n)::text::bytea), gen_random_uuid(), ${plaza.clock.now()}, ${plaza.clock.now()},
           ${plaza.clock.now()}, '\\x00'
      from generate_series(1, 12000) n`
  const wipe = job('oauth.wipe_successors')
  expect(wipe.cron).toBe('* * * * *')
  plaza.clock.advance(30)
  const next = await make.world(plaza)
  await renewed(next.app, next.tokens.refresh_token)
  await wipe.run({}, 'test')
  expect(await sealed()).toBeGreaterThan(12_000)
  plaza.clock.advance(1)
  await wipe.run({}, 'test')
  expect(await sealed()).toBe(1)
})
