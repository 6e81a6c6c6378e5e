import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { package_root } from '../server/platform/package.ts'
import { compare, note, perSecond, type Figure } from './lib/figure.ts'
import { rateOf, seconds } from './lib/load.ts'
import { bench_secret, createSeeded, seeded, startBenchService, type World } from './lib/world.ts'
import { spends } from './points.ts'

/** Ten million transfers; `BENCH_BACKUP=0.01` for a hundredth of them. */
const transfers = Math.round(10_000_000 * Number(process.env.BENCH_BACKUP ?? 1))
const users = 10_000
const funds = 1_000_000_000
const issuance = '00000000-0000-7000-8000-000000000001'
const userSql = (n: string) => `('01900000-0000-7000-8000-' || lpad(to_hex((${n})::bigint), 12, '0'))::uuid`

/** Prints how long a step took. */
async function timed<Result>(step: string, work: Promise<Result>): Promise<Result> {
  const started = performance.now()
  const result = await work
  note(`${step}: ${((performance.now() - started) / 1_000).toFixed(1)} s`)
  return result
}

/** Awards that account for the points of all users, then spends at one operator; the ledger balances. */
async function seedLedger(pool: pg.Pool) {
  await pool.query(`
    insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, inserted_at)
    select gen_random_uuid(), 'award', '${issuance}', ${userSql('n')}, ${funds}, -(n + 1) * ${funds}::bigint, ${funds}, now()
      from generate_series(0, ${users - 1}) n`)
  await pool.query(`update point_accounts set debited = ${users} * ${funds}::bigint where id = '${issuance}'`)
  const operator = seeded.appId(0)
  const step = 1_000_000
  await pool.query('drop index transfers_from, transfers_to')
  for (let from = 0; from < transfers; from += step)
    await pool.query(`
      insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, inserted_at)
      select gen_random_uuid(), 'spend', ${userSql(`n % ${users}`)}, '${operator}', 1, ${funds} - n / ${users} - 1, n + 1, '${operator}',
             now() - (${transfers} - n) * interval '0.01 seconds'
        from generate_series(${from}, ${Math.min(from + step, transfers) - 1}) n`)
  await pool.query('create index transfers_from on transfers (from_account, seq desc)')
  await pool.query('create index transfers_to on transfers (to_account, seq desc)')
  await pool.query(`
    update point_accounts a set debited = s.spent
      from (select from_account, count(*) as spent from transfers where kind = 'spend' group by 1) s
     where a.id = s.from_account`)
  await pool.query(`update point_accounts set credited = ${transfers} where id = '${operator}'`)
  await pool.query('vacuum analyze')
}

/** Starts a command of the built service. */
function startCommand(args: string[], env: Record<string, string>, errors: 'inherit' | 'ignore' = 'inherit') {
  const child = spawn(process.execPath, [join(package_root, 'dist/server/main.js'), 'admin', ...args], {
    env: { ...process.env, SECRET_KEYS: bench_secret, ...env },
    stdio: ['ignore', 'ignore', errors],
    // As the service starts its scheduled backups: in a session with the lowest priority.
    detached: true,
  })
  return { child, ended: once(child, 'exit') as Promise<[number | null]> }
}

/** Rows per second of a command that must succeed. */
async function rowsPerSecond(args: string[], env: Record<string, string>) {
  const started = performance.now()
  const [code] = await startCommand(args, env).ended
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  return transfers / ((performance.now() - started) / 1_000)
}

/** Takes one backup after the other until `stop`, which interrupts the last one. */
function keepBackingUp(folder: string, env: Record<string, string>) {
  let is_over = false
  let current: ReturnType<typeof startCommand> | undefined
  const done = (async () => {
    for (let number = 0; !is_over; number++) {
      const file = join(folder, `loaded-${number}.backup`)
      // The last backup is interrupted and reports that.
      current = startCommand(['backup', file], env, 'ignore')
      const [code] = await current.ended
      if (!is_over && code !== 0) throw new Error(`a backup under load ended with ${code}`)
      await rm(file, { force: true })
    }
  })()
  return async () => {
    is_over = true
    current?.child.kill('SIGTERM')
    await done
  }
}

/** Backup, restore and verification alone, and the spends of one operator during a backup. */
export async function benchBackup(world: World): Promise<Figure> {
  const { closers, postgres } = world
  const source = await createSeeded(world, 'backup_source', { users, apps: 1 })
  await timed(`${transfers} transfers are made`, seedLedger(source.pool))
  const folder = await mkdtemp(join(postgres.folder, 'backups-'))
  const file = join(folder, 'whole.backup')
  const of_source = { DATABASE_URL: source.url, DATA_DIR: folder }
  const backup = await timed('backup', rowsPerSecond(['backup', file], of_source))
  await source.pool.query('create database backup_target')
  const target_url = source.url.replace('backup_source', 'backup_target')
  const restore = await timed('restore', rowsPerSecond(['restore', file], { ...of_source, DATABASE_URL: target_url }))
  const verify = await timed('verify', rowsPerSecond(['verify', file], of_source))
  await source.pool.query('drop database backup_target with (force)')
  const { size } = await stat(file)

  const { port } = await startBenchService(closers, source)
  const spend = () => rateOf({ port, seconds: seconds * 4, requests: spends })
  return compare(
    {
      name: `spends of one operator while a backup of ${(transfers / 1e6).toLocaleString('en')} million transfers is taken`,
      other: 'without a backup',
      must: 0.9,
      note: () =>
        `backup ${perSecond(backup)}, restore ${perSecond(restore)}, verify ${perSecond(verify)} rows; ${Math.round(size / 1e6)} MB`,
    },
    async () => {
      const stop = keepBackingUp(folder, of_source)
      try {
        return await spend()
      } finally {
        await stop()
      }
    },
    spend,
  )
}
