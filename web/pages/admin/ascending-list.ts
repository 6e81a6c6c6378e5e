import { useEffect, useState } from 'react'
import type { PagedList } from './list-card.tsx'

/**
 * Reverses a list that the API returns newest first, if `ascending`. The oldest entry is on the last page: the list counts as
 * loading until all pages were read once.
 */
export function useAscendingList<Row>(list: PagedList<Row>, ascending: boolean): PagedList<Row> {
  const { data, rows, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const [complete, setComplete] = useState(false)
  if (!complete && data && (!hasNextPage || isFetchNextPageError)) setComplete(true)
  useEffect(() => {
    if (ascending && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [ascending, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  if (!ascending) return list
  return { ...list, data: complete ? data : undefined, rows: [...rows].reverse() }
}
