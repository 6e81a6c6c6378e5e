import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { TestService } from './harness.ts'
import { waitUntil } from './wait.ts'

/**
 * Reads how many rows PostgreSQL has read in the database of a service. A connection adds what it has read to these
 * counts up to a minute later, and at its end for certain: so whoever is to be counted disconnects before the counts are
 * read.
 */
export async function openCounts({ db }: TestService) {
  const connectionString = String(db.pool.options.connectionString)
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  let left: { pid: number; what: string }[] = []
  const untilGone = (isMeant: (pid: number) => boolean) =>
    waitUntil(
      async () => {
        const { rows } = await client.query<{ pid: number; what: string }>(`
          select pid, concat_ws(' ', application_name, state, wait_event, query) as what from pg_stat_activity
           where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
        left = rows.filter(({ pid }) => isMeant(pid))
        return left.length === 0
      },
      () => `the end of ${left.map(({ what }) => what).join('; ')}`,
      { timeout_ms: 60_000, interval_ms: 50 },
    )
  return {
    /** Waits until nobody else is connected: from then on the counts hold all that was read. */
    untilAlone: () => untilGone(() => true),
    /** Does work on a connection of its own that has ended, and is counted, when this resolves. */
    async elsewhere(work: (other: pg.Client) => Promise<unknown>) {
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
    /** Rows of each of these tables that were read, by any plan, and those of them that were read by reading the table whole. */
    async rowsRead(tables: readonly string[]) {
      const { rows } = await client.query<{ name: string; whole: number; all: number }>(
        `select relname as name, seq_tup_read as whole, seq_tup_read + coalesce(idx_tup_fetch, 0) as all
           from pg_stat_user_tables where schemaname = 'public' and relname = any($1)`,
        [tables],
      )
      return new Map(rows.map(({ name, whole, all }) => [name, { whole, all }]))
    },
  }
}
