import type { Sql, Tx } from '../platform/postgres/database.ts'
import { sqlState } from '../platform/postgres/errors.ts'
import type { RowLocks } from '../platform/batching/row-locks.ts'
import type { Span } from '../platform/time-span.ts'
import type { TransferKind } from '../../contract/kinds/transfers.ts'
import {
  limited_kinds,
  order_facts,
  system_accounts,
  type LedgerOrder,
  type LedgerResult,
  type Move,
  type OrderKind,
  type OrderOutcome,
} from './rules.ts'

/** The result of a batch: one array for all orders. PostgreSQL writes them as JSON, which is read in one go. */
interface AppliedBatch {
  outcomes: OrderOutcome[]
  made_ids: string[] | null
  from_availables: (number | null)[]
  to_availables: (number | null)[]
  from_helds: (number | null)[] | null
}

/** Null where a number cannot represent the balance. */
const exact = (balance: number | null | undefined) => (Number.isSafeInteger(balance) ? balance : null) as number

/**
 * Applies the orders in order, in one transaction of one round trip; see functions.sql. Balances beyond 2^53 - 1, which only
 * system accounts reach, are null, and those after a refused order.
 */
export async function applyOrders(db: Sql, now: Date, orders: LedgerOrder[]): Promise<LedgerResult[]> {
  const batch = orders.every(isPlainMove) ? await applyMoves(db, now, orders) : await applyFully(db, now, orders)
  const { outcomes, made_ids, from_availables, to_availables, from_helds } = batch
  return orders.map(({ id }, at) => ({
    outcome: outcomes[at]!,
    transfer_id: made_ids?.[at] ?? id,
    from_after: exact(from_availables[at]),
    to_after: exact(to_availables[at]),
    from_held: from_helds?.[at] ?? null,
  }))
}

/** A move that only changes two accounts. If an app gets an event, it owns one of them. */
function isPlainMove(order: LedgerOrder) {
  const { kind, app_id, from_account, to_account, idempotency_key } = order
  const { effect, event } = order_facts[kind]
  if (effect !== 'move' || idempotency_key !== undefined) return false
  const { reference, metadata, refunded_id } = order as Move
  if (reference !== undefined || metadata !== undefined || refunded_id !== undefined) return false
  return event === null || app_id === undefined || app_id === from_account || app_id === to_account
}

/** The array parameters that both functions share. One loop makes them: a loop for each costs a spend 0.3 µs. */
function arraysOf(orders: LedgerOrder[]) {
  const accounts = new Set<string>()
  for (const { from_account, to_account } of orders) accounts.add(from_account).add(to_account)
  const account_ids = [...accounts].sort().reverse()
  const positions = new Map<string, number>()
  for (const id of account_ids) positions.set(id, positions.size + 1)
  const [ids, effects, kinds, events]: [string[], string[], string[], string[]] = [[], [], [], []]
  const [from_at, to_at, amounts]: [number[], number[], number[]] = [[], [], []]
  const [only_to_users, refuse_closed, count_to_limit]: [boolean[], boolean[], boolean[]] = [[], [], []]
  for (const { id, kind, from_account, to_account, amount } of orders) {
    const facts = order_facts[kind]
    ids.push(id)
    effects.push(facts.effect)
    kinds.push(facts.stored_as)
    events.push(facts.event ?? 'null')
    from_at.push(positions.get(from_account)!)
    to_at.push(positions.get(to_account)!)
    amounts.push(amount)
    only_to_users.push(facts.to_users_only)
    refuse_closed.push(facts.refuses_closed)
    count_to_limit.push(facts.counts_to_limit)
  }
  return {
    account_ids,
    positions,
    ids: arrayText(ids),
    effects: arrayText(effects),
    kinds: arrayText(kinds),
    from_at: arrayText(from_at),
    to_at: arrayText(to_at),
    amounts: arrayText(amounts),
    app_ids: valuesOf(orders, 'app_id'),
    descriptions: valuesOf(orders, 'description'),
    only_to_users: arrayWith(only_to_users),
    refuse_closed: arrayText(refuse_closed),
    count_to_limit: arrayText(count_to_limit),
    events: arrayText(events),
  }
}

async function applyMoves(db: Sql, now: Date, orders: LedgerOrder[]) {
  const given = arraysOf(orders)
  const [batch] = await db.sql<AppliedBatch>`
    select to_json(outcomes) as outcomes, to_json(made_ids) as made_ids, to_json(from_availables) as from_availables,
           to_json(to_availables) as to_availables, to_json(from_helds) as from_helds
      from apply_moves(
        ${now}, ${given.account_ids}, ${given.ids}, ${given.kinds}, ${given.from_at}, ${given.to_at}, ${given.amounts},
        ${given.app_ids}, ${given.descriptions}, ${given.only_to_users},
        ${given.effects}, ${given.refuse_closed}, ${given.count_to_limit}, ${given.events}, ${limited_kinds}
      )`
  return batch!
}

async function applyFully(db: Sql, now: Date, orders: LedgerOrder[]) {
  const given = arraysOf(orders)
  const secret_ids = valuesOf(orders, 'secret_id')
  const keys = valuesOf(orders, 'idempotency_key')
  const ownerOf = ({ kind, from_account, to_account }: LedgerOrder) =>
    ['capture', 'release'].includes(order_facts[kind].effect) ? to_account : from_account
  const [batch] = await db.sql<AppliedBatch>`
    select to_json(outcomes) as outcomes, to_json(made_ids) as made_ids, to_json(from_availables) as from_availables,
           to_json(to_availables) as to_availables, to_json(from_helds) as from_helds
      from apply_orders_fully(
        ${now}, ${given.account_ids}, ${given.ids}, ${given.effects}, ${given.kinds}, ${given.from_at}, ${given.to_at}, ${given.amounts},
        ${given.app_ids}, ${given.descriptions}, ${given.only_to_users},
        ${given.refuse_closed}, ${given.count_to_limit}, ${given.events}, ${limited_kinds},
        ${keys},
        ${keys && arrayText(orders.map((order) => given.positions.get(ownerOf(order))!))},
        ${keys && arrayText(orders.map(({ kind }) => kind))},
        ${valuesOf(orders, 'request_hash')},
        ${valuesOf(orders, 'reference')},
        ${valuesOf(orders, 'metadata')?.map((metadata) => metadata && JSON.stringify(metadata)) ?? null},
        ${valuesOf(orders, 'hold_id')},
        ${valuesOf(orders, 'refunded_id')},
        ${valuesOf(orders, 'expires_at')},
        ${arrayWith(orders.map(({ kind }) => order_facts[kind].before_expiry))}
      )
     where ${secret_ids}::uuid[] is null or require_clients(${secret_ids}, ${valuesOf(orders, 'approved_app_id')})`
  return batch!
}

/** The failure of an app whose secret or approval ended before its order was applied; see `require_clients`. */
export const endedCaller = (error: unknown) => ended_callers[sqlState(error) ?? '']

const ended_callers: Readonly<Record<string, 'client_unauthorized' | 'client_not_approved'>> = {
  PZ001: 'client_unauthorized',
  PZ002: 'client_not_approved',
}

/** A PostgreSQL array literal of values that need no quotes; pg would quote each value. */
const arrayText = (values: (string | number | boolean)[]) => `{${values.join(',')}}`

/** Null if no value is true. */
const arrayWith = (values: boolean[]) => (values.includes(true) ? arrayText(values) : null)

type FieldOf<Order> = Order extends unknown ? keyof Order : never

/** One value per order, or null if no order has one: most batches have no keys, references or holds. */
function valuesOf(orders: LedgerOrder[], field: FieldOf<LedgerOrder>): unknown[] | null {
  const valueOf = (order: LedgerOrder) => (order as Partial<Record<typeof field, unknown>>)[field] ?? null
  return orders.some((order) => valueOf(order) !== null) ? orders.map(valueOf) : null
}

/** The rows of accounts that orders lock. */
export const accountLocks = (db: Sql): RowLocks => ({
  async findLocked(ids) {
    const rows = await db.sql<{ id: string }>`
      with free as materialized (
        select id from point_accounts where id = any(${ids}::uuid[]) for no key update skip locked
      )
      select a.id from point_accounts a left join free on free.id = a.id where a.id = any(${ids}::uuid[]) and free.id is null`
    return rows.map(({ id }) => id)
  },
  waitFor: (id) => db.sql`select from point_accounts where id = ${id} for no key update`,
})

interface StoredKey {
  transfer_id: string
  request_hash: Buffer
  points: number
}

interface ClaimedKey {
  user_id: string
  key: string
  request_hash: Buffer
  transfer_id: string
  now: Date
}

/**
 * Claims the key of an award and returns the transfer stored under it: this one, or that of an earlier call. Waits for a
 * call that is claiming the same key. The key of an award has no app; the paying account takes its place.
 */
export async function claimAwardKey(tx: Tx, { user_id, key, request_hash, transfer_id, now }: ClaimedKey) {
  const [stored] = await tx.sql<StoredKey>`
    insert into idempotency_keys as k (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at)
    values (${user_id}, ${system_accounts.issuance}, 'award', ${key}, ${request_hash}, ${transfer_id}, 0, ${now})
    on conflict (user_id, app_id, operation, key) do update set key = k.key
    returning k.transfer_id, k.request_hash, k.points`
  return stored as StoredKey
}

/** Stores with the key of an award the user's balance after it. */
export const fillAwardKey = (tx: Tx, { user_id, key, points }: { user_id: string; key: string; points: number }) =>
  tx.sql`
    update idempotency_keys set points = ${points}
     where user_id = ${user_id} and app_id = ${system_accounts.issuance} and operation = 'award' and key = ${key}`

/** Whether an earlier call used this key. */
export async function isKeyUsed(
  db: Sql,
  { user_id, app_id, operation, key }: { user_id: string; app_id: string; operation: OrderKind; key: string },
) {
  const rows = await db.sql`
    select 1 from idempotency_keys
     where user_id = ${user_id} and app_id = ${app_id} and operation = ${operation} and key = ${key}`
  return rows.length > 0
}

export const insertAccount = (db: Sql, id: string, kind: 'user' | 'app') =>
  db.sql`insert into point_accounts (id, kind) values (${id}, ${kind})`

export const findBalances = (db: Sql, account_ids: string[]) =>
  db.sql<{ id: string; points: number; held: number }>`
    select id, credited - debited - held as points, held from point_accounts where id = any(${account_ids}::uuid[])`

/** The credited and debited totals of an account, as text. Both only increase. */
export interface AccountTotals {
  id: string
  credited: string
  debited: string
}

export const findTotals = (db: Sql, account_ids: string[]) =>
  db.sql<AccountTotals>`
    select id, credited::text, debited::text from point_accounts where id = any(${account_ids}::uuid[])`

export interface HistoryRow {
  seq: number
  id: string
  kind: TransferKind
  direction: 'in' | 'out'
  amount: number
  points_after: number
  description: string | null
  app_id: string | null
  app_name: string | null
  reference: string | null
  refunded_transfer_id: string | null
  other_user_id: string | null
  inserted_at: Date
}

export interface HistoryFilter extends Span {
  account_id: string
  before_seq: number | null
  kind: TransferKind | null
  direction: 'in' | 'out' | null
  app_id: string | null
  reference: string | null
  rows_max: number
}

/**
 * An account's movements, newest first. Each side is read by its own index, so the cost is that of one page; a time range is
 * first converted to a range of `seq`, which follows time except for clock differences.
 */
export const listHistory = (db: Sql, filter: HistoryFilter) => {
  const { account_id, before_seq, kind, direction, app_id, reference, since, until, rows_max } = filter
  return db.sql<HistoryRow>`
    with span as materialized (
      select least(coalesce(${before_seq}::bigint, 9223372036854775807),
                   transfer_seq_at(${until}::timestamptz + interval '1 hour')) as before_seq,
             transfer_seq_at(${since}::timestamptz - interval '1 hour') as since_seq
    ), outgoing as (
      select seq, id, kind, 'out' as direction, amount, from_after as points_after, description, app_id, reference,
             refunded_id, to_account as other_account, inserted_at
        from transfers
       where from_account = ${account_id}
         and seq < (select before_seq from span) and seq >= coalesce((select since_seq from span), 0)
         and (${kind}::text is null or kind = ${kind})
         and (${app_id}::uuid is null or app_id = ${app_id})
         and (${reference}::text is null or reference = ${reference})
         and (${since}::timestamptz is null or inserted_at >= ${since})
         and (${until}::timestamptz is null or inserted_at < ${until})
         and coalesce(${direction}::text, 'out') = 'out'
       order by seq desc
       limit ${rows_max}
    ), incoming as (
      select seq, id, kind, 'in' as direction, amount, to_after as points_after, description, app_id, reference,
             refunded_id, from_account as other_account, inserted_at
        from transfers
       where to_account = ${account_id}
         and seq < (select before_seq from span) and seq >= coalesce((select since_seq from span), 0)
         and (${kind}::text is null or kind = ${kind})
         and (${app_id}::uuid is null or app_id = ${app_id})
         and (${reference}::text is null or reference = ${reference})
         and (${since}::timestamptz is null or inserted_at >= ${since})
         and (${until}::timestamptz is null or inserted_at < ${until})
         and coalesce(${direction}::text, 'in') = 'in'
       order by seq desc
       limit ${rows_max}
    )
    select h.seq, h.id, h.kind, h.direction, h.amount, h.points_after, h.description, h.app_id, app.app_name,
           h.reference, h.refunded_id as refunded_transfer_id, h.inserted_at, other.id as other_user_id
      from (select * from outgoing union all select * from incoming) h
      left join oauth_apps app on app.id = h.app_id
      left join point_accounts other on other.id = h.other_account and other.kind = 'user'
     order by h.seq desc
     limit ${rows_max}`
}

export interface DayRow {
  /** `YYYY-MM-DD`. */
  day: string
  earned: number
  spent: number
  /** The balance at the end of the day. */
  balance: number
}

/** PostgreSQL's offset of a time zone from UTC at each of these moments, in seconds. */
export async function listOffsets(db: Sql, time_zone: string, moments: readonly Date[]) {
  const rows = await db.sql<{ seconds: number }>`
    select extract(epoch from (date_trunc('second', moment) at time zone ${time_zone})
                              - (date_trunc('second', moment) at time zone 'UTC'))::float8 as seconds
      from unnest(${moments}::timestamptz[]) with ordinality m(moment, place) order by place`
  return rows.map(({ seconds }) => seconds)
}

/**
 * The last days of an account in a time zone, oldest first. Balances are computed back from the current one, in one
 * snapshot. Each side is read by its index from the newest transfer back to the first day, and one day further, because
 * processes whose clocks differ write out of order. Transfers dated after today count as today's.
 */
export const listDays = (
  db: Sql,
  { account_id, days, time_zone, now }: { account_id: string; days: number; time_zone: string; now: Date },
) =>
  db.sql<DayRow>`
    with span as (
      select today - (${days}::integer - 1) as first_day, today,
             (today - ${days}::integer)::timestamp at time zone ${time_zone} as since
        from (select (${now}::timestamptz at time zone ${time_zone})::date as today) t
    ), before as (
      select coalesce((select seq from transfers where from_account = ${account_id}
                          and inserted_at < (select since from span) order by seq desc limit 1), 0) as last_out,
             coalesce((select seq from transfers where to_account = ${account_id}
                          and inserted_at < (select since from span) order by seq desc limit 1), 0) as last_in
    ), moved as (
      select inserted_at, 0::bigint as earned, amount as spent
        from transfers where from_account = ${account_id} and seq > (select last_out from before)
      union all
      select inserted_at, amount, 0
        from transfers where to_account = ${account_id} and seq > (select last_in from before)
    ), by_day as (
      select least((inserted_at at time zone ${time_zone})::date, today) as day,
             sum(earned)::bigint as earned, sum(spent)::bigint as spent
        from moved, span
       group by 1
    ), listed as (
      select first_day + n as day, coalesce(b.earned, 0) as earned, coalesce(b.spent, 0) as spent
        from span, generate_series(0, ${days}::integer - 1) n
        left join by_day b on b.day = (select first_day from span) + n
    )
    select to_char(day, 'YYYY-MM-DD') as day, earned, spent,
           (coalesce((select credited - debited from point_accounts where id = ${account_id}), 0)
             - coalesce(sum(earned - spent) over (order by day desc rows between unbounded preceding and 1 preceding), 0)
           )::bigint as balance
      from listed
     order by day`

/** Points that an app awarded a user since a moment (D-38). */
export async function sumAwards(db: Sql, { app_id, user_id, since }: { app_id: string; user_id: string; since: Date }) {
  const [row] = await db.sql<{ points: number }>`
    select coalesce(sum(amount), 0)::bigint as points
      from transfers
     where kind = 'award' and app_id = ${app_id} and to_account = ${user_id} and inserted_at >= ${since}`
  return row?.points ?? 0
}

/** Locks an account until the transaction ends, so that later sums cannot change. */
export const lockAccount = (tx: Tx, account_id: string) =>
  tx.sql`select from point_accounts where id = ${account_id} for no key update`

/** The play points that a user took since a moment (D-102). */
export async function sumPlayPoints(tx: Tx, { user_id, since }: { user_id: string; since: Date }) {
  const [row] = await tx.sql<{ points: number }>`
    select coalesce(sum(amount), 0)::bigint as points
      from transfers where to_account = ${user_id} and kind = 'play' and inserted_at > ${since}`
  return row?.points ?? 0
}

export interface LedgerTotals {
  accounts: number
  transfers: number
  total_debited: string
  total_credited: string
  total_transferred: string
  faults: { account_id: string | null; fault: string }[]
}

/**
 * Compares, in the one snapshot of a single statement, every account with the sums of its transfers and with the
 * balance that its last transfer recorded. Answers at most 100 faults.
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

/** Stores the result of a check, unless a later one is stored. */
export const saveLedgerCheck = (db: Sql, { checked_at, balanced }: { checked_at: Date; balanced: boolean }) =>
  db.sql`
    update ledger_check set checked_at = ${checked_at}, balanced = ${balanced}
     where checked_at is null or checked_at < ${checked_at}`
