import { compare, milliseconds, type Figure } from './lib/figure.ts'
import { answeredLoad, ofUsers, type LoadResult } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import { basicOf, seeded, startBenchService, type World } from './lib/world.ts'
import { spendRequest } from './points.ts'

const users = 10_000
const batch = 100

/** The first app pays people who are connected to it, one batch at a time. Users with odd numbers belong to the other app. */
const batches = Array.from({ length: 50 }, (_, at) => {
  const payouts = Array.from({ length: batch }, (__, place) => ({
    to_user_id: seeded.userId((2 * (at * batch + place)) % users),
    amount: 1,
  }))
  const headers = { ...basicOf(0), 'idempotency-key': '{unique}' }
  return rawRequest('POST', '/api/app/payouts/batch', headers, JSON.stringify({ payouts }))
})
const spends_of_other_app = ofUsers(users / 2, (n) => spendRequest(2 * n + 1, true))

/**
 * Payouts per second in batches, compared with single spends, all with keys; and the latency of another app's spends during one such batch.
 */
export async function benchPayouts({ closers, database }: World): Promise<Figure[]> {
  const { port } = await startBenchService(closers, database)
  await database.pool.query('update point_accounts set credited = credited + 1000000000 where id = $1', [
    seeded.appId(0),
  ])
  const single = () => answeredLoad({ port, requests: spends_of_other_app })
  const rate = await compare(
    {
      name: `payouts a second in batches of ${batch}, with keys, 4 connections`,
      other: 'single spends with keys, 64 connections',
      must: 3,
    },
    async () => (await answeredLoad({ port, connections: 4, requests: batches })).per_second * batch,
    async () => (await single()).per_second,
  )
  const p99 = ({ milliseconds: { p99: value } }: LoadResult) => value
  const latency = await compare(
    {
      name: `p99 of single spends of another app beside batches of ${batch} payouts on one connection`,
      other: 'without the batches',
      must: 1.5,
      sense: 'at_most',
      text: milliseconds(1),
    },
    async () => {
      const [spent] = await Promise.all([single(), answeredLoad({ port, connections: 1, requests: batches })])
      return p99(spent)
    },
    async () => p99(await single()),
  )
  return [rate, latency]
}
