import type { TestService } from './harness.ts'
import { waitUntil } from './wait.ts'

/** The part of a row that a delivery in progress leaves as it is. */
const row_texts: Record<string, string> = {
  webhook_deliveries: 't.id::text',
  webhooks: `(to_jsonb(t) - array['due_at', 'lease_until', 'lease_owner', 'failing_since', 'last_failed_at', 'anew_since'])::text`,
}

/**
 * A digest of every table that the service writes, and the number of jobs ever enqueued: equal digests mean that nothing was
 * written. Counters of rate limits are left out, since refused calls count too, and heartbeats of job runners. Pending last-use times
 * are flushed first, and jobs that are due within seconds are awaited: a job of an earlier test could write in between. Deliveries of
 * earlier tests go on: only which there are counts.
 */
export async function digestTables({ db, service }: TestService): Promise<Record<string, string>> {
  await service.app.last_uses.flush()
  await waitUntil(async () => {
    const due =
      await db.sql`select 1 from graphile_worker.jobs where run_at <= now() + interval '3 seconds' and attempts < max_attempts limit 1`
    return due.length === 0
  }, 'the end of all due jobs')
  const tables = await db.sql<{ name: string }>`
    select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('rate_limits', 'job_runners', 'webhook_attempts')`
  const digests = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(row, '' order by row)), '') as rows
         from (select ${row_texts[name] ?? 't::text'} as row from ${name} t) r`,
  )
  const { rows } = await db.pool.query<{ name: string; rows: string }>(digests.join(' union all '))
  const [jobs] = await db.sql<{ rows: string }>`
    select sum(last_value)::text as rows from pg_sequences where schemaname = 'graphile_worker'`
  return Object.fromEntries([...rows, { name: 'jobs', rows: jobs?.rows ?? '' }].map((row) => [row.name, row.rows]))
}
