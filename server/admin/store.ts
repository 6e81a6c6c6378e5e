import type { Static } from 'typebox'
import type { countPending as count_endpoint } from '../../contract/admin.ts'
import type { audit_entry } from '../../contract/admin-audit.ts'
import type { ResponseOf } from '../../contract/endpoint.ts'
import type { AuditAction } from '../../contract/kinds/audit-actions.ts'
import { allValues, firstValue, json, theRow, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface AuditEntry {
  id: string
  actor_id: string | null
  action: AuditAction
  target_id: string | null
  details: Record<string, unknown>
  now: Date
}

/** Writes an audit entry, in the transaction of the change. */
export const insertAudit = (tx: Tx, { id, actor_id, action, target_id, details, now }: AuditEntry) =>
  tx.sql`
    insert into audit_log (id, actor_id, action, target_id, details, inserted_at)
    values (${id}, ${actor_id}, ${action}, ${target_id}, ${json(details)}, ${now})`

/** Inserts an entry unless its actor has made the same one after `since`. */
export const insertAuditOnce = (db: Sql, { id, actor_id, action, target_id, details, now }: AuditEntry, since: Date) =>
  db.sql`
    insert into audit_log (id, actor_id, action, target_id, details, inserted_at)
    select ${id}, ${actor_id}::uuid, ${action}, ${target_id}::uuid, ${json(details)}::jsonb, ${now}
     where not exists (
       select from audit_log
        where target_id = ${target_id}::uuid and actor_id = ${actor_id}::uuid and action = ${action} and details = ${json(details)}::jsonb
          and inserted_at > ${since})`

export type AuditRow = Static<typeof audit_entry>

/** A range of the log in the order of ids, which follows time. */
export const listAuditOldestFirst = (
  db: Sql,
  { after_id, since, until, rows_max }: { after_id: string; since: Date; until: Date; rows_max: number },
) =>
  db.sql<Omit<AuditRow, 'actor_username' | 'target_name'>>`
    select id, inserted_at, actor_id, action, target_id, details
      from audit_log
     where id > ${after_id} and inserted_at >= ${since} and inserted_at < ${until}
     order by id
     limit ${rows_max}`

export interface AuditFilter {
  action: string | null
  /** Only entries of these actors; null for all. */
  actor_ids: string[] | null
  /** Only entries about these targets; null for all. */
  target_ids: string[] | null
  since: Date | null
  until: Date | null
  /** The first and last id of this time range, with a margin. */
  since_id: string | null
  until_id: string | null
  before_id: string | null
  rows_max: number
}

/** A page of the log with the current names of its targets; an id occurs in at most one of these tables. */
export const listAuditNewestFirst = (db: Sql, filter: AuditFilter) =>
  db.sql<AuditRow>`
    with page as materialized (
      select id, actor_id, action, target_id, details, inserted_at
        from audit_log
       where (${filter.action}::text is null or action = ${filter.action})
         and (${filter.actor_ids}::uuid[] is null or actor_id = any(${filter.actor_ids}))
         and (${filter.target_ids}::uuid[] is null or target_id = any(${filter.target_ids}))
         and (${filter.since}::timestamptz is null or inserted_at >= ${filter.since})
         and (${filter.until}::timestamptz is null or inserted_at < ${filter.until})
         and (${filter.since_id}::uuid is null or id >= ${filter.since_id})
         and (${filter.until_id}::uuid is null or id < ${filter.until_id})
         and (${filter.before_id}::uuid is null or id < ${filter.before_id})
       order by id desc
       limit ${filter.rows_max})
    select l.id, l.actor_id, u.username as actor_username, l.action, l.target_id,
           coalesce(person.username, app.app_name, campaign.name, tier.name, deployment.subdomain, team.name) as target_name,
           l.details, l.inserted_at
      from page l
      left join users u on u.id = l.actor_id
      left join users person on person.id = l.target_id
      left join scope_requests request on request.id = l.target_id
      left join oauth_apps app on app.id = coalesce(request.app_id, l.target_id)
      left join campaigns campaign on campaign.id = l.target_id
      left join deploy_tiers tier on tier.id = l.target_id
      left join deployments deployment on deployment.id = l.target_id
      left join teams team on team.id = l.target_id
     order by l.id desc`

/**
 * The ids of the persons, apps (with their scope requests), campaigns, tiers, deployments and teams with this name,
 * ignoring case.
 */
export const findIdsByName = (db: Sql, { name, rows_max }: { name: string; rows_max: number }) =>
  allValues(db.sql<{ id: string }>`
    with apps as (select id from oauth_apps where lower(app_name) = lower(${name}) limit ${rows_max})
    select id from users where lower(username) = lower(${name})
    union all select id from apps
    union all select r.id from scope_requests r join apps on apps.id = r.app_id
    union all select id from campaigns where lower(name) = lower(${name})
    union all select id from deploy_tiers where lower(name) = lower(${name})
    union all select id from deployments where subdomain = lower(${name})
    union all select id from teams where lower(name) = lower(${name})
    limit ${rows_max}`)

export type PendingCounts = ResponseOf<typeof count_endpoint>

/** The numbers in the last notices; undefined while another process counts. */
export const lockNoticedCounts = (tx: Tx) =>
  firstValue(tx.sql<{ counts: Partial<PendingCounts> }>`
    select counts from notice_progress where source = 'review' for update skip locked`)

export const setNoticedCounts = (tx: Tx, counts: PendingCounts) =>
  tx.sql`update notice_progress set counts = ${json(counts)}::jsonb where source = 'review'`

/** The numbers of pending decisions, each counted up to a limit; for a viewer, without the reviews that they asked for. */
export const countPending = (db: Sql, counted_max: number, now: Date, viewer: string | null = null) =>
  theRow(db.sql<PendingCounts>`
    select (select count(*) from (select 1 from oauth_apps where status = 'pending' limit ${counted_max}) a) as apps,
           (select count(*) from (select 1 from oauth_apps where changed_since_approval limit ${counted_max}) c) as changed_apps,
           (select count(*) from (select 1 from scope_requests where status = 'pending' limit ${counted_max}) s) as scope_requests,
           (select count(*) from (select 1 from moderation_cases where status = 'open' limit ${counted_max}) m) as cases,
           (select count(*) from (select 1 from reviews where status = 'open' and expires_at > ${now}
                                           and asked_by is distinct from ${viewer}::uuid limit ${counted_max}) r) as reviews`)
