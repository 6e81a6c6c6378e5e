import { purgesRowsOf } from '../platform/erasure.ts'
import type { Sql } from '../platform/postgres/database.ts'

export interface SealedMail {
  id: string
  sealed: Buffer
  sent_at: Date
}

export const insertMail = (db: Sql, { id, address, sealed, sent_at }: SealedMail & { address: string }) =>
  db.sql`insert into sandbox_mails (id, address, sealed, sent_at) values (${id}, lower(${address}), ${sealed}, ${sent_at})`

/** The mails to a user's current address, newest first. */
export const listMailsOf = (
  db: Sql,
  { user_id, before_id, rows_max }: { user_id: string; before_id: string | null; rows_max: number },
) =>
  db.sql<SealedMail>`
    select m.id, m.sealed, m.sent_at
      from users u join sandbox_mails m on m.address = lower(u.email)
     where u.id = ${user_id} and (${before_id}::uuid is null or m.id < ${before_id})
     order by m.id desc
     limit ${rows_max}`

export const purgeMails = purgesRowsOf('sandbox_mails', 'sent_at')
