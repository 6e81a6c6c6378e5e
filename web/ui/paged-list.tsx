import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { usePagedQuery } from '../api/hooks.ts'
import { FailureNote } from './failure-note.tsx'
import { formatNumber } from './format.tsx'
import { LoadingSkeleton, LoadMore } from './page-parts.tsx'
import { t } from '../texts.ts'

/** The part of the result of `usePagedQuery` that a list needs. */
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

interface PagedListProps {
  list: PagedList
  /** Skeleton lines while loading. */
  lines: number
  /** Shown when there are no rows: why, and what to do next. */
  empty: ReactNode
  /** The rows load more on scrolling, without a button. */
  endless?: boolean
  /** Shows the number of rows below them. */
  counted?: boolean
  /** The rows. */
  children: ReactNode
}

/**
 * A paged list in each of its states: loading, failed with the reason and a retry button, empty, or its rows with a way
 * to load more.
 */
export function PagedListStates({ list, lines, empty, endless = false, counted = false, children }: PagedListProps) {
  if (list.error && !list.data) return <FailureNote error={list.error} onRetry={() => void list.refetch()} />
  if (list.isPending) return <LoadingSkeleton rows={lines} />
  if (list.rows.length === 0) return empty
  return (
    <>
      {children}
      {!endless && <LoadMore query={list} />}
      {counted && (
        <Text size="sm" c="dimmed" mt="md" ta="center" role="status">
          {list.hasNextPage
            ? t('ui.paged-list.the-newest-are-shown', { count: formatNumber(list.rows.length) })
            : t('ui.paged-list.in-all', { count: list.rows.length })}
        </Text>
      )}
    </>
  )
}
