import type { QueryOf } from '../../contract/endpoint.ts'
import type * as contract from '../../contract/payments.ts'
import { decisions } from '../../contract/decisions.ts'
import type { HoldStatus } from '../../contract/states.ts'
import { secondsAfter } from '../platform/clock.ts'
import { firstId } from '../platform/ids.ts'
import { cursorId, cursorNumber, pageSize, toPage } from '../platform/page.ts'
import { readSpan } from '../platform/time-span.ts'
import { freeExpired, type HoldsDeps } from './holds.service.ts'
import { listHolds, listHoldsOfApp, listHoldsOfUser, type ListedHold } from './holds.store.ts'

const { expires_in_max } = decisions.holds

type ListDeps = Pick<HoldsDeps, 'db' | 'clock'>

export type HoldQuery = QueryOf<typeof contract.listHolds>

function filterOf(now: Date, query: HoldQuery) {
  const span = readSpan(query)
  return {
    status: query.status ?? null,
    reference: query.reference ?? null,
    ...span,
    oldest: oldestOf(now, query.status, span.since),
    now,
    rows_max: pageSize(query) + 1,
  }
}

/** Open holds are not older than the maximum duration of a hold. This bound finds the few open ones among millions quickly. */
function oldestOf(now: Date, status: HoldStatus | undefined, since: Date | null) {
  if (status !== 'open') return since
  const oldest = secondsAfter(now, -expires_in_max)
  return since && since > oldest ? since : oldest
}

async function toHoldPage<Row extends ListedHold>(
  deps: ListDeps,
  rows: Row[],
  query: HoldQuery,
  key: 'seq' | 'id' = 'seq',
) {
  return toPage(await freeExpired(deps, rows), pageSize(query), (row) => row[key])
}

/** A page of an app's holds, newest first. */
export async function listHoldsForApp(deps: ListDeps, app_id: string, query: HoldQuery) {
  const filter = {
    ...filterOf(deps.clock(), query),
    app_id,
    user_id: query.user_id ?? null,
    before_seq: cursorNumber(query),
  }
  return toHoldPage(deps, await listHoldsOfApp(deps.db.adHoc, filter), query)
}

export interface AdminHoldQuery extends HoldQuery {
  app_id?: string
}

/** A page of the holds of all apps, or of one, newest first, for an admin. */
export async function listHoldsForAdmin(deps: ListDeps, { app_id, ...query }: AdminHoldQuery) {
  if (app_id !== undefined) return listHoldsForApp(deps, app_id, query)
  if (query.user_id !== undefined) return listHoldsForUser(deps, query.user_id, query)
  const { oldest, ...filter } = filterOf(deps.clock(), query)
  const ids = { before_id: cursorId(query), ...idsBetween(oldest ?? new Date(0), filter.until) }
  return toHoldPage(deps, await listHolds(deps.db.adHoc, { ...filter, ...ids }), query, 'id')
}

/** Clocks of processes differ: searches by time are widened by this margin on both sides. */
const slack_seconds = 3_600

const idsBetween = (since: Date, until: Date | null) => ({
  since_id: firstId(secondsAfter(since, -slack_seconds)),
  until_id: until && firstId(secondsAfter(until, slack_seconds)),
})

/** A page of a person's holds, newest first. */
export async function listHoldsForUser(deps: ListDeps, user_id: string, query: HoldQuery) {
  const filter = { ...filterOf(deps.clock(), query), app_id: null, user_id, before_seq: cursorNumber(query) }
  return toHoldPage(deps, await listHoldsOfUser(deps.db, filter), query)
}
