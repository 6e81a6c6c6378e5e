import type { ComponentProps, ReactNode } from 'react'
import { DataTable, type DataTableProps } from '../../ui/data-table.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { PagedListStates, type PagedList } from '../../ui/paged-list.tsx'
import classes from '../../ui/table.module.css'

export type { PagedList }

/** A paged list in its own card; its states get the padding that rows have themselves. */
export const ListCard = (props: ComponentProps<typeof PagedListStates>) => (
  <Section p={0}>
    {props.list.isPending ? (
      <div className={classes.pad}>
        <PagedListStates {...props} />
      </div>
    ) : (
      <PagedListStates {...props} />
    )}
  </Section>
)

interface TableCardProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  list: PagedList<Row>
  /** Shown when there are no rows. */
  empty: ReactNode
}

/** A paged list as a table in its own card. */
export const TableCard = <Row,>({ list, empty, ...table }: TableCardProps<Row>) => (
  <ListCard list={list} lines={5} empty={empty}>
    <DataTable {...table} rows={list.rows} />
  </ListCard>
)
