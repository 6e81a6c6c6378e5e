import { useEffect, useState } from 'react'
import type { PagedList } from './list-card.tsx'

/**
 * A list that the service gives newest first, turned round where that is `wanted`. Who waits longest stands on the last page: until all were
 * read once, the list counts as being read.
 */
export function useOldestFirst<Row>(list: PagedList<Row>, wanted: boolean): PagedList<Row> {
  const { data, rows, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const [complete, setComplete] = useState(false)
  if (!complete && data && (!hasNextPage || isFetchNextPageError)) setComplete(true)
  useEffect(() => {
    if (wanted && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [wanted, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  if (!wanted) return list
  return { ...list, data: complete ? data : undefined, rows: [...rows].reverse() }
}
