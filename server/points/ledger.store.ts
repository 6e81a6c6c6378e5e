import type { Sql, Tx } from '../platform/postgres/database.ts'
import { sqlState } from '../platform/postgres/errors.ts'
import type { RowLocks } from '../platform/batching/row-locks.ts'
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

/** The result of a batch: one array for all orders. PostgreSQL returns them as JSON, which is parsed once. */
interface AppliedBatch {
  outcomes: OrderOutcome[]
  made_ids: string[] | null
  from_availables: (number | null)[]
  to_availables: (number | null)[]
  from_helds: (number | null)[] | null
}

/** Null if a number cannot represent the balance. */
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
  const { effect, event, pays_out } = order_facts[kind]
  if (order.member_id !== undefined) return false
  if (effect !== 'move' || pays_out || idempotency_key !== undefined) return false
  const { reference, metadata, refunded_id, earned_before, agent_limit } = order as Move
  if (reference !== undefined || metadata !== undefined || refunded_id !== undefined) return false
  if (earned_before !== undefined || agent_limit !== undefined) return false
  return event === null || app_id === undefined || app_id === from_account || app_id === to_account
}

/** The accounts in the order in which they are locked, and the position of each. */
export function placed(accounts: ReadonlySet<string>) {
  const account_ids = [...accounts].sort().reverse()
  const positions = new Map<string, number>()
  for (const id of account_ids) positions.set(id, positions.size + 1)
  return { account_ids, positions }
}

/** The array parameters that both functions share. One loop makes them: a loop for each costs a spend 0.3 µs. */
function arraysOf(orders: LedgerOrder[]) {
  const accounts = new Set<string>()
  for (const { from_account, to_account } of orders) accounts.add(from_account).add(to_account)
  const { account_ids, positions } = placed(accounts)
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
  const member_ids = valuesOf(orders, 'member_id')
  const keys = valuesOf(orders, 'idempotency_key')
  const settles = ({ kind }: LedgerOrder) => ['capture', 'release'].includes(order_facts[kind].effect)
  const ownerOf = (order: LedgerOrder) => (settles(order) ? order.to_account : order.from_account)
  const others = keys !== null && orders.some(({ kind }) => kind !== order_facts[kind].stored_as)
  const [batch] = await db.sql<AppliedBatch>`
    select to_json(outcomes) as outcomes, to_json(made_ids) as made_ids, to_json(from_availables) as from_availables,
           to_json(to_availables) as to_availables, to_json(from_helds) as from_helds
      from apply_orders_fully(
        ${now}, ${given.account_ids}, ${given.ids}, ${given.effects}, ${given.kinds}, ${given.from_at}, ${given.to_at}, ${given.amounts},
        ${given.app_ids}, ${given.descriptions}, ${given.only_to_users},
        ${given.refuse_closed}, ${given.count_to_limit}, ${given.events}, ${limited_kinds},
        ${keys},
        ${keys && orders.some(settles) ? arrayText(orders.map((order) => given.positions.get(ownerOf(order))!)) : null},
        ${others ? arrayText(orders.map(({ kind }) => kind)) : null},
        ${valuesOf(orders, 'request_hash')},
        ${valuesOf(orders, 'reference')},
        ${valuesOf(orders, 'metadata')?.map((metadata) => metadata && JSON.stringify(metadata)) ?? null},
        ${valuesOf(orders, 'hold_id')},
        ${valuesOf(orders, 'refunded_id')},
        ${valuesOf(orders, 'expires_at')},
        ${arrayWith(orders.map(({ kind }) => order_facts[kind].before_expiry))},
        ${arrayWith(orders.map(({ kind }) => order_facts[kind].pays_out))},
        ${valuesOf(orders, 'payout_limit')},
        ${valuesOf(orders, 'earned_before')},
        ${valuesOf(orders, 'agent_limit')}
      )
     where (${secret_ids}::uuid[] is null or require_clients(${secret_ids}, ${valuesOf(orders, 'approved_app_id')}))
       and (${member_ids}::uuid[] is null
            or require_members(${member_ids && valuesOf(orders, 'app_id')}, ${member_ids}, ${member_ids && valuesOf(orders, 'member_role')}))`
  return batch!
}

/**
 * The failure of an order whose app lost its secret or approval, or whose member lost the role, before it was applied;
 * see `require_clients`.
 */
export const endedCaller = (error: unknown) => ended_callers[sqlState(error) ?? '']

const ended_callers: Readonly<Record<string, 'client_unauthorized' | 'client_not_approved' | 'not_found'>> = {
  PZ001: 'client_unauthorized',
  PZ002: 'client_not_approved',
  PZ003: 'not_found',
}

/** A PostgreSQL array literal of values that need no quotes; pg would quote each value. */
export const arrayText = (values: readonly (string | number | boolean)[]) => `{${values.join(',')}}`

/** Null if no value is true. */
const arrayWith = (values: boolean[]) => (values.includes(true) ? arrayText(values) : null)

type FieldOf<Order> = Order extends unknown ? keyof Order : never

/** One value per order, or null if no order has one: most batches have no keys, references or holds. */
function valuesOf(orders: LedgerOrder[], field: FieldOf<LedgerOrder>): unknown[] | null {
  const valueOf = (order: LedgerOrder) => (order as Partial<Record<typeof field, unknown>>)[field] ?? null
  return orders.some((order) => valueOf(order) !== null) ? orders.map(valueOf) : null
}

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

interface KeyWithoutApp {
  user_id: string
  operation: 'award' | 'direct'
  key: string
}

interface ClaimedKey extends KeyWithoutApp {
  request_hash: Buffer
  transfer_id: string
  now: Date
}

/**
 * Claims the key of a call without an app and returns the transfer stored under it: this one, or that of an earlier
 * call. Waits for a call that is claiming the same key. The issuing account replaces the app in the key.
 */
export async function claimKey(tx: Tx, { user_id, operation, key, request_hash, transfer_id, now }: ClaimedKey) {
  const [stored] = await tx.sql<StoredKey>`
    insert into idempotency_keys as k (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at)
    values (${user_id}, ${system_accounts.issuance}, ${operation}, ${key}, ${request_hash}, ${transfer_id}, 0, ${now})
    on conflict (user_id, app_id, operation, key) do update set key = k.key
    returning k.transfer_id, k.request_hash, k.points`
  return stored as StoredKey
}

/** Stores the balance after the transfer with its key. */
export const fillKey = (tx: Tx, { user_id, operation, key, points }: KeyWithoutApp & { points: number }) =>
  tx.sql`
    update idempotency_keys set points = ${points}
     where user_id = ${user_id} and app_id = ${system_accounts.issuance} and operation = ${operation} and key = ${key}`

export async function isKeyUsed(
  db: Sql,
  { user_id, app_id, operation, key }: { user_id: string; app_id: string; operation: OrderKind; key: string },
) {
  const rows = await db.sql`
    select 1 from idempotency_keys
     where user_id = ${user_id} and app_id = ${app_id} and operation = ${operation} and key = ${key}`
  return rows.length > 0
}
