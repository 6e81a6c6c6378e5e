import { expect, onTestFinished, test } from 'vitest'
import { createCampaign } from '../../contract/admin-campaigns.ts'
import { failures } from '../../contract/errors.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { sha256 } from '../platform/secrets.ts'
import { system_accounts } from '../points/rules.ts'
import { startTestService, type TestService } from './harness.ts'
import { someChannel } from './social-world.ts'
import { sleep } from './wait.ts'
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
const plaza = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' }, { patience: 5 })
const second = await plaza.startAnother()
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
const overloaded = [status, { error: 'overloaded', message }, '1']

/** Runs a statement in an open transaction, which holds its locks until the returned function is called or the test ends. */
async function hold(text: string, values: unknown[]) {
  const holder = await plaza.db.pool.connect()
  await holder.query('begin; set local idle_in_transaction_session_timeout = 0')
  await holder.query(text, values)
  let released: Promise<unknown> | undefined
  const release = () => (released ??= holder.query('rollback').finally(() => holder.release()))
  onTestFinished(async () => void (await release()))
  return release
}

interface LockCase {
  lock: [text: string, values: unknown[]]
  blocked: Call
  others: Call[]
}

/**
 * Holds a lock and asserts: calls that need it get 503 after a bounded wait, in both instances; calls that begin while those wait are
 * answered meanwhile and succeed, also beside them in a batch; once the lock is released, the blocked call succeeds.
 */
async function expectIsolated({ lock, blocked, others }: LockCase) {
  const release = await hold(...lock)
  const waiting = { all: true }
  const refusals = Promise.all([plaza, second, plaza].map((process) => blocked(process))).finally(() => {
    waiting.all = false
  })
  const answers: [number, unknown, string | null][] = []
  let answered_meanwhile = 0
  while (waiting.all) {
    const round = await Promise.all([plaza, second].flatMap((process) => others.map((call) => call(process))))
    answers.push(...round)
    if (waiting.all) answered_meanwhile++
    await sleep(50)
  }
  expect(await refusals).toEqual([overloaded, overloaded, overloaded])
  expect(answers.filter((answer) => answer[0] >= 300)).toEqual([])
  // Those that need the lock too, or wait for a call that does, are answered after the refusal.
  expect(answered_meanwhile).toBeGreaterThan(0)
  await release()
  expect((await blocked(plaza))[0]).toBeLessThan(300)
}

const spend = (access_token: string, headers: Record<string, string> = {}) =>
  caller('POST', '/api/external/points/spend', access_token, { amount: 1 }, headers)
const lockAccount = (id: string): [string, unknown[]] => [
  'update point_accounts set credited = credited where id = $1',
  [id],
]
const tokensOf = async (of: SomeApp, user: SomeUser) => (await someTokens(plaza, of, user, scopes)).access_token

test('a locked user account blocks only this user’s spends; the key of a refused spend stays usable', async () => {
  const tokens = await Promise.all([anna, berta, carl].map((user) => tokensOf(app, user)))
  const key = { 'idempotency-key': 'while-locked' }
  const points = await pointsOf(anna)
  await expectIsolated({
    lock: lockAccount(anna.id),
    blocked: spend(tokens[0]!, key),
    others: [spend(tokens[1]!), spend(tokens[2]!)],
  })
  expect((await spend(tokens[0]!, key)(second))[1]).toMatchObject({ points: points - 1 })
  expect(await pointsOf(anna)).toBe(points - 1)
})

test('a locked operator account blocks only the spends in this operator’s app', async () => {
  const [mine, others] = [
    await tokensOf(app, anna),
    [await tokensOf(other_app, anna), await tokensOf(other_app, berta)],
  ]
  await expectIsolated({ lock: lockAccount(app.id), blocked: spend(mine), others: others.map((token) => spend(token)) })
})

test('an award to a locked account blocks no other award or spend', async () => {
  const award = (user: SomeUser) =>
    caller(
      'POST',
      '/api/admin/points/award',
      admin.token,
      { user_id: user.id, amount: 1 },
      { 'x-forwarded-for': '1.1.1.1' },
    )
  await expectIsolated({
    lock: lockAccount(anna.id),
    blocked: award(anna),
    others: [award(berta), award(carl), spend(await tokensOf(app, carl))],
  })
})

test('while the account that pays awards is locked, awards get 503 and spends succeed', async () => {
  await expectIsolated({
    lock: lockAccount(system_accounts.issuance),
    blocked: caller('POST', '/api/admin/points/award', admin.token, { user_id: anna.id, amount: 1 }),
    others: [spend(await tokensOf(app, berta)), spend(await tokensOf(app, carl))],
  })
})

test('a locked rate limit of one address blocks no other address', async () => {
  const verify = (address: string) =>
    caller('POST', '/api/oauth/token/verify', null, { token: 'unknown' }, { 'x-forwarded-for': address })
  await verify('9.9.9.9')(plaza)
  await expectIsolated({
    lock: [`update rate_limits set count = count where key like '%token/verify%9.9.9.9'`, []],
    blocked: verify('9.9.9.9'),
    others: [verify('9.9.9.8'), verify('9.9.9.7')],
  })
})

test('a locked code, connection or user blocks no other authorization', async () => {
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
    return answer[0] === 503 ? [503, overloaded[1], answer[2]] : answer
  }
  await expectIsolated({
    lock: ['update authorization_codes set failed_tries = failed_tries where code_hash = $1', [sha256(code.code)]],
    blocked: as_oauth,
    others,
  })
  await expectIsolated({
    lock: ['update connections set last_used_at = now() where user_id = $1 and app_id = $2', [anna.id, app.id]],
    blocked: whole(anna),
    others,
  })
  await expectIsolated({
    lock: ['update users set tier = tier where id = $1', [anna.id]],
    blocked: whole(anna),
    others,
  })
})

test('a locked channel blocks no other channel', async () => {
  const [locked, free] = [await someChannel(anna), await someChannel(anna)]
  const post = (channel_id: string) =>
    caller('POST', `/api/social/chat/${channel_id}/messages`, berta.token, { body: 'Hello' })
  await expectIsolated({
    lock: ['select pg_advisory_xact_lock(hashtextextended($1::uuid::text, 7205461339))', [locked]],
    blocked: post(locked),
    others: [post(free)],
  })
})

test('a locked presence row blocks no other user’s presence', async () => {
  const announce = ({ token }: SomeUser) => caller('POST', '/api/social/presence', token, { game: 'chess' })
  await announce(anna)(plaza)
  await expectIsolated({
    lock: ['update presence set last_seen = last_seen where user_id = $1', [anna.id]],
    blocked: announce(anna),
    others: [announce(berta), announce(carl)],
  })
})

test('a locked campaign blocks no event of another', async () => {
  const campaign = async () =>
    (
      await admin.api.result(createCampaign, {
        body: { name: 'Lamps', payout_rate: 1, surface_type: 'banner' },
      })
    ).id
  const [locked, free] = [await campaign(), await campaign()]
  const token = await tokensOf(app, anna)
  const click = (campaign_id: string) =>
    caller('POST', '/api/external/ads/event', token, { campaign_id, event_type: 'click' })
  await expectIsolated({
    lock: ['update campaigns set weight = weight where id = $1', [locked]],
    blocked: click(locked),
    others: [click(free)],
  })
})

test('a locked row that a single statement changes blocks no statement on the same pipelined connection', async () => {
  const { session_token } = await someTokens(plaza, app, anna, scopes)
  const renew = caller('POST', '/api/auth/session/refresh', null, { token: session_token })
  const points = caller('GET', '/api/external/points', await tokensOf(app, berta))
  const history = caller('GET', '/api/points/history', berta.token)
  await expectIsolated({
    lock: ['update app_sessions set expires_at = expires_at where user_id = $1', [anna.id]],
    blocked: renew,
    others: [points, history, spend(await tokensOf(app, carl))],
  })
})

test('last-use times of locked rows are retained, and written when the rows are free', async () => {
  const lastUse = async () => {
    const [row] = await plaza.db.sql<{ last_used_at: Date }>`
      select last_used_at from connections where user_id = ${anna.id} and app_id = ${app.id}`
    return row!.last_used_at
  }
  const use = caller('GET', '/api/external/points', await tokensOf(app, anna))
  plaza.clock.advance(60)
  const release = await hold('update connections set scopes = scopes where user_id = $1 and app_id = $2', [
    anna.id,
    app.id,
  ])
  await use(plaza)
  const before = await lastUse()
  await plaza.service.app.last_uses.flush()
  expect(await lastUse()).toEqual(before)
  await release()
  await plaza.service.app.last_uses.flush()
  expect(await lastUse()).toEqual(plaza.clock.now())
})
