import {
  hashKey,
  notifyManager,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type Query,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Declaration } from '../../contract/endpoint.ts'
import { onUserChange } from '../session/session.ts'
import { callApi, type AnswerOf, type InputOf } from './call.ts'
import { ApiError, NetworkError } from './errors.ts'

// Renders `isPending` before the next key or click event. By default React Query renders it a task later, and Escape
// could close the dialog that has just sent a call.
notifyManager.setScheduler(queueMicrotask)

/** The interval of retries while the service is unreachable. */
const unreachable_retry_ms = 10_000

/**
 * Reads are not retried after a 4xx, and twice after other errors. Without a network, calls fail immediately: a paused
 * mutation would run later, when the user no longer expects it.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      // A failed read is retried while it is mounted, so that the page recovers without a reload.
      refetchInterval: ({ state }) =>
        state.error instanceof NetworkError && state.data === undefined ? unreachable_retry_ms : false,
      retry: (times, error) => times < 2 && navigator.onLine && !(error instanceof ApiError && error.status < 500),
      staleTime: 5_000,
    },
    mutations: { networkMode: 'always' },
  },
})

/** The cache of one user is not shown to the next. */
onUserChange(() => queryClient.clear())

/** Makes the calls of a page: the signed-in user, or an app of theirs. */
export interface Caller {
  /** The start of its query keys. */
  key: readonly unknown[]
  /** Rejects as `callApi` does. */
  call: typeof callApi
}

const user: Caller = { key: [], call: callApi }

/** The query key of an endpoint and input; without an input, the prefix of all its keys. */
export const queryKeyOf = (endpoint: Declaration, input?: unknown, { key } = user) =>
  input === undefined ? [...key, endpoint.path] : [...key, endpoint.path, input]

/** Refetches the queries of these endpoints, with every input. */
export const invalidate = (endpoints: readonly Declaration[], as = user) =>
  Promise.all(
    endpoints.map((endpoint) => queryClient.invalidateQueries({ queryKey: queryKeyOf(endpoint, undefined, as) })),
  )

const queryOf = <D extends Declaration>(endpoint: D, input: InputOf<D>[0], as = user) => ({
  queryKey: queryKeyOf(endpoint, input ?? {}, as),
  queryFn: () => as.call(endpoint, ...([input] as InputOf<D>)),
})

/** `useQuery` for an endpoint. */
export function useApiQuery<D extends Declaration>(
  endpoint: D,
  input: InputOf<D>[0],
  options: {
    as?: Caller | undefined
    enabled?: boolean
    refetchInterval?: number | ((query: Query<AnswerOf<D>>) => number | false)
    staleTime?: number
    /** False: a failed call is not repeated by another component that needs it. */
    retryOnMount?: boolean
  } = {},
): UseQueryResult<AnswerOf<D>> {
  const { as, ...rest } = options
  return useQuery<AnswerOf<D>>({ ...queryOf(endpoint, input, as), ...rest })
}

/** Reads data that a page is about to need into the cache. */
export const readAhead = <D extends Declaration>(endpoint: D, input: InputOf<D>[0]) =>
  queryClient.query(queryOf(endpoint, input))

type Paged = { data: unknown[]; next_cursor: string | null }
type RowOf<Answer> = Answer extends { data: (infer Row)[] } ? Row : never

/**
 * The number of pages of an unmounted list that stay cached: React Query refetches all of them when the list is mounted
 * again.
 */
const cached_pages_max = 3

function trimPages(client: QueryClient, queryKey: readonly unknown[]) {
  const query = client.getQueryCache().find<InfiniteData<unknown>>({ queryKey, exact: true })
  const { data, dataUpdatedAt: updatedAt } = query?.state ?? {}
  if (!data || data.pages.length <= cached_pages_max || query?.isActive()) return
  const trimmed = {
    pages: data.pages.slice(0, cached_pages_max),
    pageParams: data.pageParams.slice(0, cached_pages_max),
  }
  client.setQueryData(queryKey, trimmed, { updatedAt })
}

/** `useInfiniteQuery` for a cursor-paged list (D-81); `rows` are the rows of all pages so far. */
export function usePagedQuery<D extends Declaration>(
  endpoint: D,
  input: InputOf<D>[0],
  options: { refetchInterval?: number } = {},
) {
  const client = useQueryClient()
  const queryKey = [...queryKeyOf(endpoint, input ?? {}), 'pages']
  const hash = hashKey(queryKey)
  type Page = AnswerOf<D> & Paged
  const rowsOf = (data: InfiniteData<Page> | undefined) =>
    (data?.pages.flatMap((page) => page.data) ?? []) as RowOf<AnswerOf<D>>[]
  const query = useInfiniteQuery<Page, Error, InfiniteData<Page>, readonly unknown[], string | undefined>({
    queryKey,
    initialPageParam: undefined,
    queryFn: ({ pageParam }) => {
      const given = (input ?? {}) as { query?: object }
      const paged = { ...given, query: { ...given.query, cursor: pageParam } }
      return callApi(endpoint, ...([paged] as unknown as InputOf<D>)) as Promise<Page>
    },
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    ...options,
  })
  // Runs after the list has unsubscribed from its query. The hash is the dependency: the key is a new array each time.
  useEffect(() => () => trimPages(client, JSON.parse(hash) as unknown[]), [client, hash])
  return { ...query, rows: rowsOf(query.data) }
}

/**
 * Ignores a call while one with the same input is in flight: the second click of a double click arrives before
 * `isPending` is rendered. Call `release` in the mutation's `onSettled`.
 */
export function useDoublePressGuard<Input>() {
  const in_flight = useRef(new Set<string>())
  const hashOf = (input: Input | undefined) => JSON.stringify(input ?? null)
  return {
    release: (input: Input) => void in_flight.current.delete(hashOf(input)),
    guarded<Answer>(mutation: UseMutationResult<Answer, Error, Input>): UseMutationResult<Answer, Error, Input> {
      const mutate: typeof mutation.mutate = (...call) => {
        const name = hashOf(call[0])
        if (in_flight.current.has(name)) return
        in_flight.current.add(name)
        mutation.mutate(...call)
      }
      return { ...mutation, mutate }
    },
  }
}

/**
 * `useMutation` for an endpoint. A double click makes one call. On success, the queries of the endpoints in
 * `invalidates` are refetched.
 */
export function useApiMutation<D extends Declaration>(
  endpoint: D,
  options: {
    as?: Caller | undefined
    invalidates?: readonly Declaration[]
    onDone?: (answer: AnswerOf<D>) => void
  } = {},
): UseMutationResult<AnswerOf<D>, Error, InputOf<D>[0]> {
  const { as = user, invalidates = [], onDone } = options
  const { guarded, release } = useDoublePressGuard<InputOf<D>[0]>()
  const mutation = useMutation<AnswerOf<D>, Error, InputOf<D>[0]>({
    mutationFn: (input) => as.call(endpoint, ...([input] as InputOf<D>)),
    onSuccess: async (answer) => {
      onDone?.(answer)
      await invalidate(invalidates, as)
    },
    onSettled: (_answer, _error, input) => release(input),
  })
  return guarded(mutation)
}
