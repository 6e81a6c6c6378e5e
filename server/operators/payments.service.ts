import type { UserCaller } from '../../contract/caller.ts'
import { requireProof, type Proof } from '../accounts/proof.service.ts'
import { findUserIdByName, namesOfUsers, type AccountsDeps } from '../accounts/service.ts'
import { getOwnedApp } from '../oauth/apps.service.ts'
import type { OAuthDeps } from '../oauth/service.ts'
import type { PageQuery } from '../platform/page.ts'
import { listHoldsForApp, type HoldQuery } from '../points/hold-lists.service.ts'
import { getHold, voidHold, type HoldsDeps } from '../points/holds.service.ts'
import { withdraw, type PayoutsDeps } from '../points/payouts.service.ts'
import { refund, type NewRefund } from '../points/refunds.service.ts'
import {
  exportAppTransfers,
  getAppBalance,
  getAppTransfer,
  listAppTransfers,
  type AppTransfer,
  type StatementQuery,
} from '../points/statements.service.ts'
import { listDeliveriesOfTransfers } from '../webhooks/deliveries.service.ts'
import { getAppSeries } from './series.service.ts'
import type { SeriesQuery } from './series.rules.ts'

/** The app's own calls for its owner. Each fails with `not_found` for another owner's app. */
export interface PaymentsDeps extends HoldsDeps, PayoutsDeps {
  oauth: OAuthDeps
  accounts: AccountsDeps
}

const requireOwner = ({ oauth }: PaymentsDeps, owner_id: string, app_id: string) => getOwnedApp(oauth, app_id, owner_id)

export async function getBalanceOfMyApp(deps: PaymentsDeps, owner_id: string, app_id: string) {
  await requireOwner(deps, owner_id, app_id)
  return getAppBalance(deps, app_id)
}

export async function getSeriesOfMyApp(deps: PaymentsDeps, owner_id: string, app_id: string, query: SeriesQuery) {
  await requireOwner(deps, owner_id, app_id)
  return getAppSeries(deps, app_id, query)
}

interface ByPerson {
  user_id?: string
  username?: string
}

/** An id that no account has. */
const nobody = '00000000-0000-0000-0000-000000000000'

/** The filter with the id of the named person; an unknown name, or one that contradicts the id, matches nothing. */
async function withPerson<Query extends ByPerson>({ db }: PaymentsDeps, { username, ...query }: Query) {
  if (username === undefined) return query
  const found = (await findUserIdByName(db, username)) ?? nobody
  return { ...query, user_id: query.user_id === undefined || query.user_id === found ? found : nobody }
}

/** The names of persons by id. A person who has left has none. */
async function namesFor({ db }: PaymentsDeps, ids: readonly (string | null)[]) {
  const names = await namesOfUsers(db, [...new Set(ids.filter((id) => id !== null))])
  return (id: string | null) => names.get(id ?? '') ?? null
}

/** Adds the names of the persons to movements. */
async function withNames(deps: PaymentsDeps, transfers: AppTransfer[]) {
  const nameOf = await namesFor(
    deps,
    transfers.flatMap(({ user_id, to_user_id }) => [user_id, to_user_id]),
  )
  return transfers.map((row) => ({ ...row, username: nameOf(row.user_id), to_username: nameOf(row.to_user_id) }))
}

/** Adds the names of the persons to holds. */
async function withName<Hold extends { user_id: string }>(deps: PaymentsDeps, holds: Hold[]) {
  const nameOf = await namesFor(
    deps,
    holds.map(({ user_id }) => user_id),
  )
  return holds.map((hold) => ({ ...hold, username: nameOf(hold.user_id) }))
}

/** A page of the movements of an app, newest first. */
export async function listTransfersOfMyApp(
  deps: PaymentsDeps,
  owner_id: string,
  app_id: string,
  query: StatementQuery & PageQuery & ByPerson,
) {
  await requireOwner(deps, owner_id, app_id)
  const { data, next_cursor } = await listAppTransfers(deps, app_id, await withPerson(deps, query))
  return { data: await withNames(deps, data), next_cursor }
}

/** The same list as CSV, streamed. */
export async function* exportTransfersOfMyApp(
  deps: PaymentsDeps,
  owner_id: string,
  app_id: string,
  query: StatementQuery & ByPerson,
) {
  await requireOwner(deps, owner_id, app_id)
  yield* exportAppTransfers(deps, app_id, await withPerson(deps, query))
}

/** A movement with its hold, refunds, refundable rest, and the webhook deliveries about them. */
export async function getTransferOfMyApp(deps: PaymentsDeps, owner_id: string, app_id: string, transfer_id: string) {
  await requireOwner(deps, owner_id, app_id)
  const { transfer, refunds, refunded_amount } = await getAppTransfer(deps, app_id, transfer_id)
  const [[named], hold, deliveries] = await Promise.all([
    withNames(deps, [transfer]),
    transfer.hold_id === null ? null : getHold(deps, { app_id }, transfer.hold_id),
    listDeliveriesOfTransfers(
      deps,
      app_id,
      [transfer, ...refunds].map(({ id }) => id),
    ),
  ])
  const refundable_amount = transfer.kind === 'spend' ? transfer.amount - refunded_amount : 0
  return { transfer: named!, hold, refunds, refunded_amount, refundable_amount, deliveries }
}

/** Returns points of a spend; fails as `refund` does. */
export async function refundOfMyApp(
  deps: PaymentsDeps,
  owner_id: string,
  app_id: string,
  body: NewRefund,
  idempotency_key?: string,
) {
  await requireOwner(deps, owner_id, app_id)
  return refund(deps, { app_id }, body, idempotency_key)
}

/** Moves points of an app to its owner, who proves who they are; fails as `requireProof` and `withdraw` do. */
export async function withdrawFromMyApp(
  deps: PaymentsDeps,
  caller: UserCaller,
  app_id: string,
  { amount, ...proof }: Proof & { amount: number },
  idempotency_key?: string,
) {
  const { owner_id } = await requireOwner(deps, caller.user_id, app_id)
  await requireProof(deps.accounts, caller, proof)
  return withdraw(deps, { app_id, owner_id }, amount, idempotency_key)
}

/** A page of the holds of an app, newest first. */
export async function listHoldsOfMyApp(
  deps: PaymentsDeps,
  owner_id: string,
  app_id: string,
  query: HoldQuery & ByPerson,
) {
  await requireOwner(deps, owner_id, app_id)
  const { data, next_cursor } = await listHoldsForApp(deps, app_id, await withPerson(deps, query))
  return { data: await withName(deps, data), next_cursor }
}

export async function getHoldOfMyApp(deps: PaymentsDeps, owner_id: string, app_id: string, hold_id: string) {
  await requireOwner(deps, owner_id, app_id)
  const [hold] = await withName(deps, [await getHold(deps, { app_id }, hold_id)])
  return hold!
}

/** Frees held points; fails as `voidHold` does. */
export async function voidHoldOfMyApp(
  deps: PaymentsDeps,
  owner_id: string,
  app_id: string,
  hold_id: string,
  idempotency_key?: string,
) {
  await requireOwner(deps, owner_id, app_id)
  return voidHold(deps, { app_id }, hold_id, idempotency_key)
}
