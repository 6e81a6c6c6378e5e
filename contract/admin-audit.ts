import { Type } from 'typebox'
import { endpoint, of_admins } from './endpoint.ts'
import { id } from './fields.ts'
import { span_filters } from './point-fields.ts'
import {
  bounded_text,
  date_time,
  decided,
  described,
  nullable_text,
  nullable_uuid,
  page_of,
  page_query,
  text,
  uuid,
} from './schema.ts'

const ours = { ...of_admins, decision: 'D-81' } as const

export const audit_entry = Type.Object({
  id,
  actor_id: described('The id of the admin; null for a command on the machine', nullable_uuid),
  actor_username: described('The name of the admin; null for a command, or if the account is gone', nullable_text),
  action: described('The action, such as `app.approve`', text),
  target_id: described('The id of its target; null if there is none', nullable_uuid),
  target_name: described('Its current name; null if it no longer exists or has no name', nullable_text),
  details: described(
    'The fields of the call and its circumstances; they depend on `action`',
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ),
  inserted_at: described('The time of the action', date_time),
})

const audit_filters = {
  action: Type.Optional(described('The action, such as `app.approve`', bounded_text(1, 100))),
  actor_id: Type.Optional(described('The id of the admin who did it', uuid)),
  target_id: Type.Optional(described('The id of its target', uuid)),
  actor: Type.Optional(
    decided('D-110', described('The full name of the admin who did it, ignoring case', bounded_text(1, 100))),
  ),
  target: Type.Optional(
    decided(
      'D-110',
      described(
        'The full name of the target (person, app, campaign, tier or deployment), ignoring case',
        bounded_text(1, 100),
      ),
    ),
  ),
  ...span_filters,
}

export const listAudit = endpoint('GET /api/admin/audit', {
  ...ours,
  admin_roles: ['administrator'],
  summary: 'The audit log, newest first; `target_name` is the current name of the target, if it exists and has one',
  query: page_query(audit_filters),
  description: 'Entries are never changed or deleted.',
  response: page_of(audit_entry),
})

export const exportAudit = endpoint('GET /api/admin/audit.csv', {
  ...ours,
  admin_roles: ['administrator'],
  decision: 'D-110',
  summary: 'The audit log as a CSV file, newest first, of any length',
  description:
    'With the filters of the list. `details` is JSON. A cell that a spreadsheet would take for a formula begins with an apostrophe.',
  query: Type.Object(audit_filters),
  response: text,
  download: 'text/csv',
})
