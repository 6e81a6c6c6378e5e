import { onTestFinished } from 'vitest'
import type { TestService } from './harness.ts'

let made = 0

/** Makes every update that changes `column` of one row fail, until the returned function is called or the test ends. */
export async function failRowUpdates({ db: { pool } }: TestService, table: string, id: string, column: string) {
  const name = `failing_${++made}`
  await pool.query(`
    create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'this row fails'; end $$;
    create trigger ${name} before update of ${column} on ${table} for each row
      when (new.id = '${id}' and new.${column} is distinct from old.${column}) execute function ${name}()`)
  const remove = async () => void (await pool.query(`drop function if exists ${name} cascade`))
  onTestFinished(remove)
  return remove
}
