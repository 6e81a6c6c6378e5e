import { Table, Text } from '@mantine/core'
import { memo } from 'react'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { SortHeading, useSorting } from '../../ui/sorting.tsx'
import { titleOf, useNames, type Movement } from './movements.ts'
import classes from './movement-table.module.css'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const columns = {
  when: ({ inserted_at }: Movement) => inserted_at,
  amount: ({ direction, amount }: Movement) => (direction === 'in' ? amount : -amount),
}

/** Movements, newest first until a heading sorts them. At phone width the date and the balance are shown below the title and the amount. */
export function MovementTable({ movements }: { movements: readonly Movement[] }) {
  const nameOf = useNames(movements)
  const { rows, headingOf } = useSorting(movements, columns)
  return (
    <Table className={classes.table} aria-label={t('account.movement-table.movements-of-your-points')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('common.what')}</Table.Th>
          <SortHeading {...headingOf('when')} visibleFrom="sm">
            {t('common.when')}
          </SortHeading>
          <SortHeading {...headingOf('amount')} ta="right" className={classes.amount}>
            {t('account.movement-table.amount')}
          </SortHeading>
          <Table.Th ta="right" visibleFrom="sm">
            {t('common.balance-after')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((movement) => (
          <Row
            key={movement.id + movement.direction}
            movement={movement}
            person={nameOf(movement.other_user_id)}
            app={nameOf(movement.app_id)}
          />
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface RowProps {
  movement: Movement
  /** The names of the other person and of the app, where they are known. */
  person: string | undefined
  app: string | undefined
}

// Of a thousand rows only those are rendered that are new or changed, when the table is sorted or grows.
const Row = memo(function Row({ movement, person, app }: RowProps) {
  const { direction, amount, points_after, description, reference, inserted_at } = movement
  const is_in = direction === 'in'
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={550}>
          {titleOf(movement)}
          <Other movement={movement} person={person} app={app} />
        </Text>
        {description && (
          <Text size="sm" c="dimmed" className="user-content">
            {description}
          </Text>
        )}
        {reference && (
          <Text size="xs" c="dimmed" className="user-content">
            {t('account.movement-table.reference', { reference })}
          </Text>
        )}
        <Text size="xs" c="dimmed" hiddenFrom="sm" mt={2}>
          <RelativeTime at={inserted_at} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm" className={classes.quiet}>
        <RelativeTime at={inserted_at} />
      </Table.Td>
      <Table.Td ta="right" className={`number ${classes.amount}`}>
        <Text size="sm" fw={600} {...(is_in && { c: 'var(--mantine-color-anchor)' })}>
          {is_in ? '+' : '−'}
          {formatNumber(amount)}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm" mt={2}>
          {t('account.movement-table.left', { points_after: formatNumber(points_after) })}
        </Text>
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm" className={`number ${classes.quiet}`}>
        {formatNumber(points_after)}
      </Table.Td>
    </Table.Tr>
  )
})

/** The other person or the app of a movement, if known. */
function Other({ movement: { kind, direction }, person, app }: RowProps) {
  return (
    <>
      {person && (
        <span>
          {' '}
          <RichText
            k={direction === 'in' ? 'account.movement-table.from' : 'account.movement-table.to'}
            person={<bdi>{person}</bdi>}
          />
        </span>
      )}
      {app && (
        <span>
          {kind === 'spend' ? ': ' : ' · '}
          <bdi>{app}</bdi>
        </span>
      )}
    </>
  )
}
