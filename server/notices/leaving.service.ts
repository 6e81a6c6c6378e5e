import { shortSection } from '../platform/export-section.ts'
import { devicesSection, noticesSection } from './leaving.store.ts'
import { exportSettings } from './settings.service.ts'

export { notices_erasure } from './leaving.store.ts'

export const notices_sections = [noticesSection, shortSection('notice_settings', exportSettings), devicesSection]
