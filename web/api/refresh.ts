import { useQueryClient } from '@tanstack/react-query'
import type { Declaration } from '../../contract/endpoint.ts'
import { queryKeyOf } from './hooks.ts'

/** Returns a function that invalidates the queries of these endpoints. */
export function useRefresh(reads: readonly Declaration[]) {
  const client = useQueryClient()
  return () => {
    for (const read of reads) void client.invalidateQueries({ queryKey: queryKeyOf(read) })
  }
}
