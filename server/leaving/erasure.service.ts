import { setTimeout as pause } from 'node:timers/promises'
import { decisions } from '../../contract/decisions.ts'
import { account_erasure } from '../accounts/leaving.service.ts'
import { admin_erasure } from '../admin/leaving.service.ts'
import { destroyDeploymentsOf, hasDeployments, hosting_erasure } from '../hosting/api/leaving.service.ts'
import { learning_erasure } from '../learning/leaving.service.ts'
import { notices_erasure } from '../notices/leaving.service.ts'
import { appIdsOf, oauth_erasure, request_erasure } from '../oauth/leaving.service.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import type { EraseRound, Leaver } from '../platform/erasure.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import { rewriteRows } from '../platform/postgres/rewriting.ts'
import { points_erasure } from '../points/leaving.service.ts'
import { leaveLate, social_erasure } from '../social/leaving.service.ts'
import { webhooks_erasure } from '../webhooks/leaving.service.ts'
import { findDeparture, finishDeparture, listUnfinished } from './store.ts'

export interface ErasureDeps {
  db: Database
  clock: Clock
}

const { late_seconds, page_rows } = decisions.leaving

/** Limits one run; the next run continues. */
const rounds_max = 5_000
const departures_max = 100

const rounds: readonly EraseRound[] = [
  ...account_erasure,
  ...notices_erasure,
  ...points_erasure,
  ...oauth_erasure,
  ...webhooks_erasure,
  ...learning_erasure,
  ...social_erasure,
  ...hosting_erasure,
  ...admin_erasure,
  ...request_erasure,
]

export const erase_job = 'leaving.erase'

/**
 * Erases the data that was not deleted with the account, in bounded rounds, each in one transaction; safe to repeat, and resumes after a
 * kill. The departure is finished once a run that began `late_seconds` after it finds nothing more: by then, calls authorized before the
 * end of the account have written, and workers have destroyed the deployments. Nothing is erased during a backup, which reads these tables.
 */
export async function eraseLeaver({ db, clock }: ErasureDeps, user_id: string) {
  const departure = await findDeparture(db, user_id)
  if (!departure || departure.erased_at !== null) return
  const is_late = secondsAfter(departure.left_at, late_seconds) <= clock()
  const leaver: Leaver = { user_id, app_ids: await appIdsOf(db, user_id) }
  if (is_late)
    await db.transaction(async (tx) => {
      await destroyDeploymentsOf(tx, user_id, clock())
      await leaveLate(tx, user_id)
    })
  let rounds_left = rounds_max
  // Until a round erases nothing: a deletion leaves out rows that another statement changes meanwhile.
  for (const round of rounds)
    for (let erased: number | undefined = 1; erased > 0; rounds_left--) {
      erased = rounds_left > 0 ? await eraseRound(db, (tx) => round(tx, leaver, page_rows)) : undefined
      if (erased === undefined) return
    }
  if (is_late && !(await hasDeployments(db, user_id))) await finishDeparture(db, user_id, clock())
}

/** One round, retried shortly afterwards if another one holds the lock. Undefined during a backup. */
async function eraseRound(db: Database, round: (tx: Tx) => Promise<number>) {
  for (let tries = 0; tries < 5; tries++) {
    const erased = await rewriteRows(db, round)
    if (erased !== undefined) return erased
    await pause(50)
  }
  return undefined
}

/** Continues departures that earlier runs left unfinished because of a kill, a backup, or deployments that still existed. */
export async function eraseUnfinished(deps: ErasureDeps) {
  const before = secondsAfter(deps.clock(), -late_seconds)
  for (const { user_id } of await listUnfinished(deps.db, { before, rows_max: departures_max }))
    await eraseLeaver(deps, user_id)
}
