import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedField } from '../../../ui/debounced-field.ts'
import { payment_kinds, type Filter } from './payments.ts'

/** Chooses which payments are listed; the choice stands in the address. */
export function PaymentFilter({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const set = (name: keyof Filter) => (value: string | undefined) => {
    const { [name]: _, ...others } = filter
    onChange({ ...others, ...(value && { [name]: value }) })
  }
  const [reference, setReference] = useDebouncedField(filter.reference ?? '', set('reference'))
  const [username, setUsername] = useDebouncedField(filter.username ?? '', set('username'))
  const search = { type: 'search', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, size: 'sm' } as const
  return (
    <Group gap="sm" mb="md" align="flex-end" role="group" aria-label="Filter">
      <TextInput
        {...search}
        label="Reference"
        w={170}
        maxLength={64}
        value={reference}
        onChange={({ currentTarget }) => setReference(currentTarget.value)}
      />
      <TextInput
        {...search}
        label="Person"
        placeholder="whole username"
        w={170}
        maxLength={32}
        value={username}
        onChange={({ currentTarget }) => setUsername(currentTarget.value)}
      />
      <NativeSelect
        label="Kind"
        size="sm"
        value={filter.kind ?? ''}
        onChange={({ currentTarget }) => set('kind')(currentTarget.value)}
        data={[
          { value: '', label: 'Every kind' },
          ...payment_kinds.map((value) => ({ value, label: value === 'spend' ? 'Payments' : 'Refunds' })),
        ]}
      />
      <TextInput
        label="From"
        type="date"
        size="sm"
        value={filter.from ?? ''}
        onChange={({ currentTarget }) => set('from')(currentTarget.value)}
      />
      <TextInput
        label="Until"
        type="date"
        size="sm"
        value={filter.to ?? ''}
        onChange={({ currentTarget }) => set('to')(currentTarget.value)}
      />
      {Object.keys(filter).length > 0 && (
        <Button variant="subtle" size="sm" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </Group>
  )
}
