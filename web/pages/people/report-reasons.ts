import type { report_reasons } from '../../../contract/moderation-fields.ts'

export const reason_names: Record<(typeof report_reasons)[number], string> = {
  spam: 'Spam or advertising',
  harassment: 'Harassment or insults',
  hate: 'Hate against a group',
  sexual: 'Sexual content',
  violence: 'Violence or threats',
  scam: 'A scam',
  impersonation: 'Pretends to be somebody else',
  other: 'Something else',
}
