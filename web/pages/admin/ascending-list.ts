import { useEffect, useState } from 'react'
import type { PagedList } from './list-card.tsx'

/**
 * A list that the service gives newest first, turned round where that is `wanted`. Who waits longest stands on the last page: until all were
 * read once, the list counts as being read.
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
