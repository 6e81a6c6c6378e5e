import type { report_reasons } from '../../contract/moderation-fields.ts'
import { t } from '../texts.ts'

export const reason_names = (): Record<(typeof report_reasons)[number], string> => ({
  spam: t('ui.report-reasons.spam-or-advertising'),
  harassment: t('ui.report-reasons.harassment-or-insults'),
  hate: t('ui.report-reasons.hate-against-a-group'),
  sexual: t('ui.report-reasons.sexual-content'),
  violence: t('ui.report-reasons.violence-or-threats'),
  scam: t('ui.report-reasons.a-scam'),
  impersonation: t('ui.report-reasons.pretends-to-be-somebody-else'),
  other: t('ui.report-reasons.something-else'),
})
