import type { ReactNode } from 'react'
import type { usePagesOf } from '../../api/hooks.ts'
import { Drawer } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { More, Section, Waiting } from '../../ui/page-parts.tsx'
import classes from './table.module.css'

/** What a card needs of a paged list. */
export type PagedList<Row = unknown> = Pick<
  ReturnType<typeof usePagesOf>,
  | 'data'
  | 'error'
  | 'isPending'
  | 'refetch'
  | 'hasNextPage'
  | 'isFetchingNextPage'
  | 'isFetchNextPageError'
  | 'fetchNextPage'
> & { rows: readonly Row[] }

interface ListCardProps {
  list: PagedList
  /** Grey lines while it is read. */
  lines: number
  /** What stands there when it has no rows. */
  empty: ReactNode
  /** The rows read more of themselves. */
  endless?: boolean
  children: ReactNode
}

/** A paged list in a card of its own: waits for it, says why it failed or what it means that it is empty, or shows its rows. */
export const ListCard = ({ list, lines, empty, endless = false, children }: ListCardProps) => (
  <Section p={0}>
    {list.error && !list.data && <FailureNote error={list.error} onRetry={() => void list.refetch()} />}
    {list.isPending && (
      <div className={classes.pad}>
        <Waiting rows={lines} />
      </div>
    )}
    {list.data && list.rows.length === 0 && empty}
    {list.rows.length > 0 && children}
    {!endless && <More query={list} />}
  </Section>
)

interface EditDrawerProps {
  /** An entry's id, `new`, or nothing while it is closed. */
  editing: string | undefined
  /** What an entry is called. */
  noun: string
  onClose: () => void
  children: ReactNode
}

/** The place at the side where an entry of a list is made or changed. */
export const EditDrawer = ({ editing, noun, onClose, children }: EditDrawerProps) => (
  <Drawer
    opened={editing !== undefined}
    onClose={onClose}
    closeOnClickOutside={false}
    position="right"
    size="md"
    title={editing === 'new' ? `New ${noun}` : `Edit the ${noun}`}
  >
    {editing !== undefined && children}
  </Drawer>
)
