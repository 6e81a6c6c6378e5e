import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import { createBenchDatabase, seed, seeded, startBenchService, type BenchDatabase, type Closers } from './lib/world.ts'

const users = 10_000
const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

const uuid = (variant: string, variable: string) =>
  `('01900000-0000-7000-${variant}-' || lpad(to_hex(cast(${variable} as integer)), 12, '0'))::uuid`

/** The same tables without the batcher: debit, credit, insert, and the key if there is one, in one transaction per spend. */
const pgbenchScript = ({ operators, is_keyed }: SpendCase) => {
  const [user, operator] = [uuid('8000', ':user'), uuid('9000', ':operator')]
  return `\\set user random(0, ${users - 1})
\\set operator :user % ${operators}
begin;
update point_accounts set debited = debited + 1 where id = ${user} and credited - debited >= 1;
update point_accounts set credited = credited + 1 where id = ${operator};
insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, inserted_at)
  values (gen_random_uuid(), 'spend', ${user}, ${operator}, 1, 0, 0, ${operator}, now());
${is_keyed ? keyInsert(user, operator) : ''}commit;
`
}

const keyInsert = (user: string, operator: string) =>
  `insert into idempotency_keys (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at)
  values (${user}, ${operator}, 'spend', gen_random_uuid()::text, sha256('1'), gen_random_uuid(), 0, now());
`

export interface SpendCase {
  operators: number
  /** Whether each spend has its own Idempotency-Key, as the README recommends. */
  is_keyed: boolean
  must: number
}

/** Transactions per second of pgbench with 32 clients and prepared statements. */
function pgbench({ host, user, name }: BenchDatabase, script: string): Promise<number> {
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    '32',
    '-j',
    '2',
    '-T',
    String(seconds),
    '-f',
    script,
    '-h',
    host,
    '-U',
    user,
    name,
  ]
  return new Promise((resolve, reject) => {
    const child = spawn('pgbench', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', () =>
      reject(new Error('pgbench is not installed: it comes with Debian’s package postgresql-contrib')),
    )
    child.on('exit', () => {
      const tps = /tps = ([\d.]+) \(without/.exec(output)?.[1]
      if (tps) resolve(Number(tps))
      else reject(new Error(`pgbench said: ${output}`))
    })
  })
}

/** Spends over HTTP compared with one transaction each in pgbench, with contention on few or many operators. */
export async function benchSpend(
  closers: Closers,
  postgres: { host: string; user: string; folder: string },
  spends: SpendCase,
): Promise<Figure> {
  const { operators, is_keyed, must } = spends
  const database = await createBenchDatabase(closers, postgres, `spend_${operators}`)
  await seed(database.pool, { users, apps: operators })
  const script = join(postgres.folder, `spend_${operators}.sql`)
  await writeFile(script, pgbenchScript(spends))
  const service = await startBenchService(closers, database)
  const requests = Array.from({ length: users }, (_, n) => spendRequest((n * 7919) % users, is_keyed))
  let share = 0
  const ours = async () => {
    const result = await putLoad({ port: service.port, connections, seconds, requests })
    if (result.refused > 0) throw new Error(`${result.refused} spends were refused`)
    share = result.generator_share
    return result.per_second
  }
  await ours()
  const results = await inTurns(`spend${is_keyed ? ' keyed' : ''}, ${operators} operators`, rounds, ours, () =>
    pgbench(database, script),
  )
  await service.stop()
  return {
    name: `spend${is_keyed ? ' with an Idempotency-Key' : ''}, 10 000 users, ${operators} operator${operators > 1 ? 's' : ''}, 64 connections`,
    ours: perSecond(results.map((round) => round.ours)),
    other: `pgbench ${perSecond(results.map((round) => round.other))}`,
    ratio: medianRatio(results),
    must,
    sense: 'at_least',
    note: `load generator ${Math.round(share * 100)} % of a core`,
  }
}

export const spendRequest = (n: number, is_keyed = false) =>
  rawRequest(
    'POST',
    '/api/external/points/spend',
    { authorization: `Bearer ${seeded.accessToken(n)}`, ...(is_keyed && { 'idempotency-key': '{unique}' }) },
    '{"amount":1}',
  )
