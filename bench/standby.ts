import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openLog } from '../server/platform/log.ts'
import { prepareDatabase } from '../server/processes/database.ts'
import { databaseUrlOf, PostgresNode } from '../server/test/postgres-node.ts'
import { isOk, waitUntil } from '../server/test/wait.ts'
import { note } from './lib/figure.ts'
import { answeredLoad, connections, ofUsers, seconds } from './lib/load.ts'
import { processorSeconds } from './lib/processor-time.ts'
import { Closers, median, seed, startBenchService, tokenOf, type BenchService } from './lib/world.ts'
import { spendRequest } from './points.ts'

const users = 10_000
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const promotions = 3

/** How the primary uses its standby. */
const modes = ['no standby', 'asynchronous', 'synchronous'] as const
type Mode = (typeof modes)[number]

interface Round {
  per_second: number
  median_ms: number
  p99_ms: number
  /** Microseconds of processor time per spend. */
  service_us: number
  primary_us: number
  standby_us: number
  wal_bytes: number
  /** Bytes of WAL that the standby had not written to disk yet: the median and the largest of samples. */
  behind: number
  most_behind: number
}

interface Pair {
  primary: PostgresNode
  standby: PostgresNode
  service: BenchService
}

const setMode = async ({ primary, standby }: Pair, mode: Mode) => {
  await standby.stop()
  if (mode !== 'no standby') await standby.start()
  await primary.query(`alter system set synchronous_standby_names = '${mode === 'synchronous' ? 'standby' : ''}'`)
  await primary.query('select pg_reload_conf()')
  const wanted = { 'no standby': '{}', asynchronous: '{async}', synchronous: '{sync}' }[mode]
  const isSet = async () => {
    const [row] = await primary.query<{ states: string }>(
      "select coalesce(array_agg(sync_state) filter (where state = 'streaming'), '{}')::text as states from pg_stat_replication",
    )
    return row?.states === wanted
  }
  await waitUntil(isSet, mode, { timeout_ms: 30_000 })
}

async function measureOnce({ primary, standby, service }: Pair): Promise<Round> {
  const [client, sampler] = [await primary.connect(), await primary.connect()]
  const walNow = async () => Number((await client.query("select pg_current_wal_lsn() - '0/0' as at")).rows[0]?.at)
  const used = () => Promise.all([service.pid, primary.pid, standby.pid].map(processorSeconds))
  const behind: number[] = []
  let is_over = false
  const sample = async () => {
    const { rows } = await sampler.query(
      'select pg_current_wal_flush_lsn() - flush_lsn as bytes from pg_stat_replication',
    )
    if (rows[0]) behind.push(Number(rows[0].bytes))
    await pause(50)
    if (!is_over) await sample()
  }
  let began: { used: Promise<number[]>; wal: Promise<number> } | undefined
  let sampling: Promise<void> | undefined
  const result = await answeredLoad(
    { port: service.port, requests: ofUsers(users, (n) => spendRequest(n, true)) },
    () => {
      began = { used: used(), wal: walNow() }
      sampling = sample()
    },
  )
  is_over = true
  await sampling
  const [before, wal_before] = [await began!.used, await began!.wal]
  const [after, wal_after] = [await used(), await walNow()]
  await Promise.all([client.end(), sampler.end()])
  const cost = (at: number) => (((after[at] ?? 0) - (before[at] ?? 0)) / result.answers) * 1e6
  return {
    per_second: result.per_second,
    median_ms: result.milliseconds.median,
    p99_ms: result.milliseconds.p99,
    service_us: cost(0),
    primary_us: cost(1),
    standby_us: cost(2),
    wal_bytes: (wal_after - wal_before) / result.answers,
    behind: median(behind),
    most_behind: Math.max(0, ...behind),
  }
}

/**
 * Kills the primary, then promotes its standby. Returns the milliseconds from the start of the promotion until
 * `pg_promote` returns, and until the service books a spend.
 */
async function promote({ primary, standby, service }: Pair) {
  await primary.kill()
  await waitUntil(async () => !(await isOk(`${service.issuer}/readyz`)), 'the loss of the primary', { interval_ms: 20 })
  const began_at = performance.now()
  await standby.query('select pg_promote()')
  const promoted_ms = performance.now() - began_at
  await standby.query("alter system set synchronous_standby_names = ''")
  await standby.query('select pg_reload_conf()')
  const spends = async () =>
    (
      await fetch(`${service.issuer}/api/external/points/spend`, {
        method: 'POST',
        headers: { ...tokenOf(1), 'content-type': 'application/json' },
        body: '{"amount":1}',
      }).catch(() => undefined)
    )?.status === 200
  await waitUntil(spends, 'a spend on the promoted server', { interval_ms: 20 })
  return { promoted_ms, spending_ms: performance.now() - began_at }
}

async function startPair(closers: Closers): Promise<Pair> {
  const primary = await PostgresNode.primary({ fsync: true, atEnd: (close) => closers.add(close) })
  await primary.query('create database plaza')
  const pool = new pg.Pool({ host: primary.host, user: 'postgres', database: 'plaza', max: 2 })
  pool.on('error', () => {})
  await prepareDatabase(pool, openLog('silent'))
  await seed(pool, { users, apps: 1 })
  await pool.end()
  const standby = await primary.standby('standby')
  const url = databaseUrlOf('plaza', [primary, standby])
  const database = { host: primary.host, user: 'postgres', name: 'plaza', pool, url }
  return {
    primary,
    standby,
    service: await startBenchService(closers, database, { ROLES: 'api', DRAIN_SECONDS_API: '0' }),
  }
}

const whole = (value: number) => Math.round(value).toLocaleString('en')

function rowOf(mode: Mode, results: Round[]) {
  const middle = (of: keyof Round) => median(results.map((result) => result[of]))
  const costs = [middle('service_us'), middle('primary_us'), middle('standby_us'), middle('wal_bytes')].map(whole)
  const lag =
    mode === 'no standby' ? ['', ''] : [middle('behind'), Math.max(...results.map((one) => one.most_behind))].map(whole)
  const waits = [middle('median_ms'), middle('p99_ms')].map((ms) => ms.toFixed(1))
  return `| ${[mode, whole(middle('per_second')), ...waits, ...costs, ...lag].join(' | ')} |`
}

const head = [
  '| standby | spends a second | median, ms | p99, ms | service, µs a spend | primary, µs | standby, µs | WAL, bytes a spend | behind, bytes | at most |',
  '|---|---|---|---|---|---|---|---|---|---|',
]

/** The cost of a spend with a key without a standby, with an asynchronous and a synchronous one; the time of a promotion. */
export async function measureStandby(save: (table: string) => Promise<void>) {
  const results: Record<Mode, Round[]> = { 'no standby': [], asynchronous: [], synchronous: [] }
  const times: Awaited<ReturnType<typeof promote>>[] = []
  for (let pair_number = 0; pair_number < promotions; pair_number++) {
    const closers = new Closers()
    try {
      const pair = await startPair(closers)
      // The service compiles its code.
      for (let warming = 0; warming < 3; warming++) await measureOnce(pair)
      // Each pair begins with another mode.
      for (const mode of [...modes.slice(pair_number), ...modes.slice(0, pair_number)]) {
        await setMode(pair, mode)
        for (let round = 0; round < Math.ceil(rounds / promotions); round++) results[mode].push(await measureOnce(pair))
      }
      await setMode(pair, 'synchronous')
      times.push(await promote(pair))
      note(JSON.stringify(times.at(-1)))
    } finally {
      await closers.closeAll()
    }
  }
  const list = (of: 'promoted_ms' | 'spending_ms') => times.map((time) => whole(time[of])).join(', ')
  await save(
    [
      `${connections} connections; medians of ${results.synchronous.length} rounds of ${seconds} s for each row, the rows in turn. If other programs use the machine, only processor time and WAL are valid.`,
      '',
      ...head,
      ...modes.map((mode) => rowOf(mode, results[mode])),
      '',
      `After the primary was killed: \`pg_promote\` took ${list('promoted_ms')} ms, and a spend was booked again ${list('spending_ms')} ms after it began.`,
    ].join('\n'),
  )
}
