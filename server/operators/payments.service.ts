import type { AppByMember, UserCaller } from '../../contract/caller.ts'
import { requireProof, type Proof } from '../accounts/proof.service.ts'
import { findUserIdByName, namesOfUsers, type AccountsDeps } from '../accounts/service.ts'
import { requireRole } from '../oauth/members.service.ts'
import { Failure } from '../platform/failure.ts'
import { listHoldsForApp, type HoldQuery } from '../points/hold-lists.service.ts'
import { getHold, voidHold, type HoldsDeps } from '../points/holds.service.ts'
import { withdraw, type PayoutsDeps } from '../points/payouts.service.ts'
import { refund, type NewRefund } from '../points/refunds.service.ts'
import {
  exportAppTransfers,
  getAppTransfer,
  listAppTransfers,
  type AppTransfer,
  type StatementQuery,
} from '../points/statements.service.ts'
import { listDeliveriesOfTransfers } from '../webhooks/deliveries.service.ts'

/** The app's own calls, for the people with a role in it. */
export interface PaymentsDeps extends HoldsDeps, PayoutsDeps {
  accounts: AccountsDeps
}

interface ByPerson {
  user_id?: string
  username?: string
}

/** An id that no account has. */
const nobody = '00000000-0000-0000-0000-000000000000'

/** The filter with the id of the named person; an unknown name, or one that contradicts the id, matches nothing. */
async function withPerson<Query extends ByPerson>({ db }: HoldsDeps, { username, ...query }: Query) {
  if (username === undefined) return query
  const found = (await findUserIdByName(db, username)) ?? nobody
  return { ...query, user_id: query.user_id === undefined || query.user_id === found ? found : nobody }
}

/** The names of persons by id. A person who has left has none. */
async function namesFor({ db }: HoldsDeps, ids: readonly (string | null)[]) {
  const names = await namesOfUsers(db, [...new Set(ids.filter((id) => id !== null))])
  return (id: string | null) => names.get(id ?? '') ?? null
}

async function withNames(deps: HoldsDeps, transfers: AppTransfer[]) {
  const nameOf = await namesFor(
    deps,
    transfers.flatMap(({ user_id, to_user_id }) => [user_id, to_user_id]),
  )
  return transfers.map((row) => ({ ...row, username: nameOf(row.user_id), to_username: nameOf(row.to_user_id) }))
}

async function withName<Hold extends { user_id: string }>(deps: HoldsDeps, holds: Hold[]) {
  const nameOf = await namesFor(
    deps,
    holds.map(({ user_id }) => user_id),
  )
  return holds.map((hold) => ({ ...hold, username: nameOf(hold.user_id) }))
}

/** A page of the movements of an app, newest first. */
export async function listTransfersOfMyApp(deps: HoldsDeps, app_id: string, query: StatementQuery & ByPerson) {
  const { data, next_cursor } = await listAppTransfers(deps, app_id, await withPerson(deps, query))
  return { data: await withNames(deps, data), next_cursor }
}

/** The same list as CSV, streamed. */
export async function* exportTransfersOfMyApp(deps: HoldsDeps, app_id: string, query: StatementQuery & ByPerson) {
  yield* exportAppTransfers(deps, app_id, await withPerson(deps, query))
}

/** A movement with its hold, refunds, refundable amount, and the webhook deliveries about them. */
export async function getTransferOfMyApp(deps: HoldsDeps, app_id: string, transfer_id: string) {
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

/** Moves points of an app to its owner, who must prove their identity; fails as `requireProof` and `withdraw` do. */
export async function withdrawFromMyApp(
  deps: PaymentsDeps,
  caller: UserCaller,
  app_id: string,
  { amount, ...proof }: Proof & { amount: number },
  idempotency_key?: string,
) {
  await requireProof(deps.accounts, caller, proof)
  return asMember(deps, caller, app_id, (member) => withdraw(deps, member, amount, idempotency_key))
}

/**
 * Books something for an app as the caller, whose role must last until it is booked. Fails as `requireRole` does if the
 * caller has lost the role.
 */
async function asMember<Result>(
  { db }: PaymentsDeps,
  caller: UserCaller,
  app_id: string,
  book: (member: Required<Omit<AppByMember, 'secret_id'>>) => Promise<Result>,
) {
  const role = caller.team_role ?? 'owner'
  try {
    return await book({ app_id, member_id: caller.user_id, member_role: role })
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') await requireRole(db, caller, role, { app_id })
    throw error
  }
}

/** Like `refund`, for a member of the app; also fails as `requireRole` does. */
export const refundInMyApp = (deps: PaymentsDeps, caller: UserCaller, app_id: string, made: NewRefund, key?: string) =>
  asMember(deps, caller, app_id, (member) => refund(deps, member, made, key))

/** Like `voidHold`, for a member of the app; also fails as `requireRole` does. */
export const voidHoldOfMyApp = (
  deps: PaymentsDeps,
  caller: UserCaller,
  app_id: string,
  hold_id: string,
  key?: string,
) => asMember(deps, caller, app_id, (member) => voidHold(deps, member, hold_id, key))

/** A page of the holds of an app, newest first. */
export async function listHoldsOfMyApp(deps: HoldsDeps, app_id: string, query: HoldQuery & ByPerson) {
  const { data, next_cursor } = await listHoldsForApp(deps, app_id, await withPerson(deps, query))
  return { data: await withName(deps, data), next_cursor }
}

export async function getHoldOfMyApp(deps: HoldsDeps, app_id: string, hold_id: string) {
  const [hold] = await withName(deps, [await getHold(deps, { app_id }, hold_id)])
  return hold!
}
