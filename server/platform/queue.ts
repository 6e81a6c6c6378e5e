import { json, type Sql, type Tx } from './postgres/database.ts'

/**
 * How many jobs with a flag a process runs concurrently: mail servers may take ten minutes to answer, and anyone can choose a push service.
 */
export const slots = { mail: 2, push: 1 } as const

/**
 * Mails have the lowest priority and a flag, because the mail server may hang. They are retried for two days, longer than mail servers are
 * usually down; other jobs for about an hour.
 */
const kinds = {
  normal: { priority: 0, attempts_max: 8, flags: [] },
  mail: { priority: 10, attempts_max: 16, flags: ['mail'] },
  // A push message is a hint, which is useless hours later.
  push: { priority: 10, attempts_max: 4, flags: ['push'] },
} satisfies Record<string, { priority: number; attempts_max: number; flags: (keyof typeof slots)[] }>

export interface QueuedJob {
  job: string
  /** Must not contain a secret. */
  payload: Record<string, unknown>
}

/** Enqueues mails or push messages with one statement. */
export const enqueueAll = (tx: Tx, kind: 'mail' | 'push', jobs: readonly QueuedJob[]) =>
  tx.sql`
    select graphile_worker.add_job(
             j.job, payload := j.payload::json, max_attempts := ${kinds[kind].attempts_max}::integer,
             priority := ${kinds[kind].priority}::integer, flags := ${kinds[kind].flags}::text[])
      from unnest(${jobs.map(({ job }) => job)}::text[],
                  ${jobs.map(({ payload }) => JSON.stringify(payload))}::text[]) j(job, payload)`

/**
 * Enqueues a job; within a transaction, it runs only after the commit. With a key it replaces a job of the same key that has not started.
 * The payload must not contain a secret.
 */
export const enqueue = (
  db: Sql,
  job: string,
  payload: Record<string, unknown>,
  {
    priority = 'normal',
    after_seconds = 0,
    key,
  }: { priority?: keyof typeof kinds; after_seconds?: number; key?: string } = {},
) => {
  const kind = kinds[priority]
  return db.sql`
    select graphile_worker.add_job(
      ${job}, payload := ${json(payload)}::json, max_attempts := ${kind.attempts_max}::integer,
      priority := ${kind.priority}::integer, flags := ${kind.flags}::text[],
      run_at := now() + make_interval(secs => ${after_seconds}), job_key := ${key ?? null})`
}
