import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { processorSeconds } from './lib/processor-time.ts'
import { createBenchDatabase, seed, seeded, startBenchService, type Closers } from './lib/world.ts'
import { spendRequest } from './spend.ts'

const users = 10_000
const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

/** Holds of these users at the first app, each captured by it. */
export const holdLoad = (users: number) => ({
  client_id: 'client0',
  client_secret: seeded.clientSecret(0),
  tokens: Array.from({ length: users }, (_, n) => seeded.accessToken(n)),
})

/** What a hold and its capture, two calls, cost beside one spend. */
export async function benchHolds(closers: Closers, postgres: { host: string; user: string }): Promise<Figure> {
  const database = await createBenchDatabase(closers, postgres, 'holds')
  await seed(database.pool, { users, apps: 1 })
  const service = await startBenchService(closers, database)
  const { port } = service
  const requests = Array.from({ length: users }, (_, n) => spendRequest((n * 7919) % users))
  const holds = holdLoad(users)
  let processor = { ours: 0, other: 0 }
  const measure = (side: 'ours' | 'other') => async () => {
    const before = await processorSeconds(service.pid)
    const load = side === 'ours' ? { holds } : { requests }
    const { per_second, answers, refused } = await putLoad({ port, connections, seconds, ...load })
    if (refused > 0) throw new Error(`${refused} calls were refused`)
    processor = { ...processor, [side]: ((await processorSeconds(service.pid)) - before) / answers }
    return per_second
  }
  await measure('ours')()
  // The cost is the inverse of the rate.
  const results = await inTurns('holds with captures, spends', rounds, measure('ours'), measure('other'))
  await service.stop()
  return {
    name: 'a hold and its capture, one operator, 64 connections: times the cost of a spend',
    ours: perSecond(results.map((round) => round.ours)),
    other: `spends ${perSecond(results.map((round) => round.other))}`,
    ratio: 1 / medianRatio(results),
    must: 2.2,
    sense: 'at_most',
    note: `processor time of the service ${(processor.ours / processor.other).toFixed(2)} ×`,
  }
}
