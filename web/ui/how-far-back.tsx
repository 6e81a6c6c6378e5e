import { SegmentedControl } from '@mantine/core'
import { t } from '../texts.ts'

interface HowFarBackProps<Span extends string> {
  spans: readonly { value: Span; label: string }[]
  value: Span
  onChange: (span: Span) => void
}

/** Chooses the time range of a chart or list. */
export const HowFarBack = <Span extends string>({ spans, value, onChange }: HowFarBackProps<Span>) => (
  <SegmentedControl<Span>
    size="xs"
    aria-label={t('common.how-far-back')}
    data={[...spans]}
    value={value}
    onChange={onChange}
  />
)
