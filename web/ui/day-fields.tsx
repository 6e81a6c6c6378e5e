import { Group, TextInput, type TextInputProps } from '@mantine/core'
import { t } from '../texts.ts'
import { isReversed, type Days } from './day-range.ts'

interface DayFieldProps extends Pick<TextInputProps, 'aria-label' | 'error' | 'label' | 'size'> {
  day: string | undefined
  onDay: (day: string | undefined) => void
}

/** One end of a range of days; empty if it is open. */
export const DayField = ({ day, onDay, ...props }: DayFieldProps) => (
  <TextInput
    type="date"
    value={day ?? ''}
    onChange={({ currentTarget }) => onDay(currentTarget.value || undefined)}
    {...props}
  />
)

/** A range of days for the filter of a list; both ends are inclusive and may be open. */
export const DayFields = ({ from, to, onChange }: Days & { onChange: (days: Days) => void }) => (
  <Group gap="xs" align="flex-start">
    <DayField size="xs" label={t('common.from')} day={from} onDay={(day) => onChange({ from: day, to })} />
    <DayField
      size="xs"
      label={t('common.until')}
      day={to}
      error={isReversed({ from, to }) && t('ui.day-fields.the-last-day-is-before-the')}
      onDay={(day) => onChange({ from, to: day })}
    />
  </Group>
)
