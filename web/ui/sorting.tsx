import { Table, Text, UnstyledButton, type TableThProps } from '@mantine/core'
import { useState } from 'react'

type Value = string | number | null

interface Sorting<Column extends string> {
  column: Column
  is_descending: boolean
}

/**
 * Rows in the order of a column that the reader chooses by its heading: first the largest or last, then the smallest or first, then
 * as they came. Only rows that are loaded are sorted. `columns` says what a column is sorted by; null comes last.
 */
export function useSorting<Row, Column extends string>(
  rows: readonly Row[],
  columns: Record<Column, (row: Row) => Value>,
) {
  const [sorting, setSorting] = useState<Sorting<Column>>()
  const headingOf = (column: Column) => ({
    sorted:
      sorting?.column !== column
        ? ('none' as const)
        : sorting.is_descending
          ? ('descending' as const)
          : ('ascending' as const),
    onSort: () =>
      setSorting(
        sorting?.column !== column
          ? { column, is_descending: true }
          : sorting.is_descending
            ? { column, is_descending: false }
            : undefined,
      ),
  })
  return { rows: sorting ? sorted(rows, columns[sorting.column], sorting.is_descending) : rows, headingOf }
}

function sorted<Row>(rows: readonly Row[], valueOf: (row: Row) => Value, is_descending: boolean) {
  const compare = (one: Value, other: Value) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    const order = typeof one === 'string' ? one.localeCompare(String(other), 'en') : one - Number(other)
    return is_descending ? -order : order
  }
  return rows.toSorted((one, other) => compare(valueOf(one), valueOf(other)))
}

interface SortHeadingProps extends TableThProps {
  children: string
  sorted: 'none' | 'ascending' | 'descending'
  onSort: () => void
}

const arrows = { none: '↕', ascending: '↑', descending: '↓' }

/** The heading of a column that sorts its table. */
export const SortHeading = ({ children, sorted: order, onSort, ...others }: SortHeadingProps) => (
  <Table.Th {...others} aria-sort={order}>
    <UnstyledButton fz="inherit" fw="inherit" onClick={onSort}>
      {children}
      <Text span inherit aria-hidden {...(order === 'none' && { c: 'dimmed' })}>
        {'\u00A0'}
        {arrows[order]}
      </Text>
    </UnstyledButton>
  </Table.Th>
)
