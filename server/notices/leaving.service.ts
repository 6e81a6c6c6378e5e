import { longSection, shortSection, type ExportSection } from '../platform/export-section.ts'
import type { Database } from '../platform/postgres/database.ts'
import { eraseNotices, eraseDevices, eraseSettings, listAllDevices, listAllNotices } from './leaving.store.ts'
import { exportSettings } from './settings.service.ts'

export const notices_erasure = [eraseNotices, eraseSettings, eraseDevices]

export const noticesSections = (db: Database, user_id: string, { rows_max }: { rows_max: number }): ExportSection[] => [
  longSection(
    'notices',
    rows_max,
    (after_id: string | null) => listAllNotices(db.lengthy, { user_id, after_id, rows_max }),
    ({ id }) => id,
  ),
  shortSection('notice_settings', () => exportSettings(db, user_id)),
  shortSection('notice_devices', () => listAllDevices(db, user_id)),
]
