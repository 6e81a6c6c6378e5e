import { onTestFinished } from 'vitest'
import type { Database } from '../platform/postgres/database.ts'
import { hasUnpublished } from '../webhooks/dispatch.store.ts'
import type { TestService } from './harness.ts'
import { waitUntil } from './wait.ts'

/** The part of a row that a delivery in progress does not change. */
const row_texts: Record<string, string> = {
  webhook_deliveries: 't.id::text',
  webhooks: `(to_jsonb(t) - array['due_at', 'lease_until', 'lease_owner', 'failing_since', 'last_failed_at', 'anew_since'])::text`,
}

const holder = 'a test'

/** Locks waiting jobs until the end of the test. */
async function holdJobs(db: Database) {
  const held = await db.sql`
    update graphile_worker._private_jobs set locked_at = now(), locked_by = ${holder}
     where locked_at is null and attempts < max_attempts returning id`
  if (held.length > 0)
    onTestFinished(async () => {
      await db.sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_by = ${holder}`
    })
}

/**
 * A digest of every table that the service writes, and the number of jobs ever enqueued: equal digests mean that nothing was written.
 * Excludes rate limit counters, because refused calls count too, and heartbeats of job runners. Pending last-use times are flushed first.
 * Jobs that are due within seconds and events of apps are awaited; later jobs wait for the end of the test, because one of an earlier test could write
 * in between. Deliveries of earlier tests continue, so only their identity counts.
 */
export async function digestTables({ db, service }: TestService): Promise<Record<string, string>> {
  await service.app.last_uses.flush()
  await waitUntil(async () => {
    const due =
      await db.sql`select 1 from graphile_worker.jobs where run_at <= now() + interval '3 seconds' and attempts < max_attempts
         and locked_by is distinct from ${holder} limit 1`
    return due.length === 0 && !(await hasUnpublished(db))
  }, 'the end of all due jobs, and the events of apps')
  await holdJobs(db)
  const tables = await db.sql<{ name: string }>`
    select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('rate_limits', 'job_runners', 'webhook_attempts')`
  const digests = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(row, 0))::text, '') as rows
         from (select ${row_texts[name] ?? 't::text'} as row from ${name} t) r`,
  )
  const { rows } = await db.pool.query<{ name: string; rows: string }>(digests.join(' union all '))
  const [jobs] = await db.sql<{ rows: string }>`
    select sum(last_value)::text as rows from pg_sequences where schemaname = 'graphile_worker'`
  return Object.fromEntries([...rows, { name: 'jobs', rows: jobs?.rows ?? '' }].map((row) => [row.name, row.rows]))
}
