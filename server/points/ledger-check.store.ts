import type { Sql } from '../platform/postgres/database.ts'

export interface LedgerTotals {
  accounts: number
  transfers: number
  total_debited: string
  total_credited: string
  total_transferred: string
  faults: { account_id: string | null; fault: string }[]
}

/**
 * Compares every account with the sums of its transfers and with the balance in its last transfer, in one statement and
 * so in one snapshot. Returns at most 100 faults.
 */
export async function auditLedger(db: Sql): Promise<LedgerTotals> {
  const [totals] = await db.sql<LedgerTotals>`
    with sides as (
      select account_id, sum(debit) as debited, sum(credit) as credited, max(seq) as last_seq
        from (select from_account as account_id, amount as debit, 0 as credit, seq from transfers
              union all
              select to_account, 0, amount, seq from transfers) side
       group by account_id
    ), compared as (
      select coalesce(a.id, s.account_id) as account_id, a.id is null as missing, a.kind,
             a.debited as account_debited, a.credited as account_credited, a.held,
             coalesce(s.debited, 0) as debited, coalesce(s.credited, 0) as credited,
             case when l.from_account = s.account_id then l.from_after else l.to_after end as last_after
        from point_accounts a
        full join sides s on s.account_id = a.id
        left join transfers l on l.seq = s.last_seq
    ), faults as (
      select account_id, 'transfers name an account that does not exist' as fault from compared where missing
      union all
      select account_id, 'debited differs from the sum of its transfers' from compared
       where not missing and account_debited <> debited
      union all
      select account_id, 'credited differs from the sum of its transfers' from compared
       where not missing and account_credited <> credited
      union all
      select account_id, 'balance differs from what its last transfer recorded' from compared
       where not missing and last_after is not null and last_after <> account_credited - account_debited
      union all
      select account_id, 'balance is below zero' from compared
       where not missing and kind <> 'system' and account_credited < account_debited
      union all
      select account_id, 'held is below zero or above the balance' from compared
       where not missing and kind <> 'system' and (held < 0 or held > account_credited - account_debited)
      union all
      select coalesce(c.account_id, h.user_id), 'held differs from the sum of its open holds'
        from (select account_id, held from compared where not missing) c
        full join (select user_id, sum(amount) as amount from holds where status = 'open' group by user_id) h
          on h.user_id = c.account_id
       where coalesce(c.held, 0) <> coalesce(h.amount, 0)
      union all
      select h.user_id, 'a captured hold differs from its transfer'
        from holds h left join transfers t on t.id = h.transfer_id
       where h.status = 'captured'
         and (t.hold_id, t.from_account, t.to_account, t.amount) is distinct from (h.id, h.user_id, h.app_id, h.captured_amount)
      union all
      select r.from_account, 'refunds exceed their spend'
        from (select refunded_id, min(from_account::text)::uuid as from_account, sum(amount) as amount
                from transfers where refunded_id is not null group by refunded_id) r
        left join transfers s on s.id = r.refunded_id
       where s.amount is null or r.amount > s.amount
      limit 100
    )
    select (select count(*) from point_accounts) as accounts,
           (select count(*) from transfers) as transfers,
           (select coalesce(sum(debited), 0)::text from point_accounts) as total_debited,
           (select coalesce(sum(credited), 0)::text from point_accounts) as total_credited,
           (select coalesce(sum(amount), 0)::text from transfers) as total_transferred,
           (select coalesce(json_agg(faults), '[]') from faults) as faults`
  return totals as LedgerTotals
}

interface LedgerCheck {
  /** The time of the installation, or of the upgrade that introduced the checks. */
  since: Date
  checked_at: Date | null
  balanced: boolean | null
}

export async function findLedgerCheck(db: Sql): Promise<LedgerCheck> {
  const [row] = await db.sql<LedgerCheck>`select since, checked_at, balanced from ledger_check`
  return row!
}

/** Stores the result of a check, unless a later result is stored. */
export const saveLedgerCheck = (db: Sql, { checked_at, balanced }: { checked_at: Date; balanced: boolean }) =>
  db.sql`
    update ledger_check set checked_at = ${checked_at}, balanced = ${balanced}
     where checked_at is null or checked_at < ${checked_at}`
