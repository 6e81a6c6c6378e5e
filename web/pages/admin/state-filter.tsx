import { SegmentedControl } from '@mantine/core'
import { t } from '../../texts.ts'

interface StateFilterProps<State extends string> {
  value: State | undefined
  onChange: (state: State | undefined) => void
  states: Record<State, string>
}

/** Shows a list in one state or all of it. */
export const StateFilter = <State extends string>({ value, onChange, states }: StateFilterProps<State>) => (
  <div className="scroll-x">
    <SegmentedControl
      size="xs"
      aria-label={t('common.status')}
      value={value ?? 'all'}
      onChange={(word) => onChange(word === 'all' ? undefined : (word as State))}
      data={[
        { value: 'all', label: t('common.all') },
        ...Object.entries<string>(states).map(([state, label]) => ({ value: state, label })),
      ]}
    />
  </div>
)
