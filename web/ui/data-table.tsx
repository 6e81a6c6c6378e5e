import { Button, Group, Text, UnstyledButton } from '@mantine/core'
import { useCallbackRef } from '@mantine/hooks'
import { memo, useDeferredValue, useState, type CSSProperties, type ReactNode } from 'react'
import { t } from '../texts.ts'
import { formatNumber, RelativeTime } from './format.tsx'
import classes from './table.module.css'

type Value = string | number | null

/** A column: its heading, and the cell of a row. */
export interface Column<Row> {
  head: string
  className?: string | undefined
  ta?: 'right'
  /** Only screens that are wider than phones show it. */
  visibleFrom?: 'sm' | 'md'
  /** Only screen readers read the heading. */
  head_hidden?: boolean
  cell: (row: Row) => ReactNode
  /** The heading sorts the loaded rows by this value; null comes last. */
  sortBy?: (row: Row) => Value
  /** The heading sorts the whole list by this field, with `-` in descending order, if the table has an `order`. */
  sorts?: string
  /** Styles of the cells, and props of the heading. */
  td?: CSSProperties
  th?: { miw?: number; className?: string | undefined }
  /** The cell is the row's heading. */
  heads_row?: boolean
  /** On a phone, the cell takes a whole line without its heading, unless the table fits. */
  on_phone?: 'line'
}

type Options<Row> = Omit<Partial<Column<Row>>, 'head' | 'cell' | 'sortBy'> & { sortable?: boolean }

const columnOf = <Row,>(
  head: string,
  valueOf: (row: Row) => Value,
  cell: (row: Row) => ReactNode,
  { sortable = false, ...rest }: Options<Row>,
): Column<Row> => ({ head, cell, ...(sortable && { sortBy: valueOf }), ...rest })

/** A column of numbers, aligned to the right. */
export const numberColumn = <Row,>(head: string, valueOf: (row: Row) => number, options: Options<Row> = {}) =>
  columnOf(head, valueOf, (row) => formatNumber(valueOf(row)), { ta: 'right', className: 'number', ...options })

/** A column of times, relative to now. */
export const timeColumn = <Row,>(head: string, valueOf: (row: Row) => string | null, options: Options<Row> = {}) =>
  columnOf(head, valueOf, (row) => <RelativeTime at={valueOf(row)} />, options)

/** A column of user texts; `absent` is shown for null. */
export const textColumn = <Row,>(
  head: string,
  valueOf: (row: Row) => string | null,
  { absent = '', ...options }: Options<Row> & { absent?: string } = {},
) => columnOf(head, valueOf, (row) => valueOf(row) ?? absent, { className: 'user-content', ...options })

export interface DataTableProps<Row> {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf?: (row: Row) => string
  /** The service's order of the rows: a field, with `-` for descending. */
  order?: { sort: string; onSort: (sort: string) => void }
  /** A click on a row opens it. */
  onOpen?: (row: Row) => void
  /** The number of rows shown until a button is pressed. */
  shown_first?: number
  /**
   * Whether it fits every phone. Otherwise each row becomes a block there: its cells wrap, all but the first with their
   * heading.
   */
  fits?: boolean
  /** The width in pixels below which it scrolls sideways, where rows are no blocks. */
  miw?: number
  highlightOnHover?: boolean
  className?: string | undefined
}

/**
 * A table whose headings may sort it. They sort the loaded rows, first descending, then ascending, then not; or the
 * whole list, by `order`. If the columns keep their identity, a row renders again only when it has changed.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    rows,
    columns,
    keyOf = idOf,
    order,
    onOpen,
    shown_first,
    fits,
    miw,
    highlightOnHover,
    className,
  } = props
  // A changed list is rendered in slices, so that fifty new rows do not hold up a frame.
  const { sorted, headingOf } = useSorting(useDeferredValue(rows), columns)
  const [all, setAll] = useState(false)
  const shown = all || shown_first === undefined ? sorted : sorted.slice(0, shown_first)
  const open = useCallbackRef(onOpen)
  const table = (
    <table
      {...(fits && { 'aria-label': label })}
      className={classesOf(classes.table, !fits && classes.rows, className)}
      style={{ minWidth: miw }}
      data-hover={highlightOnHover}
    >
      <thead>
        <tr>
          {columns.map((column, at) => (
            <Heading
              key={at}
              column={column}
              {...(column.sorts && order ? listOrderOf(column.sorts, order) : headingOf(at))}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => (
          <BodyRow key={keyOf(row)} row={row} columns={columns} {...(onOpen && { onOpen: open })} />
        ))}
      </tbody>
    </table>
  )
  return (
    <>
      {fits ? (
        table
      ) : (
        <div className="scroll-x" tabIndex={0} role="region" aria-label={label}>
          {table}
        </div>
      )}
      {shown.length < sorted.length && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => setAll(true)}>
            {t('common.show-all', { count: sorted.length })}
          </Button>
        </Group>
      )}
    </>
  )
}

const idOf = (row: unknown) => (row as { id: string }).id

/** Rows in the order of the column that the reader has selected. */
function useSorting<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const [sorting, setSorting] = useState<{ column: number; is_descending: boolean }>()
  const sortBy = sorting && columns[sorting.column]?.sortBy
  const next = (column: number) => {
    if (sorting?.column !== column) return { column, is_descending: true }
    return sorting.is_descending ? { column, is_descending: false } : undefined
  }
  const orderOf = (column: number) => {
    if (sorting?.column !== column) return 'none'
    return sorting.is_descending ? 'descending' : 'ascending'
  }
  return {
    sorted: sortBy ? sortedBy(rows, sortBy, sorting.is_descending) : rows,
    headingOf: (column: number) =>
      columns[column]?.sortBy && ({ order: orderOf(column), onSort: () => setSorting(next(column)) } as const),
  }
}

/** The heading of a field that the service sorts by. `first` is the order after the first click. */
function listOrderOf(first: string, { sort, onSort }: { sort: string; onSort: (sort: string) => void }) {
  const field = first.replace('-', '')
  const opposite = first === field ? `-${field}` : field
  return {
    order: sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none',
    onSort: () => onSort(sort === first ? opposite : first),
  } as const
}

function sortedBy<Row>(rows: readonly Row[], valueOf: (row: Row) => Value, is_descending: boolean) {
  const compare = (one: Value, other: Value) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    const order = typeof one === 'string' ? one.localeCompare(String(other), 'en') : one - Number(other)
    return is_descending ? -order : order
  }
  return rows.toSorted((one, other) => compare(valueOf(one), valueOf(other)))
}

const arrows = { none: '↕', ascending: '↑', descending: '↓' }

interface HeadingProps<Row> {
  column: Column<Row>
  /** Undefined if the column does not sort. */
  order?: keyof typeof arrows
  onSort?: () => void
}

function Heading<Row>({ column: { head, head_hidden, ta, visibleFrom, th }, order, onSort }: HeadingProps<Row>) {
  const props = {
    className: classesOf(th?.className, classOf(visibleFrom)),
    style: { textAlign: ta, minWidth: th?.miw },
  }
  if (head_hidden) return <th {...props} aria-label={head} />
  if (!order) return <th {...props}>{head}</th>
  return (
    <th {...props} aria-sort={order}>
      <UnstyledButton fz="inherit" fw="inherit" {...(onSort && { onClick: onSort })}>
        {head}
        <Text span inherit aria-hidden {...(order === 'none' && { c: 'dimmed' })}>
          {'\u00A0'}
          {arrows[order]}
        </Text>
      </UnstyledButton>
    </th>
  )
}

const classOf = (visibleFrom: 'sm' | 'md' | undefined) => visibleFrom && `mantine-visible-from-${visibleFrom}`

const classesOf = (...names: (string | false | undefined)[]) => names.filter(Boolean).join(' ') || undefined

interface BodyRowProps<Row> {
  row: Row
  columns: readonly Column<Row>[]
  onOpen?: (row: Row) => void
}

const BodyRow = memo(function BodyRow<Row>({ row, columns, onOpen }: BodyRowProps<Row>) {
  return (
    <tr {...(onOpen && { className: classes.clickable, onClick: () => onOpen(row) })}>
      {columns.map(({ head, head_hidden, cell, ta, visibleFrom, className, td, heads_row, on_phone }, at) =>
        heads_row ? (
          <th key={at} scope="row">
            {cell(row)}
          </th>
        ) : (
          <td
            key={at}
            className={classesOf(className, classOf(visibleFrom))}
            style={{ textAlign: ta, ...td }}
            data-wide={on_phone === 'line' || undefined}
            data-label={at > 0 && !head_hidden && on_phone === undefined ? head : undefined}
          >
            {cell(row)}
          </td>
        ),
      )}
    </tr>
  )
}) as <Row>(props: BodyRowProps<Row>) => ReactNode
