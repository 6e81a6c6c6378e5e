import { approveApp, approveScopeRequest, markAppSeen } from '../../contract/admin-apps.ts'
import { decideCase } from '../../contract/admin-moderation.ts'
import { approveReview } from '../../contract/admin-reviews.ts'
import { rolesAllowedAt } from '../../contract/kinds/admin-roles.ts'
import type { NoticeEvent } from '../../contract/kinds/notices.ts'
import { noticeWaiting } from '../notices/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { pending_counted_max } from './service.ts'
import { countPending, lockNoticedCounts, setNoticedCounts, type PendingCounts } from './store.ts'

/** The notice for each queue, and the call that decides. */
const queues = {
  apps: ['apps_wait', approveApp],
  changed_apps: ['changed_apps_wait', markAppSeen],
  scope_requests: ['scope_requests_wait', approveScopeRequest],
  cases: ['cases_wait', decideCase],
  reviews: ['reviews_wait', approveReview],
} as const satisfies Record<keyof PendingCounts, readonly [NoticeEvent, unknown]>

/** Notifies admins of the number of pending decisions if it has changed since the last run. One process at a time. */
export const noticePending = ({ db, clock }: { db: Database; clock: Clock }) =>
  db.transaction(async (tx) => {
    const before = await lockNoticedCounts(tx)
    if (!before) return
    const counts = await countPending(tx, pending_counted_max, clock())
    const waiting = (Object.keys(queues) as (keyof PendingCounts)[]).map((queue) => {
      const [event, decision] = queues[queue]
      return { event, roles: rolesAllowedAt(decision), count: counts[queue], before: before[queue] ?? 0 }
    })
    await noticeWaiting(tx, waiting, clock())
    if (waiting.some(({ count, before: was }) => count !== was)) await setNoticedCounts(tx, counts)
  })
