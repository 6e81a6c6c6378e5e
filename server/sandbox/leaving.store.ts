import type { Tx } from '../platform/postgres/database.ts'

/** Deletes the person's mails and the record of a test person. */
export async function deleteSandboxRows(tx: Tx, user_id: string, email: string) {
  await tx.sql`delete from sandbox_mails where address = lower(${email})`
  await tx.sql`delete from test_persons where user_id = ${user_id} or made_by = ${user_id}`
}
