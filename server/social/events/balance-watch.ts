import type { Logger } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { balanceFrame } from './frames.ts'
import type { Reader } from './reader.ts'
import { listBalances, type BalanceRow } from './store.ts'

const accountOf = ({ user_id, app_id }: BalanceRow) => app_id ?? user_id
const textOf = ({ total_earned, total_spent, held }: BalanceRow) => `${total_earned} ${total_spent} ${held}`
const lastSent = ({ sent_balances }: Reader, row: BalanceRow) => sent_balances.get(accountOf(row))

interface BalanceWatchParts {
  db: Database
  log: Logger
  /** Ends the stream of a reader whose session has ended. */
  endIfOver(reader: Reader): Promise<void>
}

/**
 * Opens the watch of balances: the returned function sends each reader the balances that changed since its last call. Balances are
 * polled, so that the ledger writes nothing for readers. A call during another one does nothing.
 */
export function openBalanceWatch({ db, log, endIfOver }: BalanceWatchParts) {
  let running = false
  return async (readers: readonly Reader[]) => {
    if (running || readers.length === 0) return
    running = true
    try {
      const rows = await listBalances(db, [...new Set(readers.map(({ user_id }) => user_id))])
      const rows_of = new Map<string, BalanceRow[]>()
      for (const row of rows) {
        const own = rows_of.get(row.user_id)
        if (own) own.push(row)
        else rows_of.set(row.user_id, [row])
      }
      for (const reader of readers) {
        const own = rows_of.get(reader.user_id) ?? []
        const changed = own.filter((row) => textOf(row) !== lastSent(reader, row))
        if (changed.length === 0) continue
        await endIfOver(reader)
        if (reader.isClosed()) continue
        reader.sink.send(changed.map(({ user_id: _, ...balance }) => balanceFrame(reader.cursor, balance)))
        for (const row of changed) reader.sent_balances.set(accountOf(row), textOf(row))
      }
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'balances could not be read for streams: tried again shortly')
    } finally {
      running = false
    }
  }
}
