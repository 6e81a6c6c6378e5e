import type { EraseRound } from '../platform/erasure.ts'
import { longSection, type ExportPage } from '../platform/export-section.ts'
import { countRows, type Sql } from '../platform/postgres/database.ts'

/**
 * Erases the texts of entries about the person, their apps, and objects of those apps; action, actor and time remain. Entries by the person
 * as an admin remain too: they are about others.
 */
const eraseAuditTexts: EraseRound = (tx, { user_id, app_ids }, rows_max) =>
  countRows(tx.sql`
    update audit_log
       set details = (select coalesce(jsonb_object_agg(key, value) filter (where jsonb_typeof(value) in ('number', 'boolean')), '{}')
                        from jsonb_each(details))
     where id = any(array(
       select l.id
         from (select ${user_id}::uuid as id union all select unnest(${app_ids}::uuid[])
               union all select id from deployments where owner_id = ${user_id}
               union all select id from scope_requests where app_id = any(${app_ids}::uuid[])
               union all select id from moderation_cases where person_id = ${user_id}) subject
         join audit_log l on l.target_id = subject.id
        where exists (select from jsonb_each(l.details) d where jsonb_typeof(d.value) not in ('number', 'boolean'))
        limit ${rows_max}))
    returning id`)

/** Erases the texts of reviews about the person or their apps; the numbers remain, as in the audit log. */
const eraseReviewTexts: EraseRound = (tx, { user_id, app_ids }, rows_max) =>
  countRows(tx.sql`
    update reviews set description = null, reason = null, decision_reason = null
     where id = any(array(
       select id from reviews
        where (user_id = ${user_id} or app_id = any(${app_ids}::uuid[])) and coalesce(description, reason, decision_reason) is not null
        limit ${rows_max}))
    returning id`)

const listAuditAbout = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ id: string }>`
    select id, action, target_id = ${user_id} as about_you, target_id, details, inserted_at
      from audit_log
     where (target_id = ${user_id} or actor_id = ${user_id}) and (${after}::uuid is null or id > ${after})
     order by id limit ${rows_max}`

export const admin_erasure = [eraseAuditTexts, eraseReviewTexts]

/** Audit entries about the person or by the person as an admin, without the names of other actors. */
export const admin_sections = [longSection('audit_log', listAuditAbout, ({ id }) => id)]
