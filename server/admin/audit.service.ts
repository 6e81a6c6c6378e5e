import type * as contract from '../../contract/admin-audit.ts'
import { decisions } from '../../contract/decisions.ts'
import type { QueryOf } from '../../contract/endpoint.ts'
import { findUserIdByName } from '../accounts/service.ts'
import { secondsAfter } from '../platform/clock.ts'
import { firstId } from '../platform/ids.ts'
import { pageById } from '../platform/page.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { csvOf } from '../platform/csv.ts'
import { readSpan } from '../platform/time-span.ts'
import type { AdminDeps } from './service.ts'
import { findIdsByName, listAuditNewestFirst, type AuditFilter, type AuditRow } from './store.ts'

type AuditQuery = QueryOf<typeof contract.exportAudit>

/** Clocks of processes differ: searches by time are widened by this margin on both sides. */
const slack_seconds = 3_600

const { found_names_max } = decisions.admin_support

/** The filter of a query. An unknown name matches nothing. Fails with `validation_failed` if `from` is not before `to`. */
async function filterOf(db: Sql, query: AuditQuery): Promise<Omit<AuditFilter, 'before_id' | 'rows_max'>> {
  const { since, until } = readSpan(query)
  const [actor_ids, target_ids] = await Promise.all([
    idsOf(query.actor_id, query.actor, async (name) => [await findUserIdByName(db, name)].flatMap((id) => id ?? [])),
    idsOf(query.target_id, query.target, (name) => findIdsByName(db, { name, rows_max: found_names_max })),
  ])
  return {
    action: query.action ?? null,
    actor_ids,
    target_ids,
    since,
    until,
    since_id: since && firstId(secondsAfter(since, -slack_seconds)),
    until_id: until && firstId(secondsAfter(until, slack_seconds)),
  }
}

/** The ids that match both the id and the name, if given; null without either. */
async function idsOf(
  id: string | undefined,
  name: string | undefined,
  findByName: (name: string) => Promise<string[]>,
): Promise<string[] | null> {
  if (name === undefined) return id === undefined ? null : [id]
  const found = await findByName(name)
  return id === undefined ? found : found.filter((one) => one === id)
}

/** A page of the audit log, newest first. */
export async function listAudit({ accounts: { db } }: AdminDeps, query: QueryOf<typeof contract.listAudit>) {
  const filter = await filterOf(db, query)
  return pageById(query, (page) => listAuditNewestFirst(db.adHoc, { ...filter, ...page }))
}

const columns = {
  id: 'plain',
  inserted_at: 'time',
  actor_id: 'plain',
  actor_username: 'text',
  action: 'text',
  target_id: 'plain',
  target_name: 'text',
  details: 'json',
} as const satisfies Partial<Record<keyof AuditRow, string>>

/**
 * The audit log as CSV, newest first, a page of rows at a time: memory does not grow with it (D-110). The filter is checked before the
 * first line; fails as `listAudit` does.
 */
export async function* exportAudit({ accounts: { db } }: AdminDeps, query: AuditQuery): AsyncGenerator<string> {
  const filter = await filterOf(db, query)
  yield* csvOf<string>(db.lengthy, { columns, key: 'id' }, (sql, { after, rows_max }) =>
    listAuditNewestFirst(sql, { ...filter, before_id: after, rows_max }),
  )
}
