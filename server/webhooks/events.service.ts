import { decisions } from '../../contract/decisions.ts'
import type { AppEventType } from '../../contract/app-events.ts'
import { secondsAfter } from '../platform/clock.ts'
import { cursorNumber, cursorOf, pageSize, type PageQuery } from '../platform/page.ts'
import { findReader, listEvents, noteReading } from './events.store.ts'
import { eventOf } from './rules.ts'
import type { WebhooksDeps } from './service.ts'
import { updateListening } from './store.ts'

export const kept_seconds = decisions.webhooks.kept_days * 86_400

/** Reads of an app's events are recorded at most this often. */
const noted_seconds = 3_600

/** A page of the app's events, oldest first; the first call starts recording them (D-101). */
export async function readEvents({ db, clock }: Pick<WebhooksDeps, 'db' | 'clock'>, app_id: string, query: PageQuery) {
  const after = cursorNumber(query) ?? 0
  const size = pageSize(query)
  const now = clock()
  const known = await findReader(db, app_id, secondsAfter(now, -noted_seconds))
  const recorded_since =
    known?.recorded_since ??
    (await db.transaction(async (tx) => {
      const since = await noteReading(tx, app_id, now)
      await updateListening(tx, app_id)
      return since
    }))
  const rows = await listEvents(db, { app_id, after, rows_max: size + 1 })
  const shown = rows.slice(0, size)
  const last = shown.at(-1)?.seq ?? after
  return {
    data: shown.map((row) => ({ ...eventOf(row), type: row.type as AppEventType })),
    next_cursor: last > 0 ? cursorOf(last) : null,
    has_more: rows.length > size,
    recorded_since: new Date(Math.max(recorded_since.getTime(), now.getTime() - kept_seconds * 1_000)),
  }
}
