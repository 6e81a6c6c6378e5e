import { erasesRowsOf } from '../platform/erasure.ts'
import type { ExportPage } from '../platform/export-section.ts'
import type { Sql } from '../platform/postgres/database.ts'

export const eraseNotices = erasesRowsOf('notices', 'user_id')
export const eraseSettings = erasesRowsOf('notice_settings', 'user_id')

export const listAllNotices = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ id: string }>`
    select id, kind, event, count, amount, subject_id, app_id, reason, happened_at, read_at
      from notices
     where user_id = ${user_id} and (${after}::uuid is null or id > ${after}) order by id limit ${rows_max}`

export const eraseDevices = erasesRowsOf('notice_devices', 'user_id')

/** Without the keys, which belong to the browser. */
export const listAllDevices = (db: Sql, user_id: string) =>
  db.sql<{ endpoint: string }>`
    select endpoint, kinds, with_texts, inserted_at from notice_devices where user_id = ${user_id} order by inserted_at, id`
