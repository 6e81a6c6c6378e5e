import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'
import { table, type Figure } from './lib/figure.ts'
import { Closers, createBenchDatabase, seed, startBenchPostgres } from './lib/world.ts'
import { benchBackup } from './backup.ts'
import { benchExport } from './export.ts'
import { benchFleet } from './fleet.ts'
import { benchGrowth } from './growth.ts'
import { benchHolds } from './holds.ts'
import { benchHostile } from './hostile.ts'
import { benchHosting } from './hosting.ts'
import { benchLogin } from './login.ts'
import { benchMetrics } from './metrics.ts'
import { benchExchange, benchVerify } from './oauth.ts'
import { benchNotices } from './notices.ts'
import { benchOutput } from './output.ts'
import { benchPoints } from './reads.ts'
import { benchRouter } from './router.ts'
import { benchEvents, benchLookups, benchPosts } from './social.ts'
import { benchSpend } from './spend.ts'
import { benchLatency, benchSteady } from './steady.ts'
import { benchWebhooks } from './webhooks.ts'

type Postgres = Awaited<ReturnType<typeof startBenchPostgres>>
type Bench = (closers: Closers, postgres: Postgres) => Promise<Figure | Figure[]>

async function seededDatabase(closers: Closers, postgres: Postgres, users = 10_000) {
  const database = await createBenchDatabase(closers, postgres, 'bench')
  await seed(database.pool, { users, apps: 1 })
  return database
}

const benches: Record<string, Bench> = {
  spend_keyed: (closers, postgres) => benchSpend(closers, postgres, { operators: 1, is_keyed: true, must: 12 }),
  spend_keyed_1000: (closers, postgres) => benchSpend(closers, postgres, { operators: 1000, is_keyed: true, must: 2 }),
  spend: (closers, postgres) => benchSpend(closers, postgres, { operators: 1, is_keyed: false, must: 12 }),
  spend_1000: (closers, postgres) => benchSpend(closers, postgres, { operators: 1000, is_keyed: false, must: 2 }),
  points: async (closers, postgres) => benchPoints(closers, await seededDatabase(closers, postgres)),
  verify: async (closers, postgres) => benchVerify(closers, await seededDatabase(closers, postgres)),
  exchange_oidc: async (closers, postgres) =>
    benchExchange(closers, await seededDatabase(closers, postgres), 'oidc-provider'),
  exchange_better_auth: async (closers, postgres) =>
    benchExchange(closers, await seededDatabase(closers, postgres), 'better-auth'),
  login: async (closers, postgres) => benchLogin(closers, await seededDatabase(closers, postgres)),
  latency: async (closers, postgres) => benchLatency(closers, await seededDatabase(closers, postgres)),
  posts: async (closers, postgres) => benchPosts(closers, await seededDatabase(closers, postgres)),
  events: async (closers, postgres) => benchEvents(closers, await seededDatabase(closers, postgres)),
  lookups: async (closers, postgres) => benchLookups(closers, await seededDatabase(closers, postgres, 1_000_000)),
  router: async (closers, postgres) => benchRouter(closers, await createBenchDatabase(closers, postgres, 'bench')),
  hosting: async (closers, postgres) => {
    const database = await createBenchDatabase(closers, postgres, 'bench')
    await seed(database.pool, { users: 20, apps: 20 })
    return benchHosting(closers, database)
  },
  output: async (closers, postgres) => {
    const database = await createBenchDatabase(closers, postgres, 'bench')
    await seed(database.pool, { users: 20, apps: 20 })
    return benchOutput(closers, database, postgres)
  },
  fleet: benchFleet,
  steady: async (closers, postgres) => benchSteady(closers, await seededDatabase(closers, postgres)),
  holds: benchHolds,
  webhooks: benchWebhooks,
  notices: benchNotices,
  export: benchExport,
  growth: benchGrowth,
  backup: benchBackup,
  metrics: benchMetrics,
  hostile: async (closers, postgres) => benchHostile(closers, await seededDatabase(closers, postgres, 1_000)),
}

const results_file = join(package_root, 'bench/results.md')
const json_file = join(package_root, 'bench/results.json')

/** Figures of earlier runs, so that one benchmark can be repeated without the others. */
async function earlier(): Promise<Record<string, { on: string; figures: Figure[] }>> {
  const text = await readFile(json_file, 'utf8').catch(() => '{}')
  return JSON.parse(text) as Record<string, { on: string; figures: Figure[] }>
}

/** Writes all figures so far, so that an interrupted run loses nothing. */
async function save() {
  const ordered = Object.keys(benches).flatMap((name) => results[name]?.figures ?? [])
  await writeFile(json_file, `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(
    results_file,
    `# Results of \`npm run bench\`\n\n${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}; service, PostgreSQL (fsync on) and load ` +
      `generator share them. Medians of interleaved rounds, both sides in the same run on the same PostgreSQL.\n\n${table(ordered)}\n`,
  )
}

const wanted = process.argv.slice(2)
for (const name of wanted)
  if (!(name in benches)) throw new Error(`there is no bench ${name}: ${Object.keys(benches).join(', ')}`)
const results = await earlier()
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const closers = new Closers()
  try {
    const figures = [await bench(closers, await startBenchPostgres(closers))].flat()
    const others = results[name]?.figures.filter((old) => !figures.some((figure) => figure.name === old.name)) ?? []
    results[name] = { on: new Date().toISOString().slice(0, 16), figures: [...others, ...figures] }
    process.stdout.write(`${table(figures)}\n`)
    await save()
  } finally {
    await closers.closeAll()
  }
}
