import { longSection, type ExportPage } from '../platform/export-section.ts'
import type { Sql } from '../platform/postgres/database.ts'

/** The position of a record: its time in microseconds, and its id. */
interface AdPlace {
  at: string
  id: string
}

const listAdEventsOf = (db: Sql, { user_id, after, rows_max }: ExportPage<AdPlace>) =>
  db.sql<AdPlace>`
    select id, campaign_id, event_type, surface_type, app_id, inserted_at, inserted_at::text as at
      from ad_events
     where user_id = ${user_id}
       and (inserted_at, id) > (coalesce(${after?.at ?? null}::timestamptz, '-infinity'),
                                coalesce(${after?.id ?? null}::uuid, '00000000-0000-0000-0000-000000000000'))
     order by inserted_at, id limit ${rows_max}`

/** The ads that a person saw and clicked. They stay when the person leaves, because they contain only ids. */
export const ads_sections = [longSection('ads', listAdEventsOf, ({ at, id }) => ({ at, id }), ['at'])]
