import type { ReactNode } from 'react'
import type { usePagedQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LoadMore, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import classes from '../../ui/table.module.css'

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
  /** Skeleton lines while loading. */
  lines: number
  /** Shown when there are no rows. */
  empty: ReactNode
  /** The rows load more while scrolling; there is no button. */
  endless?: boolean
  children: ReactNode
}

/** A paged list in a card: its loading, error and empty states, or its rows. */
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
