import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { TestService } from './harness.ts'
import { waitUntil } from './wait.ts'

/**
 * Reads PostgreSQL's statistics of the rows read in a service's database. A connection reports its counters up to a minute late, and always
 * when it closes, so close a connection before reading counters that must include its reads.
 */
export async function openReadStatistics({ db }: TestService) {
  const connectionString = String(db.pool.options.connectionString)
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  let remaining: { pid: number; what: string }[] = []
  const untilGone = (matches: (pid: number) => boolean) =>
    waitUntil(
      async () => {
        const { rows } = await client.query<{ pid: number; what: string }>(`
          select pid, concat_ws(' ', application_name, state, wait_event, query) as what from pg_stat_activity
           where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
        remaining = rows.filter(({ pid }) => matches(pid))
        return remaining.length === 0
      },
      () => `the end of ${remaining.map(({ what }) => what).join('; ')}`,
      { interval_ms: 50 },
    )
  return {
    /** Waits until all other connections are closed, so that the counters are complete. */
    untilDisconnected: () => untilGone(() => true),
    /** Runs `work` on a new connection; its reads are counted when this resolves. */
    async onNewConnection(work: (other: pg.Client) => Promise<unknown>) {
      const other = new pg.Client({ connectionString })
      await other.connect()
      const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
      try {
        await work(other)
      } finally {
        await other.end()
      }
      await untilGone((pid) => pid === rows[0]?.pid)
    },
    /** The number of rows read per table: `all`, and those read by sequential scans. */
    async rowsRead(tables: readonly string[]) {
      const { rows } = await client.query<{ name: string; sequential: number; all: number }>(
        `select relname as name, seq_tup_read as sequential, seq_tup_read + coalesce(idx_tup_fetch, 0) as all
           from pg_stat_user_tables where schemaname = 'public' and relname = any($1)`,
        [tables],
      )
      return new Map(rows.map(({ name, sequential, all }) => [name, { sequential, all }]))
    },
  }
}

/** Stops the service. The result counts the rows of a table that calls to a new process at `url` read. */
export async function countReadsOf(plaza: TestService, table: string) {
  const statistics = await openReadStatistics(plaza)
  const counted = async () => (await statistics.rowsRead([table])).get(table)!
  await plaza.stopAll()
  await statistics.untilDisconnected()
  return async (calls: (url: string) => Promise<void>) => {
    const before = await counted()
    const reader = await plaza.startAnother({ ROLES: 'api' })
    await calls(reader.url)
    await reader.service.stop()
    await statistics.untilDisconnected()
    const after = await counted()
    return { sequential: after.sequential - before.sequential, all: after.all - before.all }
  }
}
