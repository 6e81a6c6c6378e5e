import { Button, Group, SegmentedControl, Stack, useMatches, type GroupProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { capitalized, t } from '../texts.ts'
import { Drawer } from './dialog.tsx'
import classes from './filter.module.css'

interface FilterProps extends Pick<GroupProps, 'mb'> {
  label: string
  /** The number of set fields. */
  used: number
  onClear: () => void
  children: ReactNode
}

/** The filter of a list: a row of fields; on a phone, a button that opens them in a sheet. */
export function Filter({ label, used, onClear, mb, children }: FilterProps) {
  const on_phone = useMatches({ base: true, sm: false }, { getInitialValueInEffect: false })
  const [opened, { open, close }] = useDisclosure()
  const clear = used > 0 && (
    <Button variant="subtle" size="sm" onClick={onClear}>
      {t('common.clear')}
    </Button>
  )
  if (!on_phone)
    return (
      <Group gap="sm" align="flex-end" mb={mb} role="search" aria-label={label}>
        {children}
        {clear}
      </Group>
    )
  return (
    <Group gap="xs" mb={mb}>
      <Button variant="default" size="sm" onClick={open}>
        {t('ui.filter.filter', { used })}
      </Button>
      {clear}
      <Drawer opened={opened} onClose={close} position="bottom" size="auto" title={label}>
        <Stack gap="sm" className={classes.sheet}>
          {children}
          <Button onClick={close}>{t('ui.filter.show')}</Button>
        </Stack>
      </Drawer>
    </Group>
  )
}

interface StateFilterProps<State extends string> {
  /** Undefined for the whole list. */
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

/** The API's names of states, capitalized, as labels. */
export const wordsOf = <State extends string>(states: readonly State[]) =>
  Object.fromEntries(states.map((state) => [state, capitalized(state)])) as unknown as Record<State, string>
