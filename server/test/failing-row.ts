import { onTestFinished } from 'vitest'
import type { TestService } from './harness.ts'

let made = 0

/** Has the database refuse every update that sets `column` of one row anew: an item that fails whatever is done, for one test. */
export async function failRowUpdates({ db: { pool } }: TestService, table: string, id: string, column: string) {
  const name = `cursed_${++made}`
  await pool.query(`
    create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'this row is cursed'; end $$;
    create trigger ${name} before update of ${column} on ${table} for each row
      when (new.id = '${id}' and new.${column} is distinct from old.${column}) execute function ${name}()`)
  const lift = async () => void (await pool.query(`drop function if exists ${name} cascade`))
  onTestFinished(lift)
  return lift
}
