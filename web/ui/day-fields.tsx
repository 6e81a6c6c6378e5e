import { Group, TextInput } from '@mantine/core'
import { t } from '../texts.ts'

export interface Days {
  from?: string | undefined
  to?: string | undefined
}

/** A range of days for the filter of a list; both days are included, and each may be left open. */
export const DayFields = ({ from, to, onChange }: Days & { onChange: (days: Days) => void }) => (
  <Group gap="xs">
    <TextInput
      type="date"
      size="xs"
      aria-label={t('ui.day-fields.from')}
      value={from ?? ''}
      onChange={({ currentTarget }) => onChange({ from: currentTarget.value || undefined, to })}
    />
    <TextInput
      type="date"
      size="xs"
      aria-label={t('common.until')}
      value={to ?? ''}
      onChange={({ currentTarget }) => onChange({ from, to: currentTarget.value || undefined })}
    />
  </Group>
)
