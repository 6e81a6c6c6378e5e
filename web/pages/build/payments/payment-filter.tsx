import { NativeSelect } from '@mantine/core'
import { DayField } from '../../../ui/day-fields.tsx'
import { SearchField } from '../../../ui/debounced-field.tsx'
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
  return (
    <Filter mb="md" label={t('common.filter')} used={Object.keys(filter).length} onClear={() => onChange({})}>
      <SearchField
        label={t('common.reference')}
        w={170}
        maxLength={64}
        value={filter.reference}
        onSearch={set('reference')}
      />
      <SearchField
        label={t('common.person')}
        placeholder={t('build.payment-filter.whole-username')}
        w={170}
        maxLength={32}
        value={filter.username}
        onSearch={set('username')}
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
