import type { Clock } from '../platform/clock.ts'
import {
  isDatabaseUnavailable,
  isRepeatable,
  sqlState,
  hasDoneNothing,
  type Database,
  type Sql,
} from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import { countTransfer, countTransfers } from './metrics.ts'
import type { LedgerOrder, LedgerResult } from './rules.ts'
import { accountLocks, applyOrders, endedCaller } from './ledger.store.ts'

/** Takes single orders and commits them in batches. */
export type Ledger = Batcher<LedgerOrder, BookedResult>

export interface BookedResult extends LedgerResult {
  /** The time of the batch, stored in its rows. */
  at: Date
}

/** Opens the batcher of single orders; `drain()` it before the database is closed. */
export function openLedger(db: Database, clock: Clock): Ledger {
  const connection = db.pipelinedConnection()
  return createBatcher<LedgerOrder, BookedResult>({
    name: 'ledger',
    run: async (orders) => {
      const at = clock()
      const results = await applyBatch(connection, at, orders)
      for (const result of results) if (!(result instanceof Error)) (result as BookedResult).at = at
      return results as (BookedResult | Error)[]
    },
    batch_max: 512,
    queue_max: 8_192,
    send_ahead_at: 16,
    failed: batchFailure,
    locks: { keysOf: ({ from_account, to_account }) => [from_account, to_account], ...accountLocks(db.locks) },
  })
}

const isBadValue = (error: unknown) => /^2[23]/.test(sqlState(error) ?? '')

/** Applies a batch. If PostgreSQL refuses it because of one order, applies each order separately. */
async function applyBatch(db: Sql, now: Date, orders: LedgerOrder[]): Promise<(LedgerResult | Error)[]> {
  try {
    const results = await applyOrders(db, now, orders)
    countTransfers(orders, results)
    return results
  } catch (error) {
    if (orders.length === 1 || !(isBadValue(error) || endedCaller(error))) throw error
    const results: (LedgerResult | Error)[] = []
    for (const order of orders) {
      const [result] = await applyOrders(db, now, [order]).catch((refusal: Error) => [endedFailure(refusal) ?? refusal])
      if (result instanceof Error) countTransfer(order.kind, 'error')
      results.push(result as LedgerResult | Error)
    }
    countTransfers(orders, results)
    return results
  }
}

/** The failure of an order whose caller has lost the right to it. */
function endedFailure(error: unknown) {
  const code = endedCaller(error)
  return code && new Failure(code, { why: 'ended before the order was applied' })
}

/** The failure of an order whose whole batch failed: not applied, or outcome unknown. */
export function batchFailure(error: unknown, { kind, idempotency_key }: Pick<LedgerOrder, 'kind' | 'idempotency_key'>) {
  const why = { error: (error as Error).message, state: sqlState(error) }
  if (hasDoneNothing(error) || isRepeatable(error)) {
    countTransfer(kind, 'overloaded')
    return new Failure('overloaded', why, { retry_after_seconds: 1 })
  }
  const is_unknown = isDatabaseUnavailable(error)
  countTransfer(kind, is_unknown ? 'outcome_unknown' : 'error')
  return is_unknown ? outcomeUnknown(idempotency_key, why) : (endedFailure(error) ?? error)
}

/** Only a call with a key may be repeated: without one, it could be applied twice. */
const outcomeUnknown = (idempotency_key: string | undefined, why: Record<string, unknown>) =>
  idempotency_key === undefined
    ? new Failure('outcome_unknown', why)
    : new Failure('outcome_unknown_keyed', why, { retry_after_seconds: 1 })

/** The failure of a call, for a caller who sent this idempotency key or none. */
export const failureForKey = (error: unknown, idempotency_key: string | undefined) =>
  error instanceof Failure && error.code === 'outcome_unknown' ? outcomeUnknown(idempotency_key, error.why) : error
