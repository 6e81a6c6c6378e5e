import { isId } from '../../../contract/schema.ts'
import { spanOf } from '../../ui/day-range.ts'

const names = ['action', 'actor', 'target', 'from', 'to', 'actor_id', 'target_id'] as const

/** The filter of the audit log in the URL. Days are in the browser's time zone. */
export type AuditFilter = { [Name in (typeof names)[number]]?: string | undefined }

/** Clears every filter. */
export const no_filter: AuditFilter = Object.fromEntries(names.map((name) => [name, undefined]))

/** The filter as the API takes it, without malformed values. */
export function auditQuery({ action, actor, target, actor_id, target_id, from, to }: AuditFilter) {
  const given = {
    action,
    actor,
    target,
    actor_id: actor_id !== undefined && isId(actor_id) ? actor_id : undefined,
    target_id: target_id !== undefined && isId(target_id) ? target_id : undefined,
    ...spanOf({ from, to }),
  }
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  )
}
