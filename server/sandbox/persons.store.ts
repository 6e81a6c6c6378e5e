import { hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface TestPersonRow {
  id: string
  username: string
  email: string
  points: number
  inserted_at: Date
}

/** The outcome for a new test person; `of_test_person` and `too_many` write nothing. */
export type Added = 'added' | 'of_test_person' | 'too_many'

/** Records the maker of a test person. Locks the maker until the transaction ends, so that parallel calls wait. */
export async function insertTestPerson(
  tx: Tx,
  { user_id, made_by, now, persons_max }: { user_id: string; made_by: string; now: Date; persons_max: number },
): Promise<Added> {
  await tx.sql`select from users where id = ${made_by} for no key update`
  const [found] = await tx.sql<{ is_test_person: boolean; persons: number }>`
    select exists (select from test_persons where user_id = ${made_by}) as is_test_person,
           (select count(*) from test_persons where made_by = ${made_by}) as persons`
  if (found!.is_test_person) return 'of_test_person'
  if (found!.persons >= persons_max) return 'too_many'
  await tx.sql`insert into test_persons (user_id, made_by, inserted_at) values (${user_id}, ${made_by}, ${now})`
  return 'added'
}

/** The test persons that a person made, newest first. */
export const listPersonsMadeBy = (db: Sql, { made_by, rows_max }: { made_by: string; rows_max: number }) =>
  db.sql<TestPersonRow>`
    select u.id, u.username, u.email, a.credited - a.debited - a.held as points, p.inserted_at
      from test_persons p join users u on u.id = p.user_id join point_accounts a on a.id = u.id
     where p.made_by = ${made_by}
     order by p.user_id desc
     limit ${rows_max}`

/** Whether this user made this test person. */
export const isMadeBy = (db: Sql, { user_id, made_by }: { user_id: string; made_by: string }) =>
  hasRows(db.sql`select 1 from test_persons where user_id = ${user_id} and made_by = ${made_by}`)
