import { useCallback, useEffect, useReducer, useState } from 'react'
import { followDeploymentOutput, type getDeploymentOutput } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { ApiError, NetworkError } from '../../api/errors.ts'
import { discardAccess, appAuthorization } from '../build/access.ts'

export type Line = AnswerOf<typeof getDeploymentOutput>['lines'][number]

/** More lines than this are not kept on the page: the oldest go. */
const lines_max = 2_000

/** How long to wait after so many breaks in a row. */
const backoffMs = (failures: number) => Math.min(1_000 * 2 ** (failures - 1), 30_000)

export interface Output {
  lines: Line[]
  /** `lost`: it broke off, and is tried again by itself after `wait_ms`. */
  state: 'connecting' | 'live' | 'lost' | 'ended'
  error?: Error
  /** Without an answer in a row. */
  failures: number
  wait_ms: number
}

type Action = { lines: Line[] } | { error: Error } | 'connecting' | 'live' | 'ended' | 'other'

const initial_output: Output = { lines: [], state: 'connecting', failures: 0, wait_ms: 0 }

/** What a later try may find mended; a refusal stays one. */
const isTransient = (error: Error) =>
  error instanceof NetworkError || (error instanceof ApiError && (error.status >= 500 || error.status === 429))

function reduce(output: Output, change: Action): Output {
  if (change === 'other') return initial_output
  if (change === 'connecting') return { ...output, state: output.error ? 'lost' : 'connecting' }
  // The stream begins with the last lines: what was shown before the break is among them, or too old.
  if (change === 'live') return { ...initial_output, state: 'live' }
  if (change === 'ended') return { ...output, state: 'ended' }
  if ('lines' in change) return { ...output, lines: [...output.lines, ...change.lines].slice(-lines_max) }
  const { error } = change
  const failures = output.failures + 1
  return { ...output, state: isTransient(error) ? 'lost' : 'ended', error, failures, wait_ms: backoffMs(failures) }
}

/**
 * Follows what a container writes: the last `tail` lines and then each new one, until it ends. A break keeps what is
 * there, and is mended by itself. `again` begins anew at once.
 */
export function useOutput(app_id: string, deployment_id: string, tail: number) {
  const [output, change] = useReducer(reduce, initial_output)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => change('other'), [app_id, deployment_id, tail])
  useEffect(() => {
    const abort = new AbortController()
    change('connecting')
    follow(app_id, deployment_id, tail, abort.signal, change).catch((error: Error) => {
      if (!abort.signal.aborted) change({ error })
    })
    return () => abort.abort()
  }, [app_id, deployment_id, tail, attempt])
  const reconnect = useCallback(() => setAttempt((before) => before + 1), [])
  const { state, failures, wait_ms } = output
  useEffect(() => {
    if (state !== 'lost') return undefined
    const timer = setTimeout(reconnect, wait_ms)
    return () => clearTimeout(timer)
  }, [state, failures, wait_ms, reconnect])
  return { ...output, again: reconnect }
}

/** Browsers open event streams without a token of ours, so that this one is read by hand. */
async function follow(
  app_id: string,
  deployment_id: string,
  tail: number,
  signal: AbortSignal,
  change: (change: Action) => void,
) {
  const path = followDeploymentOutput.path.replace('{id}', deployment_id)
  const headers = { authorization: await appAuthorization(app_id), accept: 'text/event-stream' }
  const response = await fetch(`${path}?tail=${tail}`, { headers, signal }).catch((error: unknown) => {
    throw new NetworkError(error)
  })
  if (!response.ok || !response.body) {
    if (response.status === 401) discardAccess(app_id, headers.authorization)
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
