import { Text, UnstyledButton } from '@mantine/core'
import { useMemo, useState } from 'react'
import { DataTable, timeColumn, type Column } from '../../ui/data-table.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { t } from '../../texts.ts'
import { MovementDrawer } from './movement-drawer.tsx'
import { amountText, signedAmount, titleOf, type Movement } from './movements.ts'
import table from '../../ui/table.module.css'
import classes from './movement-table.module.css'

/** Movements, newest first until a heading sorts them. At phone width the date and the balance are shown below the title and the amount. */
export function MovementTable({ movements }: { movements: readonly Movement[] }) {
  const columns = useMemo(() => columnsOf(), [])
  const [opened, setOpened] = useState<Movement>()
  return (
    <>
      <DataTable
        label={t('account.movement-table.movements-of-your-points')}
        rows={movements}
        columns={columns}
        keyOf={({ id, direction }) => id + direction}
        className={classes.table}
        onOpen={setOpened}
        highlightOnHover
        fits
      />
      <MovementDrawer movement={opened} onClose={() => setOpened(undefined)} />
    </>
  )
}

const columnsOf = (): Column<Movement>[] => [
  { head: t('common.what'), cell: (movement) => <About movement={movement} /> },
  timeColumn(t('common.when'), ({ inserted_at }) => inserted_at, {
    sortable: true,
    visibleFrom: 'sm',
    className: classes.quiet,
  }),
  {
    head: t('account.movement-table.amount'),
    sortBy: signedAmount,
    ta: 'right',
    th: { className: classes.amount },
    className: `number ${classes.amount}`,
    cell: (movement) => <Amount movement={movement} />,
  },
  {
    head: t('common.balance-after'),
    ta: 'right',
    visibleFrom: 'sm',
    className: `number ${classes.quiet}`,
    cell: ({ points_after }) => formatNumber(points_after),
  },
]

function About({ movement }: { movement: Movement }) {
  const { kind, direction, app_name, other_username: person, description, reference, by_agent, inserted_at } = movement
  return (
    <>
      <Text size="sm" fw={550}>
        <UnstyledButton className={table.name} aria-haspopup="dialog">
          {titleOf(movement)}
        </UnstyledButton>
        {person && (
          <span>
            {' '}
            <RichText
              k={direction === 'in' ? 'account.movement-table.from' : 'account.movement-table.to'}
              person={<bdi>{person}</bdi>}
            />
          </span>
        )}
        {app_name && (
          <span>
            {kind === 'spend' ? ': ' : ' · '}
            <bdi>{app_name}</bdi>
          </span>
        )}
        {by_agent && (
          <Text span size="xs" c="dimmed">
            {' · '}
            {t('account.movement-table.by-an-agent')}
          </Text>
        )}
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
    </>
  )
}

const Amount = ({ movement }: { movement: Movement }) => (
  <>
    <Text size="sm" fw={600} {...(movement.direction === 'in' && { c: 'var(--mantine-color-anchor)' })}>
      {amountText(movement)}
    </Text>
    <Text size="xs" c="dimmed" hiddenFrom="sm" mt={2}>
      {t('account.movement-table.left', { points_after: formatNumber(movement.points_after) })}
    </Text>
  </>
)
