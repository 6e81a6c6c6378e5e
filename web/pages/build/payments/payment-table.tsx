import { Table, Text, UnstyledButton } from '@mantine/core'
import { useCallbackRef } from '@mantine/hooks'
import { memo } from 'react'
import { formatNumber, RelativeTime } from '../../../ui/format.tsx'
import { SortHeading, useSorting } from '../../../ui/sorting.tsx'
import { kindName, signedPoints, type Payment } from './payments.ts'
import classes from '../../../ui/table.module.css'
import { t } from '../../../texts.ts'

const columns = {
  person: ({ username }: Payment) => username,
  reference: ({ reference }: Payment) => reference,
  points: ({ direction, amount }: Payment) => (direction === 'out' ? -amount : amount),
  when: ({ inserted_at }: Payment) => inserted_at,
}

/** Payments and refunds, newest first until a heading sorts them. Each opens by its kind. */
export function PaymentTable({ payments, onOpen }: { payments: readonly Payment[]; onOpen: (id: string) => void }) {
  const { rows, headingOf } = useSorting(payments, columns)
  const open = useCallbackRef(onOpen)
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.payments')}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('common.what')}</Table.Th>
            <SortHeading {...headingOf('person')}>{t('common.person')}</SortHeading>
            <SortHeading {...headingOf('reference')} visibleFrom="sm">
              {t('common.reference')}
            </SortHeading>
            <SortHeading {...headingOf('points')} ta="right">
              {t('common.points')}
            </SortHeading>
            <Table.Th ta="right" visibleFrom="md">
              {t('common.balance-after')}
            </Table.Th>
            <SortHeading {...headingOf('when')} visibleFrom="sm">
              {t('common.when')}
            </SortHeading>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((payment) => (
            <Row key={payment.id} payment={payment} onOpen={open} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

// Of a thousand rows only those are rendered that are new or changed, when the table is sorted or grows.
const Row = memo(function Row({ payment, onOpen }: { payment: Payment; onOpen: (id: string) => void }) {
  const { id, direction, points_after, username, reference, description, inserted_at } = payment
  return (
    <Table.Tr className={classes.clickable} onClick={() => onOpen(id)}>
      <Table.Td>
        <UnstyledButton className={classes.name} onClick={() => onOpen(id)} aria-haspopup="dialog">
          {kindName(payment)}
        </UnstyledButton>
        {description && (
          <Text size="xs" c="dimmed" className="user-content" lineClamp={1}>
            {description}
          </Text>
        )}
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {reference !== null && <span className="user-content">{reference} · </span>}
          <RelativeTime at={inserted_at} />
        </Text>
      </Table.Td>
      <Table.Td className="user-content">
        <Name>{username}</Name>
        {direction === 'between' && (
          <>
            {' → '}
            <Name>{payment.to_username}</Name>
          </>
        )}
      </Table.Td>
      <Table.Td className="user-content" visibleFrom="sm">
        {reference ?? ''}
      </Table.Td>
      <Table.Td ta="right" className="number">
        {signedPoints(payment)}
      </Table.Td>
      <Table.Td ta="right" className="number" visibleFrom="md">
        {points_after !== null && formatNumber(points_after)}
      </Table.Td>
      <Table.Td visibleFrom="sm" className={classes.nowrap}>
        <RelativeTime at={inserted_at} />
      </Table.Td>
    </Table.Tr>
  )
})

const Name = ({ children }: { children: string | null }) =>
  children === null ? (
    <Text span c="dimmed" inherit>
      {t('common.nobody-any-more')}
    </Text>
  ) : (
    <bdi>{children}</bdi>
  )
