import type { report_reasons } from '../../../contract/moderation-fields.ts'
import { t } from '../../texts.ts'

export const reason_names = (): Record<(typeof report_reasons)[number], string> => ({
  spam: t('people.report-reasons.spam-or-advertising'),
  harassment: t('people.report-reasons.harassment-or-insults'),
  hate: t('people.report-reasons.hate-against-a-group'),
  sexual: t('people.report-reasons.sexual-content'),
  violence: t('people.report-reasons.violence-or-threats'),
  scam: t('people.report-reasons.a-scam'),
  impersonation: t('people.report-reasons.pretends-to-be-somebody-else'),
  other: t('people.report-reasons.something-else'),
})
