import type { Sql, Tx } from '../platform/postgres/database.ts'
import { limited_kinds } from './rules.ts'

export const listLimits = (db: Sql, user_id: string) =>
  db.sql<{ app_id: string; daily_limit: number }>`
    select app_id, daily_limit from spending_limits where user_id = ${user_id}`

/** Points that count towards a person's limits now, by app, as `find_allowances` counts them. */
export const listUses = (db: Sql, user_id: string, now: Date) =>
  db.sql<{ app_id: string; used: number }>`
    with known as materialized (
      select coalesce((
        select seq from transfers
         where from_account = ${user_id} and inserted_at <= ${now}::timestamptz - interval '25 hours'
         order by seq desc limit 1), 0) as seq
    ), counted as (
      select t.app_id, t.amount
        from known
       cross join lateral (
         select app_id, amount, kind, inserted_at from transfers where from_account = ${user_id} and seq > known.seq
       ) t
       where t.kind = any(${limited_kinds}) and t.inserted_at > ${now}::timestamptz - interval '1 day'
      union all
      select app_id, amount from holds where user_id = ${user_id} and status = 'open'
    )
    select app_id, sum(amount)::bigint as used from counted where app_id is not null group by app_id`

/**
 * Sets or deletes a limit, under the lock on the account, which orders take too: each order is decided by either the
 * old or the new limit.
 */
export async function writeLimit(
  tx: Tx,
  { user_id, app_id, daily_limit }: { user_id: string; app_id: string; daily_limit: number | null },
) {
  await tx.sql`select from point_accounts where id = ${user_id} for no key update`
  if (daily_limit === null) await tx.sql`delete from spending_limits where user_id = ${user_id} and app_id = ${app_id}`
  else
    await tx.sql`
      insert into spending_limits (user_id, app_id, daily_limit) values (${user_id}, ${app_id}, ${daily_limit})
      on conflict (user_id, app_id) do update set daily_limit = excluded.daily_limit`
  await tx.sql`
    update point_accounts set limited = exists (select from spending_limits where user_id = ${user_id})
     where id = ${user_id}`
}
