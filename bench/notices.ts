import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import { createBenchDatabase, seed, seeded, startBenchService, type BenchDatabase, type Closers } from './lib/world.ts'
import { spendRequest } from './spend.ts'

const users = 10_000
const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 15)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

/** Holds the rows by which movements become notices: the jobs pass over them, and nothing but their work is missing. */
async function withoutNotices({ pool }: BenchDatabase, measure: () => Promise<number>) {
  const client = await pool.connect()
  await client.query('begin')
  await client.query('select from notice_progress for update')
  const result = await measure()
  // What was moved meanwhile is told of by neither side.
  await client.query(
    "update notice_progress set seq = (select max(seq) from transfers), next_seq = null where source = 'points'",
  )
  await client.query('commit')
  client.release()
  return result
}

const transferRequest = (n: number) =>
  rawRequest(
    'POST',
    '/api/external/points/transfer',
    { authorization: `Bearer ${seeded.accessToken(n)}` },
    JSON.stringify({ to_user_id: seeded.userId((n * 31 + 7) % users), amount: 1 }),
  )

/** What spends and transfers cost with notices of the points that come (D-119), beside without. */
export async function benchNotices(closers: Closers, postgres: { host: string; user: string }): Promise<Figure[]> {
  const database = await createBenchDatabase(closers, postgres, 'notices')
  await seed(database.pool, { users, apps: 1 })
  const service = await startBenchService(closers, database)
  const figures: Figure[] = []
  for (const [name, requestOf] of [
    ['spend', (n: number) => spendRequest(n)],
    ['transfer', transferRequest],
  ] as const) {
    const requests = Array.from({ length: users }, (_, n) => requestOf((n * 7919) % users))
    const measure = async () => {
      const result = await putLoad({ port: service.port, connections, seconds, requests })
      if (result.refused > 0) throw new Error(`${result.refused} calls were refused`)
      return result.per_second
    }
    await measure()
    const results = await inTurns(`${name} with notices`, rounds, measure, () => withoutNotices(database, measure))
    const { rows } = await database.pool.query<{ notices: number }>('select count(*)::integer as notices from notices')
    figures.push({
      name: `${name} beside the jobs that write notices of points, 64 connections`,
      ours: perSecond(results.map(({ ours }) => ours)),
      other: `without notices ${perSecond(results.map(({ other }) => other))}`,
      ratio: medianRatio(results),
      must: 0.95,
      sense: 'at_least',
      note: `${rows[0]?.notices ?? 0} notices`,
    })
  }
  await service.stop()
  return figures
}
