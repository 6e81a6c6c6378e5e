import { erasesRowsOf } from '../platform/erasure.ts'
import { shortSection, tableSection } from '../platform/export-section.ts'

export const notices_erasure = [
  erasesRowsOf('notices', 'user_id'),
  erasesRowsOf('notice_settings', 'user_id'),
  erasesRowsOf('notice_devices', 'user_id'),
]

export const noticesSection = tableSection('notices', 'notices', {
  columns: 'id, kind, event, count, amount, subject_id, app_id, reason, happened_at, read_at',
})

/** Without the keys, which belong to the browser. */
export const devicesSection = shortSection(
  'notice_devices',
  (db, user_id) =>
    db.sql`
    select endpoint, kinds, with_texts, inserted_at from notice_devices where user_id = ${user_id} order by inserted_at, id`,
)
