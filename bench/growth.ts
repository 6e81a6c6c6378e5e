import type pg from 'pg'
import { note, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { rawForm, rawRequest } from './lib/raw.ts'
import {
  createBenchDatabase,
  median,
  seed,
  seeded,
  seededJwt,
  startBenchService,
  type BenchDatabase,
  type BenchService,
  type Closers,
} from './lib/world.ts'
import { spendRequest } from './spend.ts'

/** The size of the large database; `BENCH_GROWTH=0.1` for a tenth of it. */
const scale = Number(process.env.BENCH_GROWTH ?? 1)
/** Each payer has ten transfers in both databases, so that a page of history has the same length. */
const large = { users: 1_000_000 * scale, payers: 1_000_000 * scale, transfers: 10_000_000 * scale }
const small = { users: 10_000, payers: 1_000, transfers: 10_000 }
/** `BENCH_CALLS=history,audit` selects calls. */
const chosen = process.env.BENCH_CALLS?.split(',')
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const apps = 100

/** Inserts past transfers: spends of user n at app n modulo `apps`, without changing balances. */
async function seedTransfers(pool: pg.Pool, { payers, transfers }: typeof small) {
  const step = 1_000_000
  for (let from = 0; from < transfers; from += step)
    await pool.query(`
      insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, inserted_at)
      select gen_random_uuid(), 'spend', ('01900000-0000-7000-8000-' || lpad(to_hex(n % ${payers}), 12, '0'))::uuid,
             ('01900000-0000-7000-9000-' || lpad(to_hex(n % ${apps}), 12, '0'))::uuid, 1, 1, 1,
             ('01900000-0000-7000-9000-' || lpad(to_hex(n % ${apps}), 12, '0'))::uuid,
             now() - (${transfers} - n) * interval '0.2 seconds'
        from generate_series(${from}, ${Math.min(from + step, transfers) - 1}) n`)
  await pool.query(`
    insert into audit_log (id, actor_id, action, target_id, details, inserted_at)
    select ('01900000-0000-7000-c000-' || lpad(to_hex(n), 12, '0'))::uuid, null, 'user.update', null, '{}', now()
      from generate_series(1, ${Math.round(transfers / 10)}) n`)
  await pool.query('vacuum analyze')
}

/** Counts the transfers for analytics, as a job does each minute. */
async function countActivity(pool: pg.Pool) {
  await pool.query('select note_app_activity()')
  for (let counted = 1; counted > 0;)
    counted = Number(
      (await pool.query<{ counted: string }>('select count_app_activity(1000000) as counted')).rows[0]?.counted,
    )
  await pool.query('vacuum analyze app_activity, app_activity_progress')
}

/** Makes user 0, who has a seeded login, an admin. */
const makeAdmin = (pool: pg.Pool) => pool.query('update users set is_admin = true where id = $1', [seeded.userId(0)])

const basicOf = (n: number) => `Basic ${Buffer.from(`client${n}:${seeded.clientSecret(n)}`).toString('base64')}`

type Requests = (service: BenchService, size: typeof small) => string[]
const some = (users: number, request: (n: number) => string) =>
  Array.from({ length: 2_000 }, (_, at) => request((at * 7919) % users))

/** Calls that must cost the same in a large database as in a small one. */
const calls: Record<string, Requests> = {
  spend: (_, { users }) => some(users, (n) => spendRequest(n)),
  balance: (_, { users }) =>
    some(users, (n) => rawRequest('GET', '/api/external/points', { authorization: `Bearer ${seeded.accessToken(n)}` })),
  history: (_, { payers }) =>
    some(payers, (n) =>
      rawRequest('GET', '/api/external/points/history?limit=10', { authorization: `Bearer ${seeded.accessToken(n)}` }),
    ),
  verify: (_, { users }) => some(users, (n) => rawForm('/api/oauth/token/verify', { token: seeded.accessToken(n) })),
  // Of the first day, which has as many counts in both databases.
  analytics: () =>
    some(apps, (n) =>
      rawRequest('GET', '/api/operator/analytics?window_days=1', {
        authorization: `Bearer ${seeded.accessToken(n)}`,
      }),
    ),
  statements: () => some(apps, (n) => rawRequest('GET', '/api/app/transfers?limit=20', { authorization: basicOf(n) })),
  statements_of_one: (_, { payers }) =>
    some(apps, (n) =>
      rawRequest('GET', `/api/app/transfers?limit=10&user_id=${seeded.userId((n * 100 + n) % payers)}`, {
        authorization: basicOf(n),
      }),
    ),
  directory: () => [rawRequest('GET', '/api/public/operators?page=1', {})],
  audit: ({ issuer }) => [
    rawRequest('GET', '/api/admin/audit?limit=20', { authorization: `Bearer ${seededJwt(issuer, 0)}` }),
  ],
}

async function prepare(closers: Closers, postgres: { host: string; user: string }, name: string, size: typeof small) {
  const database: BenchDatabase = await createBenchDatabase(closers, postgres, name)
  await seed(database.pool, { users: size.users, apps })
  await seedTransfers(database.pool, size)
  await countActivity(database.pool)
  await makeAdmin(database.pool)
  return { service: await startBenchService(closers, database), size }
}

/** The time of each call in the large database compared with the small one, both on the same PostgreSQL. */
export async function benchGrowth(closers: Closers, postgres: { host: string; user: string }): Promise<Figure[]> {
  const [few, many] = [
    await prepare(closers, postgres, 'small', small),
    await prepare(closers, postgres, 'large', large),
  ]
  const figures: Figure[] = []
  for (const [name, requestsOf] of Object.entries(calls)) {
    if (chosen && !chosen.includes(name)) continue
    const cost = async ({ service, size }: typeof few) => {
      const load = { port: service.port, connections: 8, seconds: 2, requests: requestsOf(service, size) }
      const result = await putLoad(load)
      if (result.refused > 0) throw new Error(`${name}: ${result.refused} calls were refused`)
      return 1000 / result.per_second
    }
    await cost(few)
    await cost(many)
    const ratios: number[] = []
    const times: [number, number][] = []
    for (let round = 0; round < rounds; round++) {
      const [ours, other] =
        round % 2 === 0
          ? [await cost(many), await cost(few)]
          : await reversed(
              () => cost(few),
              () => cost(many),
            )
      ratios.push(ours / other)
      times.push([ours, other])
      note(`growth, ${name} ${round + 1}/${rounds}: ${(ours / other).toFixed(2)} ×`)
    }
    figures.push({
      name: `${name}: ${large.transfers.toLocaleString('en')} transfers, ${large.users.toLocaleString('en')} users and tokens`,
      ours: `${median(times.map(([ours]) => ours)).toFixed(3)} ms a call`,
      other: `at ten thousand ${median(times.map(([, other]) => other)).toFixed(3)} ms`,
      ratio: median(ratios),
      must: 1.3,
      sense: 'at_most',
    })
  }
  return figures
}

async function reversed(first: () => Promise<number>, second: () => Promise<number>): Promise<[number, number]> {
  const a = await first()
  return [await second(), a]
}
