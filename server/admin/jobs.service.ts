import type { AuditAction } from '../../contract/kinds/audit-actions.ts'
import type { UserCaller } from '../../contract/caller.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import {
  countFailedJobs,
  discardFailedJob,
  listFailedJobs,
  lockFailedJob,
  retryFailedJob,
  type FailedJob,
} from '../platform/failed-jobs.ts'
import { orFail } from '../platform/failure.ts'
import { cursorNumber, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import { audited, auditFromOutside, type AdminDeps } from './service.ts'

/** Permanently failed jobs, newest first, with their total number. */
export async function listJobs({ accounts: { db } }: AdminDeps, query: PageQuery) {
  const size = pageSize(query)
  const [rows, total] = await Promise.all([
    listFailedJobs(db, { before_id: cursorNumber(query), rows_max: size + 1 }),
    countFailedJobs(db),
  ])
  return { ...toPage(rows, size, ({ id }) => id), total }
}

/** Schedules a permanently failed job again, with all its attempts. Fails with `not_found`. */
export const retryJob = (deps: AdminDeps, caller: UserCaller, id: string) =>
  changeFailedJob(deps, caller, 'job.retry', id, retryFailedJob)

/** Deletes a permanently failed job. Fails with `not_found`. */
export const discardJob = (deps: AdminDeps, caller: UserCaller, id: string) =>
  changeFailedJob(deps, caller, 'job.discard', id, discardFailedJob)

function changeFailedJob(
  deps: AdminDeps,
  caller: UserCaller,
  action: AuditAction,
  id: string,
  change: (tx: Tx, id: string) => Promise<unknown>,
) {
  const entry = ({ job }: FailedJob) => ({ action, target_id: null, details: { job_id: id, job } })
  return audited(deps, caller, entry, async (tx) => {
    const failed = await orFail(lockFailedJob(tx, id), 'not_found', { job_id: id })
    await change(tx, id)
    return failed
  })
}

/**
 * Retries or discards a permanently failed job from outside the service (`npm run admin`); the audit entry has no
 * actor. Returns false if no failed job has this id.
 */
export const changeFailedJobFromOutside = (
  { db, clock }: { db: Database; clock: Clock },
  id: string,
  change: 'retry' | 'discard',
) =>
  db.transaction(async (tx) => {
    const failed = await lockFailedJob(tx, id)
    if (!failed) return false
    await (change === 'retry' ? retryFailedJob : discardFailedJob)(tx, id)
    await auditFromOutside(tx, clock(), { action: `job.${change}`, details: { job_id: id, job: failed.job } })
    return true
  })
