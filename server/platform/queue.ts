import { json, type Sql } from './postgres/database.ts'

/** Mails have the lowest priority, since the mail server may hang. */
const priorities = { normal: 0, mail: 10 }

/** Enqueues a job; within a transaction, it runs only after the commit. The payload must hold no secret. */
export const enqueue = (
  db: Sql,
  job: string,
  payload: Record<string, unknown>,
  { priority = 'normal', after_seconds = 0 }: { priority?: keyof typeof priorities; after_seconds?: number } = {},
) =>
  db.sql`
    select graphile_worker.add_job(
      ${job}, payload := ${json(payload)}::json, max_attempts := 8, priority := ${priorities[priority]}::integer,
      run_at := now() + make_interval(secs => ${after_seconds}))`
