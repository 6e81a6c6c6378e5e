import { Button, NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { transfer_labels } from '../../kinds.tsx'
import { useDebouncedField } from '../../ui/debounced-field.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Icon } from '../../ui/icon.tsx'
import { filterOf, kinds, type Filter as MovementFilters } from './movements.ts'
import { t } from '../../texts.ts'

/** Filters the movements of the history. The filter is in the URL. */
export function MovementFilter({ filter, app_name }: { filter: MovementFilters; app_name: string | undefined }) {
  const router = useRouter()
  const { held_from, held_to } = useSearch({ from: '/points' })
  const set = (name: keyof MovementFilters, value: string | null | undefined) => {
    const search = { ...filterOf({ ...filter, [name]: value ?? '' }), held_from, held_to }
    void router.navigate({ to: '/points', search, replace: true, resetScroll: false })
  }
  const [reference, setReference] = useDebouncedField(filter.reference ?? '', (text) => set('reference', text))
  return (
    <Filter
      mb="md"
      label={t('common.filter')}
      used={Object.keys(filter).length}
      onClear={() =>
        void router.navigate({ to: '/points', search: { held_from, held_to }, replace: true, resetScroll: false })
      }
    >
      <SegmentedControl
        size="sm"
        aria-label={t('account.movement-filter.direction')}
        value={filter.direction ?? 'all'}
        data={[
          { value: 'all', label: t('common.all') },
          { value: 'in', label: t('common.in') },
          { value: 'out', label: t('common.out') },
        ]}
        onChange={(value) => set('direction', value)}
      />
      <NativeSelect
        size="sm"
        w={190}
        label={t('common.kind')}
        value={filter.kind ?? ''}
        data={[
          { value: '', label: t('common.every-kind') },
          ...kinds.map((value) => ({ value, label: t(transfer_labels[value]) })),
        ]}
        onChange={({ currentTarget }) => set('kind', currentTarget.value)}
      />
      <TextInput
        size="sm"
        w={150}
        label={t('common.reference')}
        type="search"
        autoComplete="off"
        maxLength={64}
        value={reference}
        onChange={({ currentTarget }) => setReference(currentTarget.value)}
      />
      <TextInput
        size="sm"
        type="date"
        label={t('common.from')}
        value={filter.from ?? ''}
        onChange={({ currentTarget }) => set('from', currentTarget.value)}
      />
      <TextInput
        size="sm"
        type="date"
        label={t('common.until')}
        value={filter.to ?? ''}
        onChange={({ currentTarget }) => set('to', currentTarget.value)}
      />
      {filter.app !== undefined && (
        <Button
          size="sm"
          variant="light"
          rightSection={<Icon name="cross" size={14} />}
          title={t('account.movement-filter.show-every-app')}
          onClick={() => set('app', undefined)}
        >
          {t('account.movement-filter.app', { app_name: app_name ?? '…' })}
        </Button>
      )}
    </Filter>
  )
}
