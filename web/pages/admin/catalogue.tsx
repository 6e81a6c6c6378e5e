import { Button } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { Declaration } from '../../../contract/endpoint.ts'
import { useMay } from '../../session/rights.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-parts.tsx'
import { TableCard, type PagedList } from './list-card.tsx'

interface CatalogueProps<Row> {
  list: PagedList<Row>
  title: string
  about: string
  /** Only people who may make this call create and edit entries (D-135). */
  call: Declaration
  /** The titles of the drawer; the first is also the label of the button. */
  create: string
  edit: string
  /** Shown when the list is empty. */
  empty: ReactNode
  miw: number
  /** Without `onEdit`, names are not buttons. */
  columnsOf: (onEdit?: (id: string) => void) => readonly Column<Row>[]
  /** The form in the drawer: for a row, or for a new one. */
  form: (row: Row | undefined, onDone: () => void) => ReactNode
}

/** A page with a list whose entries are created and edited in a drawer. A click outside does not close the drawer. */
export function Catalogue<Row extends { id: string }>(props: CatalogueProps<Row>) {
  const { list, title, about, call, create, edit, empty, miw, columnsOf, form } = props
  const may = useMay(call)
  const [editing, setEditing] = useState<string>()
  const edited = list.rows.find(({ id }) => id === editing)
  const close = () => setEditing(undefined)
  return (
    <>
      <PageHead
        title={title}
        about={about}
        actions={
          may && (
            <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing('new')}>
              {create}
            </Button>
          )
        }
      />
      <TableCard
        list={list}
        label={title}
        columns={may ? columnsOf(setEditing) : columnsOf()}
        miw={miw}
        empty={empty}
      />
      <Drawer
        opened={editing !== undefined}
        onClose={close}
        closeOnClickOutside={false}
        position="right"
        size="md"
        title={editing === 'new' ? create : edit}
      >
        {editing !== undefined && form(edited, close)}
      </Drawer>
    </>
  )
}
