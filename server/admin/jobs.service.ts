import type { UserCaller } from '../../contract/caller.ts'
import type { Tx } from '../platform/postgres/database.ts'
import {
  countFailedJobs,
  discardFailedJob,
  listFailedJobs,
  lockFailedJob,
  retryFailedJob,
  type FailedJob,
} from '../platform/failed-jobs.ts'
import { Failure } from '../platform/failure.ts'
import { cursorNumber, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import { audited, type AdminDeps } from './service.ts'

/** Jobs that failed for good, newest first, and how many there are in all. */
export async function listJobs({ accounts: { db } }: AdminDeps, query: PageQuery) {
  const size = pageSize(query)
  const [rows, total] = await Promise.all([
    listFailedJobs(db, { before_id: cursorNumber(query), rows_max: size + 1 }),
    countFailedJobs(db),
  ])
  return { ...toPage(rows, size, ({ id }) => id), total }
}

/** Has a job run again that failed for good, with all its attempts. Fails with `not_found`. */
export const retryJob = (deps: AdminDeps, caller: UserCaller, id: string) =>
  decide(deps, caller, 'job.retry', id, retryFailedJob)

/** Gives a job up that failed for good. Fails with `not_found`. */
export const discardJob = (deps: AdminDeps, caller: UserCaller, id: string) =>
  decide(deps, caller, 'job.discard', id, discardFailedJob)

function decide(
  deps: AdminDeps,
  caller: UserCaller,
  action: string,
  id: string,
  carryOut: (tx: Tx, id: string) => Promise<unknown>,
) {
  const done = ({ job }: FailedJob) => ({ action, target_id: null, details: { job_id: id, job } })
  return audited(deps, caller, done, async (tx) => {
    const failed = await lockFailedJob(tx, id)
    if (!failed) throw new Failure('not_found', { job_id: id })
    await carryOut(tx, id)
    return failed
  })
}
