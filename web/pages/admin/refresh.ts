import { useQueryClient } from '@tanstack/react-query'
import type { Declaration } from '../../../contract/endpoint.ts'
import { queryKeyOf } from '../../api/hooks.ts'

/** Has these endpoints read again: for after a form, which cannot say so itself. */
export function useRefresh(reads: readonly Declaration[]) {
  const client = useQueryClient()
  return () => {
    for (const read of reads) void client.invalidateQueries({ queryKey: queryKeyOf(read) })
  }
}
