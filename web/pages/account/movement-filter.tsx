import { Group, SegmentedControl, Select } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { filterOf, kind_names, kinds, type Filter } from './movements.ts'

/** Chooses which movements the history shows; the choice stands in the address. */
export default function MovementFilter({ filter }: { filter: Filter }) {
  const router = useRouter()
  const change = (next: Filter) => {
    void router.navigate({ to: '/points', search: next, replace: true, resetScroll: false })
  }
  const { kind, direction } = filter
  return (
    <Group gap="sm" mb="md" align="flex-end" role="group" aria-label="Filter">
      <SegmentedControl
        size="sm"
        aria-label="Direction"
        value={direction ?? 'all'}
        data={[
          { value: 'all', label: 'All' },
          { value: 'in', label: 'In' },
          { value: 'out', label: 'Out' },
        ]}
        onChange={(value) => change({ ...(kind && { kind }), ...filterOf({ direction: value }) })}
      />
      <Select
        size="sm"
        w={200}
        aria-label="Kind"
        placeholder="Every kind"
        clearable
        clearButtonProps={{ 'aria-label': 'Every kind' }}
        value={kind ?? null}
        data={kinds.map((value) => ({ value, label: kind_names[value] }))}
        onChange={(value) => change({ ...filterOf({ kind: value }), ...(direction && { direction }) })}
      />
    </Group>
  )
}
