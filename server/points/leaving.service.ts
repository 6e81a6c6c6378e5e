import { decisions } from '../../contract/decisions.ts'
import { longSection, shortSection, type ExportPage } from '../platform/export-section.ts'
import { newId } from '../platform/ids.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { releaseHoldsOfEndedConnections } from './hold-releases.service.ts'
import { listHoldsOfUser } from './holds.store.ts'
import {
  closeAccounts,
  deleteLimitsOfApps,
  eraseChanges,
  eraseHoldTexts,
  eraseKeys,
  eraseTransferTexts,
} from './leaving.store.ts'
import { system_accounts } from './rules.ts'
import { deleteWaitingRewards, listWaitingRewards } from './rewards.store.ts'
import { findDailyLimits } from './spending-limits.service.ts'
import { applyOrders } from './ledger.store.ts'
import { eraseRequestsByLeaver, eraseRequestsToLeaver, listRequests } from './requests.store.ts'
import { findBalances, listHistory, lockAccounts } from './store.ts'

/**
 * Closes the point accounts of a person who leaves and of their apps, in the transaction that deletes the account (D-106): frees the
 * person's holds and moves the remaining points to the system account for people who left. The closed accounts receive nothing more.
 */
export async function closeAccountsOf(tx: Tx, { user_id, app_ids }: { user_id: string; app_ids: string[] }, now: Date) {
  const ids = [user_id, ...app_ids]
  await lockAccounts(tx, ids)
  // Repeated under the lock: a call that was already authorized may have held points in between.
  await releaseHoldsOfEndedConnections(tx, { user_id, connected_app_ids: [], now })
  const left = (await lockAccounts(tx, ids)).filter(({ points }) => points > 0)
  if (left.length > 0)
    await applyOrders(
      tx,
      now,
      left.map(({ id, points }) => ({
        id: newId(),
        kind: 'closure' as const,
        from_account: id,
        to_account: system_accounts.departed,
        amount: points,
      })),
    )
  await closeAccounts(tx, ids)
  await deleteWaitingRewards(tx, user_id)
}

/** The total and held points of accounts, by id. */
export const pointsOfAccounts = async (db: Sql, ids: string[]) =>
  new Map((await findBalances(db, ids)).map(({ id, points, held }) => [id, { points, held }]))

export const points_erasure = [
  eraseKeys,
  eraseHoldTexts,
  eraseTransferTexts,
  eraseChanges,
  eraseRequestsByLeaver,
  eraseRequestsToLeaver,
  deleteLimitsOfApps,
]

const unfiltered = {
  kind: null,
  direction: null,
  app_id: null,
  reference: null,
  by_agent: null,
  since: null,
  until: null,
}

export const points_sections = [
  longSection(
    'movements',
    (db, { user_id, after, rows_max }: ExportPage<number>) =>
      listHistory(db, { ...unfiltered, account_id: user_id, before_seq: after, rows_max }),
    ({ seq }) => seq,
    ['seq'],
  ),
  longSection(
    'holds',
    (db, { user_id, now, after, rows_max }: ExportPage<number>) =>
      listHoldsOfUser(db, {
        user_id,
        app_id: null,
        status: null,
        reference: null,
        before_seq: after,
        oldest: null,
        since: null,
        until: null,
        now,
        rows_max,
      }),
    ({ seq }) => seq,
    ['seq'],
  ),
  longSection(
    'point_requests',
    (db, { after, ...page }: ExportPage) => listRequests(db, { ...page, before_id: after }),
    ({ id }) => id,
  ),
  shortSection('waiting_rewards', (db, user_id) =>
    listWaitingRewards(db.lengthy, user_id, decisions.leaving.page_rows),
  ),
  shortSection('spending_limits', async (db, user_id) =>
    [...(await findDailyLimits(db, user_id))].map(([app_id, daily_limit]) => ({ app_id, daily_limit })),
  ),
]
