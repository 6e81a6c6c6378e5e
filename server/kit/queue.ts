import { json, type Sql } from './database.ts'

/** Puts a job into the queue; inside a transaction, it starts only once that commits. The payload must hold no secret. */
export const enqueue = (db: Sql, job: string, payload: Record<string, unknown>) =>
  db.sql`select graphile_worker.add_job(${job}, payload := ${json(payload)}::json, max_attempts := 8)`
