import { Group, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../texts.ts'
import type { Days } from './day-fields.tsx'
import { EmptyState } from './page-parts.tsx'
import { RichText } from './rich-text.tsx'

/** The days on which listed holds were made; both are included, and each may be left open. */
export const HoldDays = ({ from, to, onChange }: Days & { onChange: (days: Days) => void }) => (
  <Group gap="sm" mb="md">
    <TextInput
      type="date"
      size="sm"
      label={t('ui.hold-days.made-from')}
      value={from ?? ''}
      onChange={({ currentTarget }) => onChange({ from: currentTarget.value || undefined, to })}
    />
    <TextInput
      type="date"
      size="sm"
      label={t('ui.hold-days.made-until')}
      value={to ?? ''}
      onChange={({ currentTarget }) => onChange({ from, to: currentTarget.value || undefined })}
    />
  </Group>
)

/** No hold is open; with days, none that was made on them. */
export const NoHolds = ({ from, to, all }: Days & { all: (part: ReactNode) => ReactNode }) => (
  <EmptyState icon="coins" title={t('ui.hold-days.no-open-hold')}>
    {(from ?? to) !== undefined && <RichText k="ui.hold-days.none-was-made-on-these-days" link={all} />}
  </EmptyState>
)
