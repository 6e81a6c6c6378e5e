import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { package_root } from '../server/platform/package.ts'
import { answeredLoad, ofUsers } from './lib/load.ts'
import { postmasterOf, processorSeconds } from './lib/processor-time.ts'
import type * as world_here from './lib/world.ts'
import { Closers, median, seeded } from './lib/world.ts'
import { spendRequest } from './points.ts'

const users = 10_000
const rounds = Number(process.env.BENCH_ROUNDS ?? 6)

type World = typeof world_here

/** A built tree with its own PostgreSQL; answers the cost of a spend there, in microseconds of processor time. */
async function startSide(closers: Closers, folder: string): Promise<(is_keyed: boolean) => Promise<Cost>> {
  const world = (await import(pathToFileURL(join(folder, 'bench/lib/world.ts')).href)) as World
  const postgres = await world.startBenchPostgres(closers)
  const database = await world.createBenchDatabase(closers, postgres, 'against')
  await world.seed(database.pool, { users, apps: 2 })
  // All spends go to one app, as in the figure of spends.
  await database.pool.query('update access_tokens set app_id = $1', [seeded.appId(0)])
  const service = await world.startBenchService(closers, database)
  const postmaster = await postmasterOf(postgres.folder)
  const used = () => Promise.all([service.pid, postmaster].map(processorSeconds))
  await untilIdle(used)
  return async (is_keyed: boolean) => {
    const requests = ofUsers(users, (n) => spendRequest(n, is_keyed))
    const before = await used()
    const { answers } = await answeredLoad({ port: service.port, requests })
    const [of_service = 0, of_postgres = 0] = (await used()).map((now, at) => now - (before[at] ?? 0))
    return { service: (of_service / answers) * 1e6, postgres: (of_postgres / answers) * 1e6 }
  }
}

/** A service continues to work for some seconds after its start, for example on the pages of its guides. */
async function untilIdle(used: () => Promise<number[]>) {
  for (let busy = 1; busy > 0.05;) {
    const before = await used()
    await sleep(2_000)
    busy = (await used()).reduce((sum, now, at) => sum + now - (before[at] ?? 0), 0)
  }
}

interface Cost {
  service: number
  postgres: number
}
const inAll = ({ service, postgres }: Cost) => service + postgres
const shown = ({ service, postgres }: Cost) => `${service.toFixed(1)} + ${postgres.toFixed(1)} µs`

/** Compares the cost of a spend in this tree with another tree, such as a worktree of an older commit. Both must be built. */
async function compare(other_folder: string) {
  const closers = new Closers()
  try {
    const [ours, theirs] = [await startSide(closers, package_root), await startSide(closers, resolve(other_folder))]
    for (const is_keyed of [false, true]) {
      const name = is_keyed ? 'spend with a key' : 'spend'
      const measured = async (is_first: boolean) => {
        if (is_first) return [await ours(is_keyed), await theirs(is_keyed)] as const
        const other = await theirs(is_keyed)
        return [await ours(is_keyed), other] as const
      }
      await measured(true)
      const ratios: number[] = []
      const sums = { ours: 0, theirs: 0 }
      for (let round = 0; round < rounds; round++) {
        const [mine, other] = await measured(round % 2 === 0)
        const ratio = inAll(mine) / inAll(other)
        ratios.push(ratio)
        sums.ours += inAll(mine)
        sums.theirs += inAll(other)
        process.stdout.write(`${name}: ${shown(mine)} against ${shown(other)}: ${ratio.toFixed(3)} ×\n`)
      }
      process.stdout.write(
        `${name}: median ${median(ratios).toFixed(3)} ×, in all ${(sums.ours / sums.theirs).toFixed(3)} ×\n`,
      )
    }
  } finally {
    await closers.closeAll()
  }
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: npx tsx bench/against.ts FOLDER')
await compare(folder)
