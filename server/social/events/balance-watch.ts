import type { Logger } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { balanceFrame, deliveriesFrame } from './frames.ts'
import type { Reader } from './reader.ts'
import { listBalances, type BalanceRow } from './store.ts'

/** The state of one subject, from its row, and the frame that reports it. */
interface State {
  subject: string
  text: string
  frame(reader: Reader): string
}

function statesOf({ user_id, webhooks_version, ...balance }: BalanceRow): State[] {
  const { app_id, total_earned, total_spent, held } = balance
  const states: State[] = [
    {
      subject: app_id ?? user_id,
      text: `${total_earned} ${total_spent} ${held}`,
      frame: ({ cursor }) => balanceFrame(cursor, balance),
    },
  ]
  if (app_id !== null && webhooks_version !== null)
    states.push({
      subject: `webhooks of ${app_id}`,
      text: webhooks_version,
      frame: ({ cursor }) => deliveriesFrame(cursor, app_id),
    })
  return states
}

interface BalanceWatchParts {
  db: Database
  log: Logger
  /** Ends the stream of a reader whose session has ended. */
  endIfOver(reader: Reader): Promise<void>
}

/**
 * Opens the watch of balances and webhook deliveries. The returned function sends each reader those that changed since
 * its last call. They are polled, so that neither the ledger nor a delivery writes anything for readers. A call during
 * another one does nothing.
 */
export function openBalanceWatch({ db, log, endIfOver }: BalanceWatchParts) {
  let running = false
  return async (readers: readonly Reader[]) => {
    if (running || readers.length === 0) return
    running = true
    try {
      const rows = await listBalances(db, [...new Set(readers.map(({ user_id }) => user_id))])
      const states_of = new Map<string, State[]>()
      for (const row of rows) {
        const own = states_of.get(row.user_id)
        if (own) own.push(...statesOf(row))
        else states_of.set(row.user_id, statesOf(row))
      }
      for (const reader of readers) {
        const own = states_of.get(reader.user_id) ?? []
        const changed = own.filter(({ subject, text }) => text !== reader.sent_states.get(subject))
        if (changed.length === 0) continue
        await endIfOver(reader)
        if (reader.isClosed()) continue
        reader.sink.send(changed.map(({ frame }) => frame(reader)))
        for (const { subject, text } of changed) reader.sent_states.set(subject, text)
      }
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'balances could not be read for streams: tried again shortly')
    } finally {
      running = false
    }
  }
}
