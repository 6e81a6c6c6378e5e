import type { adminListTransfers } from '../../contract/admin-payments.ts'
import { decisions } from '../../contract/decisions.ts'
import type { QueryOf } from '../../contract/endpoint.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { cursorId, pageById, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import { readSpan } from '../platform/time-span.ts'
import { listHoldsForAdmin, type AdminHoldQuery } from '../points/hold-lists.service.ts'
import { findTransfer, listFailingWebhooks, listTransferIds, namesOfHolds, readTransfers } from './payments.store.ts'
import type { AdminDeps } from './service.ts'

/** Any movement of points, with its accounts and its refunds. Fails with `not_found`. */
export async function getTransfer({ accounts: { db } }: AdminDeps, id: string) {
  const [transfer, ...refunds] = await readTransfers(db, idsOf(await findTransfer(db, id)))
  if (transfer?.id !== id.toLowerCase()) throw new Failure('not_found', { transfer_id: id })
  return { transfer, refunds, refunded_amount: refunds.reduce((sum, { amount }) => sum + amount, 0) }
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

const { amount_days } = decisions.admin_lists

/** A page of the movements of all people and apps. Fails with `validation_failed`. */
export async function listTransfers({ accounts: { db, clock } }: AdminDeps, query: QueryOf<typeof adminListTransfers>) {
  const { app_id, user_id, amount_min = null, amount_max = null } = query
  const { since, until } = readSpan(query)
  const account = app_id ?? user_id ?? null
  // Without an index of amounts, a rare amount would read all movements, or all of an app.
  const bounded = user_id === undefined && (amount_min ?? amount_max) !== null
  const ids = await listTransferIds(db.adHoc, {
    account,
    other_account: (app_id && user_id) ?? null,
    amount_min,
    amount_max,
    since: since ?? (bounded ? secondsAfter(until ?? clock(), -amount_days * 86_400) : null),
    until,
    oldest_first: query.sort === 'inserted_at',
    last_id: cursorId(query),
    rows_max: pageSize(query) + 1,
  })
  return toPage(await readTransfers(db, idsOf(ids)), pageSize(query), ({ id }) => id)
}

/** A page of the holds of all apps, newest first, with the names of their apps and persons. */
export async function listHolds({ accounts: { db, clock } }: AdminDeps, query: AdminHoldQuery) {
  const { data, next_cursor } = await listHoldsForAdmin({ db, clock }, query)
  const names = await namesOfHolds(db, data)
  const nameOf = (id: string) => names.get(id) ?? null
  return {
    data: data.map((hold) => ({ ...hold, username: nameOf(hold.user_id), app_name: nameOf(hold.app_id) })),
    next_cursor,
  }
}

/** A page of failing webhooks and of those switched off for failures. */
export const listWebhooks = ({ accounts: { db } }: AdminDeps, query: PageQuery) =>
  pageById(query, (page) => listFailingWebhooks(db, { ...page }))
