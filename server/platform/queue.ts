import { json, type Sql } from './postgres/database.ts'

/** Mails wait for a server that may hang: whatever else is due goes before them. */
const priorities = { soon: 0, mail: 10 }

/** Puts a job into the queue; inside a transaction, it starts only once that commits. The payload must hold no secret. */
export const enqueue = (
  db: Sql,
  job: string,
  payload: Record<string, unknown>,
  { priority = 'soon' }: { priority?: keyof typeof priorities } = {},
) =>
  db.sql`
    select graphile_worker.add_job(
      ${job}, payload := ${json(payload)}::json, max_attempts := 8, priority := ${priorities[priority]}::integer)`
