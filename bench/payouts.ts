import { compare, milliseconds, type Figure, type Round } from './lib/figure.ts'
import { answeredLoad, ofUsers, type LoadResult } from './lib/load.ts'
import { postmasterOf, processorSeconds } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import { basicOf, median, seeded, startBenchService, type World } from './lib/world.ts'
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
export async function benchPayouts({ closers, database, postgres }: World): Promise<Figure[]> {
  const { port, pid } = await startBenchService(closers, database)
  const postmaster = await postmasterOf(postgres.folder)
  const used = async () => (await processorSeconds(pid)) + (await processorSeconds(postmaster))
  const processor: Record<keyof Round, number[]> = { ours: [], other: [] }
  const moves = (side: keyof Round, items: number, measure: () => Promise<LoadResult>) => async () => {
    const before = await used()
    const { answers, per_second } = await measure()
    processor[side].push(((await used()) - before) / answers / items)
    return per_second * items
  }
  await database.pool.query('update point_accounts set credited = credited + 1000000000 where id = $1', [
    seeded.appId(0),
  ])
  const single = () => answeredLoad({ port, requests: spends_of_other_app })
  const rate = await compare(
    {
      name: `payouts a second in batches of ${batch}, with keys, 4 connections`,
      other: 'single spends with keys, 64 connections',
      must: 3,
      note: () =>
        `processor time of service and PostgreSQL: a spend costs ${(median(processor.other) / median(processor.ours)).toFixed(2)} payouts`,
    },
    moves('ours', batch, () => answeredLoad({ port, connections: 4, requests: batches })),
    moves('other', 1, single),
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
