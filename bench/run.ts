import { Closers, createBenchDatabase, seed, startBenchPostgres } from './lib/world.ts'
import { table, type Figure } from './lib/figure.ts'
import { benchExchange, benchVerify } from './oauth.ts'
import { benchPoints } from './reads.ts'
import { benchSpend } from './spend.ts'

type Bench = (closers: Closers, postgres: Awaited<ReturnType<typeof startBenchPostgres>>) => Promise<Figure>

async function seededDatabase(closers: Closers, postgres: Awaited<ReturnType<typeof startBenchPostgres>>) {
  const database = await createBenchDatabase(closers, postgres, 'bench')
  await seed(database.pool, { users: 10_000, apps: 1 })
  return database
}

const benches: Record<string, Bench> = {
  spend: (closers, postgres) => benchSpend(closers, postgres, 1, 12),
  spend_1000: (closers, postgres) => benchSpend(closers, postgres, 1000, 2),
  points: async (closers, postgres) => benchPoints(closers, await seededDatabase(closers, postgres)),
  verify: async (closers, postgres) => benchVerify(closers, await seededDatabase(closers, postgres)),
  exchange_oidc: async (closers, postgres) =>
    benchExchange(closers, await seededDatabase(closers, postgres), 'oidc-provider'),
  exchange_better_auth: async (closers, postgres) =>
    benchExchange(closers, await seededDatabase(closers, postgres), 'better-auth'),
}

const wanted = process.argv.slice(2)
const figures: Figure[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const closers = new Closers()
  try {
    figures.push(await bench(closers, await startBenchPostgres(closers)))
  } finally {
    await closers.closeAll()
  }
}
process.stdout.write(`${table(figures)}\n`)
