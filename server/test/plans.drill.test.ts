import { expect, test } from 'vitest'
import { createCampaign } from '../../contract/admin-campaigns.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { startTestService } from './harness.ts'
import { openReadStatistics } from './rows-read.ts'
import { someChannel } from './social-world.ts'
import {
  authorizationQuery,
  basicOf,
  givePoints,
  pkce,
  raw,
  codeRequest,
  refreshRequest,
  someApp,
  someTokens,
  someUser,
  theAdmin,
  type SomeApp,
  type SomeTokens,
  type SomeUser,
} from './world.ts'

const scopes: Scope[] = ['points:spend', 'points:read', 'points:transfer', 'profile:read']
const plaza = await startTestService()
const admin = await theAdmin(plaza)
/** The instance that is called. */
let target = plaza

/** Tables that grow with use: no statement of a common call may scan them sequentially. */
const growing_tables = [
  'access_tokens',
  'ad_events',
  'app_sessions',
  'app_users',
  'audit_log',
  'authorization_codes',
  'announced_presence',
  'connections',
  'events',
  'grants',
  'holds',
  'idempotency_keys',
  'login_sessions',
  'messages',
  'point_accounts',
  'presence',
  'rate_limits',
  'refresh_tokens',
  'session_tokens',
  'transfers',
  'users',
]

const json = (token: string | null, more: Record<string, string> = {}) => ({
  ...(token !== null && { authorization: `Bearer ${token}` }),
  'content-type': 'application/json',
  ...more,
})
const post = (path: string, token: string | null, body: object, headers: Record<string, string> = {}) =>
  raw(target, 'POST', path, { headers: json(token, headers), body: JSON.stringify(body) })
/** A hold, its capture and a refund in sequence; returns the last response. */
async function sale(app: SomeApp, { tokens }: Person, key: () => Record<string, string>) {
  const authorization = basicOf(app)
  const postAsApp = (path: string, body: object) =>
    raw(target, 'POST', path, { headers: { ...json(null), authorization, ...key() }, body: JSON.stringify(body) })
  const made = await post('/api/external/points/holds', tokens.access_token, { amount: 2 }, key())
  if (made.status >= 300) throw new Error(made.text)
  const { hold } = made.body as { hold: { id: string } }
  const captured = await postAsApp(`/api/app/holds/${hold.id}/capture`, {})
  const { transfer_id } = (captured.body as { hold: { transfer_id: string } }).hold
  return postAsApp('/api/app/refunds', { transfer_id, amount: 1 })
}
const get = (path: string, token: string) => raw(target, 'GET', path, { headers: { authorization: `Bearer ${token}` } })

interface Person {
  user: SomeUser
  tokens: SomeTokens
}

test('a small, analyzed database: no common call scans a growing table sequentially, now or later', async () => {
  const app = await someApp(plaza, { scopes })
  const people: Person[] = []
  for (let n = 0; n < 6; n++) {
    const user = await someUser(plaza)
    await givePoints(plaza, user, 1_000_000)
    people.push({ user, tokens: await someTokens(plaza, app, user, scopes) })
  }
  const channel_id = await someChannel(people[0]!.user)
  const { id: campaign_id } = await admin.api.result(createCampaign, {
    body: { name: 'Lamps', payout_rate: 1, surface_type: 'banner' },
  })
  let keys = 0
  const commonCalls = async ({ user, tokens }: Person) => {
    const other = people[(people.findIndex((each) => each.user === user) + 1) % people.length]!
    const key = () => ({ 'idempotency-key': `key ${++keys}` })
    const external = '/api/external'
    const { code_verifier, code_challenge } = pkce()
    const query = new URLSearchParams({ ...authorizationQuery(app, code_challenge), scope: scopes.join(' ') })
    const authorized = await get(`/api/oauth/authorize?${query.toString()}`, user.token)
    const { code } = authorized.body as { code: string }
    const redeemed = await post('/api/oauth/token', null, codeRequest(app, { code, code_verifier }))
    const { refresh_token } = redeemed.body as { refresh_token: string }
    // In sequence: on a loaded machine, concurrent calls that lock the same accounts are refused.
    return [
      await post(`${external}/points/spend`, tokens.access_token, { amount: 1 }, key()),
      await post(`${external}/points/spend`, tokens.access_token, { amount: 1 }),
      await post(`${external}/points/transfer`, tokens.access_token, { amount: 1, to_user_id: other.user.id }, key()),
      await get(`${external}/points`, tokens.access_token),
      await get(`${external}/points/history`, tokens.access_token),
      await get('/api/points/history', user.token),
      await post('/api/oauth/token', null, refreshRequest(app, refresh_token)),
      await post('/api/oauth/token/verify', null, { token: tokens.access_token }),
      await post('/api/auth/login', null, { email: user.email, password: user.password }),
      await get('/api/auth/me', user.token),
      await post('/api/social/presence', user.token, { game: 'chess', lobby: 'one' }),
      await get('/api/social/presence', user.token),
      await post(`/api/social/chat/${channel_id}/messages`, user.token, { body: 'Hello' }),
      await get(`/api/social/chat/${channel_id}/messages`, user.token),
      await post(`${external}/ads/event`, tokens.access_token, { campaign_id, event_type: 'click' }),
      await post('/api/admin/points/award', admin.token, { user_id: user.id, amount: 1 }, key()),
      await sale(app, { user, tokens }, key),
    ]
  }
  // Two pages of keys and few rows elsewhere, so that the statistics show small tables.
  for (let n = 0; n < 30; n++)
    await post(
      '/api/external/points/spend',
      people[0]!.tokens.access_token,
      { amount: 1 },
      { 'idempotency-key': `${n}` },
    )
  for (const person of people) await commonCalls(person)
  await plaza.db.pool.query('analyze')
  const statistics = await openReadStatistics(plaza)
  await plaza.stopAll()
  await statistics.untilDisconnected()
  // A new instance plans all statements with these statistics.
  target = await plaza.startAnother({ ROLES: 'api' })
  const before = await statistics.rowsRead(growing_tables)
  // PostgreSQL may choose a generic plan from the sixth execution on.
  for (let round = 0; round < 4; round++)
    for (const person of people) {
      const answers = await commonCalls(person)
      expect(answers.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([])
    }
  await target.service.stop()
  await statistics.untilDisconnected()
  const after = await statistics.rowsRead(growing_tables)
  expect([...after.keys()].sort()).toEqual([...growing_tables].sort())
  expect(growing_tables.filter((table) => after.get(table)!.sequential > before.get(table)!.sequential)).toEqual([])
  // The counters are complete: spends read point_accounts.
  expect(after.get('point_accounts')!.all).toBeGreaterThan(before.get('point_accounts')!.all)
})
