import type { Sql } from '../platform/postgres/database.ts'

interface SystemAccounts {
  starts: Date[]
  /** The accounts that points come from. */
  issuing: string[]
  others: string[]
}

/**
 * The points issued, and the points of people and apps, at these times: from the last movement of each system account
 * before each time.
 */
export const findSystemBalances = (db: Sql, { starts, issuing, others }: SystemAccounts) =>
  db.sql<{ issued: number; in_circulation: number }>`
    with moments as materialized (
      select at, transfer_seq_at(moment) as seq from unnest(${starts}::timestamptz[]) with ordinality m(moment, at)
    ), balances as (
      select m.at, a.id, coalesce(last.balance, 0) as balance
        from moments m
       cross join unnest(${[...issuing, ...others]}::uuid[]) a(id)
        left join lateral (
          select balance
            from ((select seq, from_after as balance from transfers where from_account = a.id and seq < m.seq order by seq desc limit 1)
                  union all
                  (select seq, to_after from transfers where to_account = a.id and seq < m.seq order by seq desc limit 1)) moved
           order by seq desc limit 1
        ) last on true
    )
    select coalesce(-sum(balance) filter (where id = any(${issuing}::uuid[])), 0)::bigint as issued,
           (-sum(balance))::bigint as in_circulation
      from balances
     group by at
     order by at`
