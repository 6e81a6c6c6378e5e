import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../texts.ts'
import { DayField } from './day-fields.tsx'
import type { Days } from './day-range.ts'
import { EmptyState } from './page-parts.tsx'
import { RichText } from './rich-text.tsx'

/** The days on which listed holds were made; both ends are inclusive and may be open. */
export const HoldDays = ({ from, to, onChange }: Days & { onChange: (days: Days) => void }) => (
  <Group gap="sm" mb="md">
    <DayField size="sm" label={t('ui.hold-days.made-from')} day={from} onDay={(day) => onChange({ from: day, to })} />
    <DayField size="sm" label={t('ui.hold-days.made-until')} day={to} onDay={(day) => onChange({ from, to: day })} />
  </Group>
)

/** No hold is open, or none that was made on these days. */
export const NoHolds = ({ from, to, all }: Days & { all: (part: ReactNode) => ReactNode }) => (
  <EmptyState icon="coins" title={t('ui.hold-days.no-open-hold')}>
    {(from ?? to) !== undefined && <RichText k="ui.hold-days.none-was-made-on-these-days" link={all} />}
  </EmptyState>
)
