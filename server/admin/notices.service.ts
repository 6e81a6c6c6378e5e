import type { NoticeEvent } from '../../contract/kinds/notices.ts'
import { noticeWaiting } from '../notices/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { pending_counted_max } from './service.ts'
import { countPending, lockNoticedCounts, setNoticedCounts, type PendingCounts } from './store.ts'

const events_of_queues = {
  apps: 'apps_wait',
  changed_apps: 'changed_apps_wait',
  scope_requests: 'scope_requests_wait',
  cases: 'cases_wait',
} as const satisfies Record<keyof PendingCounts, NoticeEvent>

/** Notifies admins of the number of pending decisions if it has changed since the last run. One process at a time. */
export const noticePending = ({ db, clock }: { db: Database; clock: Clock }) =>
  db.transaction(async (tx) => {
    const before = await lockNoticedCounts(tx)
    if (!before) return
    const counts = await countPending(tx, pending_counted_max)
    const queues = Object.keys(events_of_queues) as (keyof PendingCounts)[]
    const changed = queues.filter((queue) => counts[queue] !== (before[queue] ?? 0))
    await noticeWaiting(
      tx,
      changed.map((queue) => ({ event: events_of_queues[queue], count: counts[queue], before: before[queue] ?? 0 })),
      clock(),
    )
    if (changed.length > 0) await setNoticedCounts(tx, counts)
  })
