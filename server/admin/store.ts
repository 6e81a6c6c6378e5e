import { json, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface AuditEntry {
  id: string
  actor_id: string | null
  action: string
  target_id: string | null
  details: Record<string, unknown>
  now: Date
}

/** Writes an audit entry, in the transaction of the change. */
export const insertAudit = (tx: Tx, { id, actor_id, action, target_id, details, now }: AuditEntry) =>
  tx.sql`
    insert into audit_log (id, actor_id, action, target_id, details, inserted_at)
    values (${id}, ${actor_id}, ${action}, ${target_id}, ${json(details)}, ${now})`

export interface ExportedAudit {
  id: string
  inserted_at: Date
  actor_id: string | null
  action: string
  target_id: string | null
  details: Record<string, unknown>
}

/** A part of the log in the order of ids, which is that of time: behind `after_id`, within a time. */
export const listAuditOldestFirst = (
  db: Sql,
  { after_id, since, until, rows_max }: { after_id: string; since: Date; until: Date; rows_max: number },
) =>
  db.sql<ExportedAudit>`
    select id, inserted_at, actor_id, action, target_id, details
      from audit_log
     where id > ${after_id} and inserted_at >= ${since} and inserted_at < ${until}
     order by id
     limit ${rows_max}`

export interface AuditRow {
  id: string
  actor_id: string | null
  actor_username: string | null
  action: string
  target_id: string | null
  target_name: string | null
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

/** A page of the log with the current names of its targets; an id is in at most one of these tables. */
export const listAuditNewestFirst = (db: Sql, filter: AuditFilter) =>
  db.sql<AuditRow>`
    with page as materialized (
      select id, actor_id, action, target_id, details, inserted_at
        from audit_log
       where (${filter.action}::text is null or action = ${filter.action})
         and (${filter.actor_id}::uuid is null or actor_id = ${filter.actor_id})
         and (${filter.target_id}::uuid is null or target_id = ${filter.target_id})
         and (${filter.before_id}::uuid is null or id < ${filter.before_id})
       order by id desc
       limit ${filter.rows_max})
    select l.id, l.actor_id, u.username as actor_username, l.action, l.target_id,
           coalesce(person.username, app.app_name, campaign.name, tier.name, deployment.subdomain) as target_name,
           l.details, l.inserted_at
      from page l
      left join users u on u.id = l.actor_id
      left join users person on person.id = l.target_id
      left join scope_requests request on request.id = l.target_id
      left join oauth_apps app on app.id = coalesce(request.app_id, l.target_id)
      left join campaigns campaign on campaign.id = l.target_id
      left join deploy_tiers tier on tier.id = l.target_id
      left join deployments deployment on deployment.id = l.target_id
     order by l.id desc`
