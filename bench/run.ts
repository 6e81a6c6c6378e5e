import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'
import { benchExchange, benchLogin, benchVerify } from './accounts.ts'
import { benchBackup } from './backup.ts'
import { benchDpop } from './dpop.ts'
import { benchExport } from './export.ts'
import { benchFleet } from './fleet.ts'
import { benchGrowth } from './growth.ts'
import { benchHostile } from './hostile.ts'
import { benchHosting } from './hosting.ts'
import { table, type Figure } from './lib/figure.ts'
import { Closers, createBenchDatabase, seed, startBenchPostgres, type SeedSize, type World } from './lib/world.ts'
import { benchMetrics } from './metrics.ts'
import { benchOutput } from './output.ts'
import { benchPayouts } from './payouts.ts'
import { benchHolds, benchLatency, benchNotices, benchReads, benchSpend, benchSteady } from './points.ts'
import { benchRouter } from './router.ts'
import { benchEvents, benchLookups, benchPosts } from './social.ts'
import { benchWebhooks } from './webhooks.ts'

interface Bench {
  /** The seed of its database. */
  seed?: SeedSize
  run(world: World): Promise<Figure | Figure[]>
}

const usual = { users: 10_000, apps: 1 }
const many_apps = { users: 10_000, apps: 1_000 }
const few = { users: 20, apps: 20 }

/** Every bench, in the order of the results. */
const benches: Record<string, Bench> = {
  spend_keyed: { seed: usual, run: benchSpend({ operators: 1, is_keyed: true, must: 12 }) },
  spend_keyed_1000: { seed: many_apps, run: benchSpend({ operators: 1_000, is_keyed: true, must: 2 }) },
  spend: { seed: usual, run: benchSpend({ operators: 1, is_keyed: false, must: 12 }) },
  spend_1000: { seed: many_apps, run: benchSpend({ operators: 1_000, is_keyed: false, must: 2 }) },
  points: { seed: usual, run: benchReads },
  dpop: { seed: usual, run: benchDpop },
  verify: { seed: usual, run: benchVerify },
  exchange_oidc: { seed: usual, run: benchExchange('oidc-provider') },
  exchange_better_auth: { seed: usual, run: benchExchange('better-auth') },
  login: { seed: usual, run: benchLogin },
  latency: { seed: usual, run: benchLatency },
  posts: { seed: usual, run: benchPosts },
  events: { seed: usual, run: benchEvents },
  lookups: { seed: { users: 1_000_000, apps: 1 }, run: benchLookups },
  router: { run: benchRouter },
  hosting: { seed: few, run: benchHosting },
  output: { seed: few, run: benchOutput },
  fleet: { run: benchFleet },
  steady: { seed: usual, run: benchSteady },
  holds: { seed: usual, run: benchHolds },
  payouts: { seed: { users: 10_000, apps: 2 }, run: benchPayouts },
  webhooks: { run: benchWebhooks },
  notices: { seed: usual, run: benchNotices },
  export: { seed: usual, run: benchExport },
  growth: { run: benchGrowth },
  backup: { run: benchBackup },
  metrics: { seed: usual, run: benchMetrics },
  hostile: { seed: { users: 1_000, apps: 1 }, run: benchHostile },
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
    const postgres = await startBenchPostgres(closers)
    const database = await createBenchDatabase(closers, postgres, 'bench')
    if (bench.seed) await seed(database.pool, bench.seed)
    const figures = [await bench.run({ closers, postgres, database })].flat()
    const others = results[name]?.figures.filter((old) => !figures.some((figure) => figure.name === old.name)) ?? []
    results[name] = { on: new Date().toISOString().slice(0, 16), figures: [...others, ...figures] }
    process.stdout.write(`${table(figures)}\n`)
    await save()
  } finally {
    await closers.closeAll()
  }
}
