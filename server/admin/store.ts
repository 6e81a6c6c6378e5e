import { json, type Sql, type Tx } from '../kit/database.ts'

export interface AuditEntry {
  id: string
  actor_id: string | null
  action: string
  target_id: string | null
  details: Record<string, unknown>
  now: Date
}

/** Writes into the audit log, inside the transaction of the change. */
export const insertAudit = (tx: Tx, { id, actor_id, action, target_id, details, now }: AuditEntry) =>
  tx.sql`
    insert into audit_log (id, actor_id, action, target_id, details, inserted_at)
    values (${id}, ${actor_id}, ${action}, ${target_id}, ${json(details)}, ${now})`

export interface AuditRow {
  id: string
  actor_id: string | null
  actor_username: string | null
  action: string
  target_id: string | null
  details: Record<string, unknown>
  inserted_at: Date
}

interface AuditFilter {
  action: string | null
  actor_id: string | null
  target_id: string | null
  before_id: string | null
  rows_max: number
}

export const listAuditNewestFirst = (db: Sql, filter: AuditFilter) =>
  db.sql<AuditRow>`
    select l.id, l.actor_id, u.username as actor_username, l.action, l.target_id, l.details, l.inserted_at
      from audit_log l left join users u on u.id = l.actor_id
     where (${filter.action}::text is null or l.action = ${filter.action})
       and (${filter.actor_id}::uuid is null or l.actor_id = ${filter.actor_id})
       and (${filter.target_id}::uuid is null or l.target_id = ${filter.target_id})
       and (${filter.before_id}::uuid is null or l.id < ${filter.before_id})
     order by l.id desc
     limit ${filter.rows_max}`
