import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import type { searchDeploymentOutput } from '../../../contract/deployments.ts'
import type { QueryOf } from '../../../contract/endpoint.ts'
import type { AnswerOf } from '../../api/call.ts'
import { ApiError, NetworkError } from '../../api/errors.ts'

export type Line = AnswerOf<typeof searchDeploymentOutput>['data'][number]
type Page = AnswerOf<typeof searchDeploymentOutput>

/** How to read a deployment's output: as its owner or as an admin. The same object while the access is the same. */
export interface OutputAccess {
  key: string
  search(query: QueryOf<typeof searchDeploymentOutput>): Promise<Page>
  /** The path of the stream, and its header. */
  stream: { path: string; authorization(): Promise<string>; refused(authorization: string): void }
}

/** Beyond this number, the oldest lines are dropped as new ones arrive, and loaded again on demand. */
const lines_max = 20_000
const tail = 500
const page_size = 500

/** The delay after this many consecutive failures. */
const backoffMs = (failures: number) => Math.min(1_000 * 2 ** (failures - 1), 30_000)

export interface Output {
  lines: Line[]
  /** `disconnected`: reconnects after `wait_ms`. */
  state: 'connecting' | 'live' | 'disconnected' | 'ended'
  error?: Error
  /** Consecutive failures. */
  failures: number
  wait_ms: number
  /** The lines present when the stream began, some of which it repeats. */
  before: ReadonlySet<string>
  /** The stream has sent nothing yet. */
  is_beginning: boolean
  /** There are no older lines. */
  is_complete: boolean
}

type Action =
  | { lines: Line[] }
  | { older: Line[]; is_complete: boolean }
  | { error: Error }
  | 'connecting'
  | 'live'
  | 'ended'
  | 'reset'

const initial_output: Output = {
  lines: [],
  state: 'connecting',
  failures: 0,
  wait_ms: 0,
  before: new Set(),
  is_beginning: true,
  is_complete: false,
}

/** Whether a retry may succeed. */
const isTransient = (error: Error) =>
  error instanceof NetworkError || (error instanceof ApiError && (error.status >= 500 || error.status === 429))

/** Adds new lines. If a restarted stream repeats none, lines in between are missing, and only the new ones stay. */
function withLines(output: Output, came: Line[]): Output {
  const lines = came.filter(({ id }) => !output.before.has(id))
  if (output.is_beginning && output.before.size > 0 && lines.length === came.length)
    return { ...output, lines, before: new Set(), is_beginning: false, is_complete: false }
  const all = [...output.lines, ...lines]
  const is_cut = all.length > lines_max
  return {
    ...output,
    lines: is_cut ? all.slice(-lines_max) : all,
    is_beginning: false,
    is_complete: output.is_complete && !is_cut,
  }
}

function reduce(output: Output, change: Action): Output {
  if (change === 'reset') return initial_output
  if (change === 'connecting') return { ...output, state: output.error ? 'disconnected' : 'connecting' }
  if (change === 'live') {
    const { lines, is_complete } = output
    const before = new Set(lines.map(({ id }) => id))
    return { ...initial_output, lines, is_complete, before, state: 'live' }
  }
  if (change === 'ended') return { ...output, state: 'ended' }
  if ('older' in change)
    return { ...output, lines: [...change.older, ...output.lines], is_complete: change.is_complete }
  if ('lines' in change) return withLines(output, change.lines)
  const { error } = change
  const failures = output.failures + 1
  return {
    ...output,
    state: isTransient(error) ? 'disconnected' : 'ended',
    error,
    failures,
    wait_ms: backoffMs(failures),
  }
}

/**
 * Follows the output of a deployment: the last lines, then each new one, until it ends. A broken stream keeps the lines
 * and reconnects with backoff, or immediately by `reconnect`. `loadOlder` adds older lines.
 */
export function useOutput(access: OutputAccess, is_paused: boolean) {
  const [output, change] = useReducer(reduce, initial_output)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => change('reset'), [access])
  useEffect(() => {
    if (is_paused) return undefined
    const abort = new AbortController()
    change('connecting')
    follow(access.stream, abort.signal, change).catch((error: Error) => {
      if (!abort.signal.aborted) change({ error })
    })
    return () => abort.abort()
  }, [access, attempt, is_paused])
  const reconnect = useCallback(() => setAttempt((before) => before + 1), [])
  const { state, failures, wait_ms } = output
  useEffect(() => {
    if (state !== 'disconnected' || is_paused) return undefined
    const timer = setTimeout(reconnect, wait_ms)
    return () => clearTimeout(timer)
  }, [state, failures, wait_ms, reconnect, is_paused])
  const oldest = output.lines[0]?.id
  const older = useLoader(async () => {
    if (oldest === undefined) return
    const { data, next_cursor } = await access.search({ cursor: oldest, limit: page_size })
    change({ older: data.reverse(), is_complete: next_cursor === null })
  })
  return { ...output, reconnect, older }
}

export interface Loader {
  load: () => void
  is_loading: boolean
  error: Error | null | undefined
}

/** Runs one call at a time, and stores its failure. */
function useLoader(call: () => Promise<void>): Loader {
  const [is_loading, setLoading] = useState(false)
  const [error, setError] = useState<Error>()
  const running = useRef(false)
  const load = () => {
    if (running.current) return
    running.current = true
    setLoading(true)
    setError(undefined)
    call()
      .catch((reason: Error) => setError(reason))
      .finally(() => {
        running.current = false
        setLoading(false)
      })
  }
  return { load, is_loading, error }
}

/**
 * Searches the stored output: the newest matches, oldest first, and older ones on demand. Does nothing without a text.
 * It never repeats a search by itself, because searches by admins are audited.
 */
export function useOutputSearch(access: OutputAccess, q: string, replica: number | undefined) {
  const query = useInfiniteQuery({
    queryKey: ['output', access.key, q, replica],
    enabled: q !== '',
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: false,
    refetchOnReconnect: false,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      access.search({
        q,
        limit: page_size,
        ...(replica !== undefined && { replica }),
        ...(cursor !== undefined && { cursor }),
      }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  const { data, error, isFetching, isFetchNextPageError, isFetchingNextPage, hasNextPage } = query
  const older: Loader = {
    load: () => void query.fetchNextPage(),
    is_loading: isFetchingNextPage,
    error: isFetchNextPageError ? error : undefined,
  }
  return {
    lines: data?.pages.flatMap((page) => page.data).reverse(),
    is_searching: isFetching && !isFetchingNextPage,
    again: () => void query.refetch(),
    error: isFetchNextPageError ? null : error,
    older,
    is_complete: data !== undefined && !hasNextPage,
  }
}

/** Reads the event stream with `fetch`: `EventSource` cannot send an `Authorization` header. */
async function follow(stream: OutputAccess['stream'], signal: AbortSignal, change: (change: Action) => void) {
  const authorization = await stream.authorization()
  const headers = { authorization, accept: 'text/event-stream' }
  const response = await fetch(`${stream.path}?tail=${tail}`, { headers, signal }).catch((error: unknown) => {
    throw new NetworkError(error)
  })
  if (!response.ok || !response.body) {
    if (response.status === 401) stream.refused(authorization)
    throw new ApiError(response.status, response.headers, await response.json().catch(() => undefined))
  }
  change('live')
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let buffer = ''
  for (;;) {
    const { done, value = '' } = await reader.read().catch((error: unknown) => {
      throw new NetworkError(error)
    })
    if (done) break
    const events = (buffer + value).split('\n\n')
    buffer = events.pop() ?? ''
    const lines = events.filter((event) => event.startsWith('event: line\n')).map(lineOf)
    if (lines.length > 0) change({ lines })
  }
  change('ended')
}

const lineOf = (event: string) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Line
