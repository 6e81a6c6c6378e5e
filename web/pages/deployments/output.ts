import { useCallback, useEffect, useReducer, useState } from 'react'
import { followDeploymentOutput, type getDeploymentOutput } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { ApiError, NetworkError } from '../../api/errors.ts'
import { discardAccess, appAuthorization } from '../build/access.ts'

export type Line = AnswerOf<typeof getDeploymentOutput>['lines'][number]

/** The oldest lines beyond this are dropped. */
const lines_max = 2_000

/** The delay after that many consecutive failures. */
const backoffMs = (failures: number) => Math.min(1_000 * 2 ** (failures - 1), 30_000)

export interface Output {
  lines: Line[]
  /** `disconnected`: reconnects after `wait_ms`. */
  state: 'connecting' | 'live' | 'disconnected' | 'ended'
  error?: Error
  /** Consecutive failures. */
  failures: number
  wait_ms: number
}

type Action = { lines: Line[] } | { error: Error } | 'connecting' | 'live' | 'ended' | 'reset'

const initial_output: Output = { lines: [], state: 'connecting', failures: 0, wait_ms: 0 }

/** Whether a retry may succeed. */
const isTransient = (error: Error) =>
  error instanceof NetworkError || (error instanceof ApiError && (error.status >= 500 || error.status === 429))

function reduce(output: Output, change: Action): Output {
  if (change === 'reset') return initial_output
  if (change === 'connecting') return { ...output, state: output.error ? 'disconnected' : 'connecting' }
  // A new stream starts with the last `tail` lines, which replace those shown before.
  if (change === 'live') return { ...initial_output, state: 'live' }
  if (change === 'ended') return { ...output, state: 'ended' }
  if ('lines' in change) return { ...output, lines: [...output.lines, ...change.lines].slice(-lines_max) }
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
 * Follows the output of a container: the last `tail` lines, then each new one, until it ends. A broken stream keeps the
 * lines and reconnects with backoff; `reconnect` does so at once.
 */
export function useOutput(app_id: string, deployment_id: string, tail: number) {
  const [output, change] = useReducer(reduce, initial_output)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => change('reset'), [app_id, deployment_id, tail])
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
    if (state !== 'disconnected') return undefined
    const timer = setTimeout(reconnect, wait_ms)
    return () => clearTimeout(timer)
  }, [state, failures, wait_ms, reconnect])
  return { ...output, reconnect }
}

/** Reads the event stream with `fetch`: `EventSource` cannot send an `Authorization` header. */
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
