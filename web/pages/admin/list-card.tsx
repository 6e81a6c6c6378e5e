import type { ReactNode } from 'react'
import type { usePagedQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LoadMore, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import classes from './table.module.css'

/** What a card needs of a paged list. */
export type PagedList<Row = unknown> = Pick<
  ReturnType<typeof usePagedQuery>,
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
        <LoadingSkeleton rows={lines} />
      </div>
    )}
    {list.data && list.rows.length === 0 && empty}
    {list.rows.length > 0 && children}
    {!endless && <LoadMore query={list} />}
  </Section>
)
