import {
  hashKey,
  notifyManager,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Declaration } from '../../contract/endpoint.ts'
import { onUserChange } from '../session/session.ts'
import { callApi, type AnswerOf, type InputOf } from './call.ts'
import { ApiError, NetworkError } from './errors.ts'

// What is on its way shows before the next key or click is heard; by default it shows a task later, and a dialog could
// be closed over the call that it has just made.
notifyManager.setScheduler(queueMicrotask)

/** How long after a read that got no answer the next one is made. */
const unreachable_again_ms = 10_000

/**
 * A read that was refused will be refused again; one that got no answer may be tried twice more. Without a network calls
 * fail at once: one that waited would be carried out later, when nobody means it any more.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      // What got no answer is asked for again as long as it is shown: nobody has to load the page anew.
      refetchInterval: ({ state }) =>
        state.error instanceof NetworkError && state.data === undefined ? unreachable_again_ms : false,
      retry: (times, error) => times < 2 && navigator.onLine && !(error instanceof ApiError && error.status < 500),
      staleTime: 5_000,
    },
    mutations: { networkMode: 'always' },
  },
})

/** Nothing that one person read is shown to the next. */
onUserChange(() => queryClient.clear())

/** Under which key the answer of an endpoint is kept; without an input, the key of all its answers. */
export const queryKeyOf = (endpoint: Declaration, input?: unknown) =>
  input === undefined ? [endpoint.path] : [endpoint.path, input]

/** Reads an endpoint: the answer, whether it is on its way, and why not. `refetchInterval` and the like go in `options`. */
export function useApiQuery<D extends Declaration>(
  endpoint: D,
  input: InputOf<D>[0],
  options: { enabled?: boolean; refetchInterval?: number | false; staleTime?: number } = {},
): UseQueryResult<AnswerOf<D>> {
  return useQuery<AnswerOf<D>>({
    queryKey: queryKeyOf(endpoint, input ?? {}),
    queryFn: () => callApi(endpoint, ...([input] as InputOf<D>)),
    ...options,
  })
}

type Paged = { data: unknown[]; next_cursor: string | null }
type RowOf<Answer> = Answer extends { data: (infer Row)[] } ? Row : never

/** How much of a list that was left is read again by who comes back: the rest waits for `fetchNextPage`. */
const pages_kept = 3

function forgetLaterPages(client: QueryClient, queryKey: readonly unknown[]) {
  const query = client.getQueryCache().find<InfiniteData<unknown>>({ queryKey, exact: true })
  const { data, dataUpdatedAt: updatedAt } = query?.state ?? {}
  if (!data || data.pages.length <= pages_kept || query?.isActive()) return
  const kept = { pages: data.pages.slice(0, pages_kept), pageParams: data.pageParams.slice(0, pages_kept) }
  client.setQueryData(queryKey, kept, { updatedAt })
}

/** Reads a cursor-paged list (D-81) page by page: `rows` so far, `hasNextPage`, `fetchNextPage`. */
export function usePagedQuery<D extends Declaration>(endpoint: D, input: InputOf<D>[0]) {
  const client = useQueryClient()
  const queryKey = [...queryKeyOf(endpoint, input ?? {}), 'pages']
  const hash = hashKey(queryKey)
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const given = (input ?? {}) as { query?: object }
      const paged = { ...given, query: { ...given.query, cursor: pageParam } }
      return callApi(endpoint, ...([paged] as unknown as InputOf<D>)) as Promise<AnswerOf<D> & Paged>
    },
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  // After the list has let go of its query; the hash stands for the key, which is made anew each time.
  useEffect(() => () => forgetLaterPages(client, JSON.parse(hash) as unknown[]), [client, hash])
  const rows = (query.data?.pages.flatMap(({ data }) => data) ?? []) as RowOf<AnswerOf<D>>[]
  return { ...query, rows }
}

/**
 * Drops a call while the very same one is on its way: the second press of a double click comes before `isPending` is
 * drawn. Give `sent` to the mutation's `onSettled`.
 */
export function useDoublePressGuard<Input>() {
  const sending = useRef(new Set<string>())
  const nameOf = (input: Input | undefined) => JSON.stringify(input ?? null)
  return {
    sent: (input: Input) => void sending.current.delete(nameOf(input)),
    guarded<Answer>(mutation: UseMutationResult<Answer, Error, Input>): UseMutationResult<Answer, Error, Input> {
      const mutate: typeof mutation.mutate = (...call) => {
        const name = nameOf(call[0])
        if (sending.current.has(name)) return
        sending.current.add(name)
        mutation.mutate(...call)
      }
      return { ...mutation, mutate }
    },
  }
}

/**
 * A call that changes something: `mutate(input)`, `isPending`, `error`; pressed twice it is made once. After it, the
 * answers of the endpoints named in `invalidates` are read again.
 */
export function useApiMutation<D extends Declaration>(
  endpoint: D,
  options: { invalidates?: Declaration[]; onDone?: (answer: AnswerOf<D>) => void } = {},
): UseMutationResult<AnswerOf<D>, Error, InputOf<D>[0]> {
  const client = useQueryClient()
  const { guarded, sent } = useDoublePressGuard<InputOf<D>[0]>()
  const mutation = useMutation<AnswerOf<D>, Error, InputOf<D>[0]>({
    mutationFn: (input) => callApi(endpoint, ...([input] as InputOf<D>)),
    onSuccess: async (answer) => {
      options.onDone?.(answer)
      await Promise.all(
        (options.invalidates ?? []).map((read) => client.invalidateQueries({ queryKey: queryKeyOf(read) })),
      )
    },
    onSettled: (_answer, _error, input) => sent(input),
  })
  return guarded(mutation)
}
