import { Failure } from '../platform/failure.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import { listHoldsForAdmin, type AdminHoldQuery } from '../points/hold-lists.service.ts'
import { findTransfer, listFailingWebhooks, namesOfHolds } from './payments.store.ts'
import type { AdminDeps } from './service.ts'

/** Any movement of points, with its accounts and its refunds. Fails with `not_found`. */
export async function getTransfer({ accounts: { db } }: AdminDeps, id: string) {
  const [transfer, ...refunds] = await findTransfer(db, id)
  if (transfer?.id !== id.toLowerCase()) throw new Failure('not_found', { transfer_id: id })
  return { transfer, refunds, refunded_amount: refunds.reduce((sum, { amount }) => sum + amount, 0) }
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
export async function listWebhooks({ accounts: { db } }: AdminDeps, query: PageQuery) {
  const size = pageSize(query)
  const rows = await listFailingWebhooks(db, { before_id: cursorId(query), rows_max: size + 1 })
  return toPage(rows, size, ({ id }) => id)
}
