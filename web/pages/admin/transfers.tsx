import { NumberInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { adminListTransfers, transfer_orders } from '../../../contract/admin-payments.ts'
import type { AnswerOf, InputOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { transfer_labels } from '../../kinds.tsx'
import { numberColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { DayField } from '../../ui/day-fields.tsx'
import { Filter } from '../../ui/filter.tsx'
import { spanOf } from '../../ui/day-range.ts'
import { Link } from '../../ui/link.tsx'
import { EmptyState } from '../../ui/page-parts.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { AppLink } from './app-link.tsx'
import { TableCard } from './list-card.tsx'
import { PersonLink } from './person-link.tsx'
import { knownValue } from './search.ts'
import { AppPicker, UserPicker } from './user-picker.tsx'
import { t } from '../../texts.ts'

type Transfer = AnswerOf<typeof adminListTransfers>['data'][number]
type Query = NonNullable<NonNullable<InputOf<typeof adminListTransfers>[0]>['query']>

/** Movements of points, by time. */
export function Transfers({ query }: { query: Query }) {
  const [chosen, setSort] = useState<string>()
  const sort = knownValue(transfer_orders, chosen) ?? '-inserted_at'
  const list = usePagedQuery(adminListTransfers, { query: { ...query, sort } })
  return (
    <TableCard
      list={list}
      label={t('common.movements')}
      columns={columns()}
      order={{ sort, onSort: setSort }}
      empty={<EmptyState icon="coins" title={t('admin.transfers.no-movement-matches')} />}
    />
  )
}

const columns = (): Column<Transfer>[] => [
  {
    head: t('common.what'),
    on_phone: 'line',
    cell: ({ id, kind, reference, description }) => (
      <>
        <Link to="/admin/payments" search={{ id }} size="sm">
          {t(transfer_labels[kind])}
        </Link>
        <Text size="xs" c="dimmed" className="user-content">
          {[reference, description].filter(Boolean).join(' · ')}
        </Text>
      </>
    ),
  },
  numberColumn(t('common.points'), ({ amount }) => amount),
  { head: t('common.from'), cell: ({ from }) => <Account account={from} /> },
  { head: t('common.to'), cell: ({ to }) => <Account account={to} /> },
  timeColumn(t('common.when'), ({ inserted_at }) => inserted_at, { sorts: 'inserted_at' }),
]

/** The person or app of an account, with a link. */
export const Account = ({ account: { id, kind, name } }: { account: Transfer['from'] }) => {
  if (kind === 'system') return <>Plaza</>
  return kind === 'app' ? <AppLink id={id} name={name} /> : <PersonLink id={id} name={name} />
}

/** The movements of all people and apps, with filters in the address. */
export function TransferSearch() {
  const [{ app_id, user_id, amount_min, amount_max, from, to }, change] = useUrlState('/admin/payments')
  const amounts = { amount_min: amountOf(amount_min), amount_max: amountOf(amount_max) }
  const given = { app_id, user_id, ...amounts, ...spanOf({ from, to }) }
  const query: Query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return (
    <Stack>
      <Filter
        label={t('common.movements')}
        used={Object.keys(query).length}
        onClear={() =>
          change({
            app_id: undefined,
            user_id: undefined,
            amount_min: undefined,
            amount_max: undefined,
            from: undefined,
            to: undefined,
          })
        }
      >
        <AppPicker
          label={t('common.app')}
          value={app_id ?? null}
          clearable
          onChange={(id) => change({ app_id: id ?? undefined })}
        />
        <UserPicker
          label={t('common.person')}
          value={user_id ?? null}
          clearable
          onChange={(id) => change({ user_id: id ?? undefined })}
        />
        <Amount
          label={t('admin.transfers.points-at-least')}
          value={amounts.amount_min}
          onAmount={(value) => change({ amount_min: value })}
        />
        <Amount
          label={t('admin.transfers.points-at-most')}
          value={amounts.amount_max}
          onAmount={(value) => change({ amount_max: value })}
        />
        <DayField label={t('common.from')} day={from} onDay={(day) => change({ from: day })} />
        <DayField label={t('common.until')} day={to} onDay={(day) => change({ to: day })} />
      </Filter>
      <Transfers query={query} />
    </Stack>
  )
}

const amountOf = (text: string | undefined) => {
  const amount = Number(text)
  return Number.isSafeInteger(amount) && amount > 0 ? amount : undefined
}

interface AmountProps {
  label: string
  value: number | undefined
  onAmount: (amount: string | undefined) => void
}

const Amount = ({ label, value, onAmount }: AmountProps) => (
  <NumberInput
    label={label}
    value={value ?? ''}
    onChange={(amount) => onAmount(amount === '' ? undefined : String(amount))}
    min={1}
    allowDecimal={false}
    hideControls
    w="8rem"
  />
)
