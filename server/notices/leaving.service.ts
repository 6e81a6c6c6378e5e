import { longSection, shortSection } from '../platform/export-section.ts'
import { eraseNotices, eraseDevices, eraseSettings, listAllDevices, listAllNotices } from './leaving.store.ts'
import { exportSettings } from './settings.service.ts'

export const notices_erasure = [eraseNotices, eraseSettings, eraseDevices]

export const notices_sections = [
  longSection('notices', listAllNotices, ({ id }) => id),
  shortSection('notice_settings', exportSettings),
  shortSection('notice_devices', listAllDevices),
]
