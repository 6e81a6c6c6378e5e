import { NativeSelect, TextInput } from '@mantine/core'
import { DayField } from '../../../ui/day-fields.tsx'
import { useDebouncedField } from '../../../ui/debounced-field.ts'
import { Filter } from '../../../ui/filter.tsx'
import type { Filter as PaymentFilters } from './payments.ts'
import { t } from '../../../texts.ts'

export function PaymentFilter({
  filter,
  onChange,
}: {
  filter: PaymentFilters
  onChange: (filter: PaymentFilters) => void
}) {
  const set = (name: keyof PaymentFilters) => (value: string | undefined) => {
    const { [name]: _, ...others } = filter
    onChange({ ...others, ...(value && { [name]: value }) })
  }
  const [reference, setReference] = useDebouncedField(filter.reference ?? '', set('reference'))
  const [username, setUsername] = useDebouncedField(filter.username ?? '', set('username'))
  const search = { type: 'search', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, size: 'sm' } as const
  return (
    <Filter mb="md" label={t('common.filter')} used={Object.keys(filter).length} onClear={() => onChange({})}>
      <TextInput
        {...search}
        label={t('common.reference')}
        w={170}
        maxLength={64}
        value={reference}
        onChange={({ currentTarget }) => setReference(currentTarget.value)}
      />
      <TextInput
        {...search}
        label={t('common.person')}
        placeholder={t('build.payment-filter.whole-username')}
        w={170}
        maxLength={32}
        value={username}
        onChange={({ currentTarget }) => setUsername(currentTarget.value)}
      />
      <NativeSelect
        label={t('common.kind')}
        size="sm"
        value={filter.kind ?? ''}
        onChange={({ currentTarget }) => set('kind')(currentTarget.value)}
        data={[
          { value: '', label: t('common.every-kind') },
          { value: 'spend', label: t('common.payments') },
          { value: 'refund', label: t('common.refunds') },
          { value: 'payout', label: t('build.payment-filter.payouts') },
          { value: 'withdrawal', label: t('build.payment-filter.withdrawals') },
          { value: 'transfer', label: t('build.payments.between-people') },
        ]}
      />
      <DayField label={t('common.from')} size="sm" day={filter.from} onDay={set('from')} />
      <DayField label={t('common.until')} size="sm" day={filter.to} onDay={set('to')} />
    </Filter>
  )
}
