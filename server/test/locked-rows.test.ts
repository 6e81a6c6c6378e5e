import { expect, onTestFinished, test } from 'vitest'
import { createCampaign } from '../../contract/admin-campaigns.ts'
import { failures } from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'
import { sha256 } from '../platform/secrets.ts'
import { system_accounts } from '../points/rules.ts'
import { startTestService, type TestService } from './harness.ts'
import { someChannel } from './social-world.ts'
import {
  authorizationQuery,
  givePoints,
  pkce,
  pointsOf,
  raw,
  codeRequest,
  someApp,
  someCode,
  someTokens,
  someUser,
  theAdmin,
  type SomeApp,
  type SomeUser,
} from './world.ts'

const scopes: Scope[] = ['points:spend', 'points:read', 'profile:read']
const plaza = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const elsewhere = await plaza.startAnother()
const admin = await theAdmin(plaza)
const [anna, berta, carl] = [await someUser(plaza), await someUser(plaza), await someUser(plaza)]
const [app, other_app] = [await someApp(plaza, { scopes }), await someApp(plaza, { scopes })]
for (const user of [anna, berta, carl]) await givePoints(plaza, user, 1_000_000)

type Call = (process: TestService) => Promise<[number, unknown, string | null]>

const caller =
  (method: string, path: string, token: string | null, body?: object, headers: Record<string, string> = {}): Call =>
  async (process) => {
    const reply = await raw(process, method, path, {
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return [reply.status, reply.body, reply.headers.get('retry-after')]
  }
const { status, message } = failures.overloaded
const busy = [status, { error: 'overloaded', message }, '1']

/** Holds what this statement locks, as a process does that was frozen amid a transaction; ends it, or lets go when asked to. */
async function hold(text: string, values: unknown[]) {
  const holder = await plaza.db.pool.connect()
  await holder.query('begin')
  await holder.query(text, values)
  let let_go: Promise<unknown> | undefined
  const letGo = () => (let_go ??= holder.query('rollback').finally(() => holder.release()))
  onTestFinished(async () => void (await letGo()))
  return letGo
}

/**
 * Makes these calls in both processes without a pause, so many at least and until it is stopped; answers how long they took
 * and what failed.
 */
function load(calls: Call[], calls_min = 0) {
  let is_over = false
  const took: number[] = []
  const failed: unknown[] = []
  const worker = async (process: TestService, at: number) => {
    for (let n = at; !is_over || took.length < calls_min; n++) {
      const begun = performance.now()
      const answer = await calls[n % calls.length]!(process)
      took.push(performance.now() - begun)
      if (answer[0] >= 300) failed.push(answer)
    }
  }
  const workers = [plaza, elsewhere].flatMap((process) => [0, 1, 2, 3].map((at) => worker(process, at)))
  return async () => {
    is_over = true
    await Promise.all(workers)
    took.sort((a, b) => a - b)
    return { calls: took.length, p99: took[Math.floor(took.length * 0.99)] ?? 0, failed }
  }
}

interface Scene {
  lock: [text: string, values: unknown[]]
  stuck: Call
  others: Call[]
}

/**
 * Holds a lock: who needs it is told 503 after a bounded wait, in both processes, again and again; the others go on; and
 * once it is let go the stuck call succeeds.
 */
async function goesOn({ lock, stuck, others }: Scene) {
  const usual = await load(others, 100)()
  const stop = load(others)
  const letGo = await hold(...lock)
  const begun = performance.now()
  const refused = []
  for (let round = 0; round < 2; round++)
    refused.push(...(await Promise.all([plaza, elsewhere, plaza].map((process) => stuck(process)))))
  const waited = (performance.now() - begun) / 2
  const { calls, p99, failed } = await stop()
  expect(refused).toEqual(Array.from({ length: 6 }, () => busy))
  expect(waited).toBeLessThan(2_500)
  expect(failed).toEqual([])
  expect(p99).toBeLessThan(usual.p99 + 1_000)
  expect(calls).toBeGreaterThan(16)
  await letGo()
  expect((await stuck(plaza))[0]).toBeLessThan(300)
}

const spend = (access_token: string, headers: Record<string, string> = {}) =>
  caller('POST', '/api/external/points/spend', access_token, { amount: 1 }, headers)
const lockAccount = (id: string): [string, unknown[]] => [
  'update point_accounts set credited = credited where id = $1',
  [id],
]
const tokensOf = async (of: SomeApp, user: SomeUser) => (await someTokens(plaza, of, user, scopes)).access_token

test('a user’s account that is locked stops this user’s spends alone; the key of a refused spend stays usable', async () => {
  const tokens = await Promise.all([anna, berta, carl].map((user) => tokensOf(app, user)))
  const key = { 'idempotency-key': 'while-locked' }
  const points = await pointsOf(anna)
  await goesOn({
    lock: lockAccount(anna.id),
    stuck: spend(tokens[0]!, key),
    others: [spend(tokens[1]!), spend(tokens[2]!)],
  })
  expect((await spend(tokens[0]!, key)(elsewhere))[1]).toMatchObject({ points: points - 1 })
  expect(await pointsOf(anna)).toBe(points - 1)
}, 60_000)

test('an operator’s account that is locked stops the spends in this operator’s app alone', async () => {
  const [mine, others] = [
    await tokensOf(app, anna),
    [await tokensOf(other_app, anna), await tokensOf(other_app, berta)],
  ]
  await goesOn({ lock: lockAccount(app.id), stuck: spend(mine), others: others.map((token) => spend(token)) })
}, 60_000)

test('an award to a locked account keeps no other award waiting, and no spend', async () => {
  const award = (user: SomeUser) =>
    caller(
      'POST',
      '/api/admin/points/award',
      admin.token,
      { user_id: user.id, amount: 1 },
      { 'x-forwarded-for': '1.1.1.1' },
    )
  await goesOn({
    lock: lockAccount(anna.id),
    stuck: award(anna),
    others: [award(berta), award(carl), spend(await tokensOf(app, carl))],
  })
}, 60_000)

test('while the account that pays awards is locked, awards are told so and spends go on', async () => {
  await goesOn({
    lock: lockAccount(system_accounts.issuance),
    stuck: caller('POST', '/api/admin/points/award', admin.token, { user_id: anna.id, amount: 1 }),
    others: [spend(await tokensOf(app, berta)), spend(await tokensOf(app, carl))],
  })
}, 60_000)

test('the count of one address that is locked stops nobody else', async () => {
  const verify = (address: string) =>
    caller('POST', '/api/oauth/token/verify', null, { token: 'unknown' }, { 'x-forwarded-for': address })
  await verify('9.9.9.9')(plaza)
  await goesOn({
    lock: [`update rate_limits set count = count where key like '%token/verify%9.9.9.9'`, []],
    stuck: verify('9.9.9.9'),
    others: [verify('9.9.9.8'), verify('9.9.9.7')],
  })
}, 60_000)

test('a code, a connection, a user or an app’s count of users that is locked stops no other authorization', async () => {
  const whole =
    (user: SomeUser): Call =>
    async (process) => {
      const { code_verifier, code_challenge } = pkce()
      const query = new URLSearchParams({ ...authorizationQuery(app, code_challenge), scope: scopes.join(' ') })
      const asked = await caller('GET', `/api/oauth/authorize?${query.toString()}`, user.token)(process)
      if (asked[0] !== 200) return asked
      const { code } = asked[1] as { code: string }
      return caller('POST', '/api/oauth/token', null, codeRequest(app, { code, code_verifier }))(process)
    }
  const others = [whole(berta), whole(carl)]
  const code = await someCode(app, anna, scopes)
  const redeem = caller('POST', '/api/oauth/token', null, codeRequest(app, code))
  const as_oauth: Call = async (process) => {
    const answer = await redeem(process)
    return answer[0] === 503 ? [503, busy[1], answer[2]] : answer
  }
  await goesOn({
    lock: ['update authorization_codes set failed_tries = failed_tries where code_hash = $1', [sha256(code.code)]],
    stuck: as_oauth,
    others,
  })
  await goesOn({
    lock: ['update connections set last_used_at = now() where user_id = $1 and app_id = $2', [anna.id, app.id]],
    stuck: whole(anna),
    others,
  })
  await goesOn({ lock: ['update users set tier = tier where id = $1', [anna.id]], stuck: whole(anna), others })
}, 60_000)

test('a channel that is locked stops no other channel', async () => {
  const [here, there] = [await someChannel(anna), await someChannel(anna)]
  const post = (channel_id: string) =>
    caller('POST', `/api/social/chat/${channel_id}/messages`, berta.token, { body: 'Hello' })
  await goesOn({
    lock: ['select pg_advisory_xact_lock(hashtextextended($1::uuid::text, 7205461339))', [here]],
    stuck: post(here),
    others: [post(there)],
  })
}, 60_000)

test('the presence of one that is locked stops nobody else’s', async () => {
  const announce = ({ token }: SomeUser) => caller('POST', '/api/social/presence', token, { game: 'chess' })
  await announce(anna)(plaza)
  await goesOn({
    lock: ['update presence set last_seen = last_seen where user_id = $1', [anna.id]],
    stuck: announce(anna),
    others: [announce(berta), announce(carl)],
  })
}, 60_000)

test('a campaign that is locked stops no event of another', async () => {
  const campaign = async () =>
    (
      await admin.api.result(createCampaign, {
        body: { name: 'Lamps', payout_rate: 1, surface_type: 'banner' },
      })
    ).id
  const [here, there] = [await campaign(), await campaign()]
  const token = await tokensOf(app, anna)
  const click = (campaign_id: string) =>
    caller('POST', '/api/external/ads/event', token, { campaign_id, event_type: 'click' })
  await goesOn({
    lock: ['update campaigns set weight = weight where id = $1', [here]],
    stuck: click(here),
    others: [click(there)],
  })
}, 60_000)

test('a row that a single statement changes, locked, stops none of the statements that travel with it', async () => {
  const { session_token } = await someTokens(plaza, app, anna, scopes)
  const renew = caller('POST', '/api/auth/session/refresh', null, { token: session_token })
  const points = caller('GET', '/api/external/points', await tokensOf(app, berta))
  const history = caller('GET', '/api/points/history', berta.token)
  await goesOn({
    lock: ['update app_sessions set expires_at = expires_at where user_id = $1', [anna.id]],
    stuck: renew,
    others: [points, history, spend(await tokensOf(app, carl))],
  })
}, 60_000)

test('uses of grants whose rows are locked are kept, and written when the rows are free', async () => {
  const lastUse = async () => {
    const [row] = await plaza.db.sql<{ last_used_at: Date }>`
      select last_used_at from connections where user_id = ${anna.id} and app_id = ${app.id}`
    return row!.last_used_at
  }
  const use = caller('GET', '/api/external/points', await tokensOf(app, anna))
  plaza.clock.advance(60)
  const letGo = await hold('update connections set scopes = scopes where user_id = $1 and app_id = $2', [
    anna.id,
    app.id,
  ])
  await use(plaza)
  const before = await lastUse()
  await plaza.service.app.last_uses.flush()
  expect(await lastUse()).toEqual(before)
  await letGo()
  await plaza.service.app.last_uses.flush()
  expect(await lastUse()).toEqual(plaza.clock.now())
}, 60_000)
