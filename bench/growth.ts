import type pg from 'pg'
import { verifyRequest } from './accounts.ts'
import { compare, milliseconds, type Figure } from './lib/figure.ts'
import { ofUsers, rateOf, seconds } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import {
  basicOf,
  createSeeded,
  seeded,
  sessionOf,
  startBenchService,
  tokenOf,
  type BenchService,
  type World,
} from './lib/world.ts'
import { readRequest, spendRequest } from './points.ts'

/** The size of the large database; `BENCH_GROWTH=0.1` for a tenth of it. */
const scale = Number(process.env.BENCH_GROWTH ?? 1)
/** Each payer has ten transfers in both databases, so that a page of history has the same length. */
const large = { users: 1_000_000 * scale, payers: 1_000_000 * scale, transfers: 10_000_000 * scale }
const small = { users: 10_000, payers: 1_000, transfers: 10_000 }
/** `BENCH_CALLS=history,audit` selects calls. */
const chosen = process.env.BENCH_CALLS?.split(',')
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

/** Counts the transfers for analytics, as a job does every minute. */
async function countActivity(pool: pg.Pool) {
  await pool.query('select note_app_activity()')
  for (let counted = 1; counted > 0;)
    counted = Number(
      (await pool.query<{ counted: string }>('select count_app_activity(1000000) as counted')).rows[0]?.counted,
    )
  await pool.query('vacuum analyze app_activity, app_activity_progress')
}

type Requests = (size: typeof small, service: BenchService) => string[]
const some = (users: number, request: (n: number) => string) => ofUsers(users, request, 2_000)
const get = (path: string, headers: Record<string, string>) => rawRequest('GET', path, headers)

/** Calls that must cost the same in a large database as in a small one. */
const calls: Record<string, Requests> = {
  spend: ({ users }) => some(users, (n) => spendRequest(n)),
  balance: ({ users }) => some(users, readRequest),
  history: ({ payers }) => some(payers, (n) => get('/api/external/points/history?limit=10', tokenOf(n))),
  verify: ({ users }) => some(users, verifyRequest),
  // Of the first day, which has the same number of counts in both databases.
  analytics: () => some(apps, (n) => get('/api/operator/analytics?window_days=1', tokenOf(n))),
  statements: () => some(apps, (n) => get('/api/app/transfers?limit=20', basicOf(n))),
  statements_of_one: ({ payers }) =>
    some(apps, (n) => get(`/api/app/transfers?limit=10&user_id=${seeded.userId((n * 100 + n) % payers)}`, basicOf(n))),
  directory: () => [get('/api/public/operators?page=1', {})],
  audit: (_, service) => [get('/api/admin/audit?limit=20', sessionOf(service, 0))],
}

async function prepare(world: World, name: string, size: typeof small) {
  const database = await createSeeded(world, name, { users: size.users, apps })
  await seedTransfers(database.pool, size)
  await countActivity(database.pool)
  await database.pool.query('update users set is_admin = true where id = $1', [seeded.userId(0)])
  return { service: await startBenchService(world.closers, database), size }
}

/** The time of each call in the large database compared with the small one, both on the same PostgreSQL. */
export async function benchGrowth(world: World): Promise<Figure[]> {
  const [few, many] = [await prepare(world, 'small', small), await prepare(world, 'large', large)]
  const figures: Figure[] = []
  for (const [name, requestsOf] of Object.entries(calls)) {
    if (chosen && !chosen.includes(name)) continue
    const cost =
      ({ service, size }: typeof few) =>
      async () => {
        const requests = requestsOf(size, service)
        return 1000 / (await rateOf({ port: service.port, connections: 8, seconds: Math.min(seconds, 2), requests }))
      }
    figures.push(
      await compare(
        {
          name: `${name}: ${large.transfers.toLocaleString('en')} transfers, ${large.users.toLocaleString('en')} users and tokens`,
          other: 'at ten thousand',
          must: 1.3,
          sense: 'at_most',
          text: milliseconds(3),
        },
        cost(many),
        cost(few),
      ),
    )
  }
  return figures
}
