import { Text, UnstyledButton } from '@mantine/core'
import { DataTable, textColumn, timeColumn, type Column } from '../../../ui/data-table.tsx'
import { formatNumber, RelativeTime } from '../../../ui/format.tsx'
import { kindName, signedPoints, type Payment } from './payments.ts'
import classes from '../../../ui/table.module.css'
import { t } from '../../../texts.ts'
import { useMemo } from 'react'

/** Payments and refunds, newest first until a heading sorts them. The kind opens an entry. */
export function PaymentTable({ payments, onOpen }: { payments: readonly Payment[]; onOpen: (id: string) => void }) {
  const columns = useMemo(() => columnsOf(), [])
  return (
    <DataTable
      label={t('common.payments')}
      rows={payments}
      columns={columns}
      onOpen={({ id }) => onOpen(id)}
      highlightOnHover
    />
  )
}

const columnsOf = (): Column<Payment>[] => [
  { head: t('common.what'), cell: (payment) => <About payment={payment} /> },
  {
    head: t('common.person'),
    sortBy: ({ username }) => username,
    className: 'user-content',
    cell: (payment) => <People payment={payment} />,
  },
  textColumn(t('common.reference'), ({ reference }) => reference, { sortable: true, visibleFrom: 'sm' }),
  {
    head: t('common.points'),
    sortBy: ({ direction, amount }) => (direction === 'out' ? -amount : amount),
    ta: 'right',
    className: 'number',
    cell: signedPoints,
  },
  {
    head: t('common.balance-after'),
    ta: 'right',
    visibleFrom: 'md',
    className: 'number',
    cell: ({ points_after }) => points_after !== null && formatNumber(points_after),
  },
  timeColumn(t('common.when'), ({ inserted_at }) => inserted_at, { sortable: true, visibleFrom: 'sm' }),
]

const About = ({ payment }: { payment: Payment }) => (
  <>
    <UnstyledButton className={classes.name} aria-haspopup="dialog">
      {kindName(payment)}
    </UnstyledButton>
    {payment.description && (
      <Text size="xs" c="dimmed" className="user-content" lineClamp={1}>
        {payment.description}
      </Text>
    )}
    <Text size="xs" c="dimmed" hiddenFrom="sm">
      {payment.reference !== null && <span className="user-content">{payment.reference} · </span>}
      <RelativeTime at={payment.inserted_at} />
    </Text>
  </>
)

const People = ({ payment: { direction, username, to_username } }: { payment: Payment }) => (
  <>
    <Name>{username}</Name>
    {direction === 'between' && (
      <>
        {' → '}
        <Name>{to_username}</Name>
      </>
    )}
  </>
)

const Name = ({ children }: { children: string | null }) =>
  children === null ? (
    <Text span c="dimmed" inherit>
      {t('common.nobody-any-more')}
    </Text>
  ) : (
    <bdi>{children}</bdi>
  )
