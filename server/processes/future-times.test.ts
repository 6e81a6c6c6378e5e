import { expect, test } from 'vitest'
import { login, me } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { verifyToken } from '../../contract/oauth.ts'
import { spendPoints } from '../../contract/points.ts'
import { openRateCounter } from '../platform/rate-limit.ts'
import { startTestService } from '../test/harness.ts'
import { world } from '../test/world.ts'
import { bounded_times, bringBackFutureTimes, bringBackStatement } from './future-times.ts'

const plaza = await startTestService()
const { sql } = plaza.db
const deps = { db: plaza.db, clock: plaza.clock.now }

/** A clock that is a year ahead until it is corrected. */
function wrongClock() {
  const state = { ahead_ms: 365 * 86_400_000 }
  return Object.assign(state, { now: () => new Date(plaza.clock.now().getTime() + state.ahead_ms) })
}

/** Times that nothing waits for, or that are compared where they are read. */
const not_brought_back: Record<string, string> = {
  'access_tokens.expires_at': 'isExpired',
  'app_offers.expires_at': 'the owner may withdraw or repeat the offer',
  'app_secrets.expires_at': 'the maker chose it',
  'app_sessions.expires_at': 'ends with its grant',
  'authorization_codes.expires_at': 'deleted by its sign-in; redeemed once',
  'chat_mutes.muted_until': 'an admin chose it',
  'dpop_proofs.expires_at': 'its proof names the time of its making, which is checked',
  'login_sessions.expires_at': 'the JWT says when it was issued',
  'cli_codes.expires_at': 'exchanged once',
  'deployments.paid_until': 'these cycles were charged',
  'moderation_cases.muted_until': 'an admin chose it',
  'openid_codes.expires_at': 'as authorization_codes',
  'pushed_requests.expires_at': 'one code is issued for it',
  'rate_limits.resets_at': 'compared with its window (rate-limit.ts)',
  'refresh_tokens.expires_at': 'isExpired',
  'session_tokens.expires_at': 'ends with its session',
  'signing_keys.published_until': 'only for how long a key is shown',
  'team_invitations.expires_at': 'the team may withdraw or repeat the invitation',
  'users.totp_tries_reset_at': 'nothing reads it any more',
}

test('O1: every stored time that something waits for is bounded, or compared where it is read', async () => {
  const rows = await sql<{ name: string }>`
    select table_name || '.' || column_name as name
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'timestamp with time zone'
       and column_name ~ '(_until|due_at|expires_at|resets_at|reset_at|next_attempt_at|signs_from)$' order by 1`
  const bounded = Object.entries(bounded_times).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  const known = [...bounded, ...Object.keys(not_brought_back)]
  expect(rows.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
  const columns = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`
  expect(known.filter((name) => !columns.some((column) => column.name === name))).toEqual([])
})

test('O1: due times and leases of a clock that was ahead are brought back, others stay', async () => {
  const now = plaza.clock.now()
  const year_ahead = new Date(now.getTime() + 365 * 86_400_000)
  const soon = new Date(now.getTime() + 200_000)
  await sql`insert into host_probes (host, due_at) values ('wrong', ${year_ahead}), ('right', ${soon}), ('never', 'infinity')`
  await sql`insert into deploy_output_collectors (host, owner, lease_until) values ('wrong', gen_random_uuid(), ${year_ahead})`
  await sql`insert into container_hosts (name, kind, reachable, seen_at) values ('wrong', 'docker', true, ${year_ahead})`
  expect(await bringBackFutureTimes(deps)).toBe(3)
  expect(await bringBackFutureTimes(deps)).toBe(0)
  const probes = await sql<{ host: string; seconds: number }>`
    select host, case when due_at < 'infinity' then round(extract(epoch from due_at - ${now}::timestamptz))::float8 else -1 end as seconds
      from host_probes order by host`
  expect(probes).toEqual([
    { host: 'never', seconds: -1 },
    { host: 'right', seconds: 200 },
    { host: 'wrong', seconds: expect.closeTo(600, -2) },
  ])
  const [lease] =
    await sql`select lease_until < ${now}::timestamptz + interval '100 s' as is_near from deploy_output_collectors`
  const [host] =
    await sql`select seen_at < ${now}::timestamptz + interval '70 s' as is_near from container_hosts where name = 'wrong'`
  expect([lease, host]).toEqual([{ is_near: true }, { is_near: true }])
})

test('O1: a table that fails does not stop the others', async () => {
  const year_ahead = new Date(plaza.clock.now().getTime() + 365 * 86_400_000)
  await sql`insert into container_hosts (name, kind, reachable, seen_at) values ('ahead', 'docker', true, ${year_ahead})`
  await sql`insert into host_probes (host, due_at) values ('ahead', ${year_ahead})`
  await plaza.db.pool.query(`
    create function refuse_host() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger refuse_host before update on container_hosts for each row execute function refuse_host()`)
  await expect(bringBackFutureTimes(deps)).rejects.toThrow('broken')
  const near = await sql`select from host_probes where host = 'ahead' and due_at < ${year_ahead}`
  expect(near).toHaveLength(1)
  await plaza.db.pool.query('drop function refuse_host cascade')
  expect(await bringBackFutureTimes(deps)).toBe(1)
})

test.each([
  ['holds', 'expires_at'],
  ['webhook_deliveries', 'next_attempt_at'],
  ['login_sessions', 'proved_until'],
  ['mailed_codes', 'expires_at'],
  ['notice_settings', 'mail_due_at'],
])('O1: future times of %s are found by an index: the table grows', async (table, column) => {
  const client = await plaza.db.pool.connect()
  try {
    await client.query('begin; set local enable_seqscan = off')
    const { rows } = await client.query(`explain ${bringBackStatement(table, column)}`, [new Date(), new Date()])
    expect(JSON.stringify(rows)).not.toContain('Seq Scan')
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('O1: a rate limit that was reached while the clock was ahead ends once the clock is right', async () => {
  const clock = wrongClock()
  const counter = openRateCounter(plaza.db, clock.now)
  const window = { key: 'test of a wrong clock', seconds: 60 }
  for (let hit = 0; hit < 5; hit++) await counter.hit(window.key, window.seconds)
  expect(await counter.peek([window])).toMatchObject([{ count: 5 }])
  clock.ahead_ms = 0
  expect(await counter.peek([window])).toEqual([undefined])
  expect(await counter.hit(window.key, window.seconds)).toMatchObject({ count: 1 })
  // A small difference between two machines' clocks does not start a new window.
  clock.ahead_ms = -5_000
  expect(await counter.hit(window.key, window.seconds)).toMatchObject({ count: 2 })
})

test('O1: tokens and sign-ins that were issued in the future count as expired', async () => {
  const clock = wrongClock()
  const { tokens, user } = await world(plaza, { points: 10, scopes: ['points:spend'] })
  const ahead = await plaza.startAnother({}, { clock: clock.now })
  const { email, password } = user
  const session = await new PlazaClient(ahead.url).result(login, { body: { email, password } })
  expect((await user.api.withToken(session.token).call(me)).status).toBe(401)
  for (const table of ['access_tokens', 'refresh_tokens'])
    await plaza.db.pool.query(
      `update ${table} set inserted_at = inserted_at + interval '1 year', expires_at = expires_at + interval '1 year'`,
    )
  const anonymous = new PlazaClient(plaza.url)
  const { access_token } = tokens
  const spent = await anonymous.withToken(access_token).call(spendPoints, { body: { amount: 1, description: 'x' } })
  expect(spent.status).toBe(401)
  expect(await anonymous.result(verifyToken, { body: { token: access_token } })).toEqual({
    active: false,
    reason: 'expired',
  })
})
