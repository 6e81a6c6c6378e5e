import { useCallback, useEffect, useReducer, useState } from 'react'
import { followDeploymentOutput, type getDeploymentOutput } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { Refusal, Unreachable } from '../../api/failure.ts'
import { accessRefused, appAuthorization } from '../build/access.ts'

export type Line = AnswerOf<typeof getDeploymentOutput>['lines'][number]

/** More lines than this are not kept on the page: the oldest go. */
const lines_max = 2_000

/** How long to wait after so many breaks in a row. */
const waitMs = (breaks: number) => Math.min(1_000 * 2 ** (breaks - 1), 30_000)

export interface Output {
  lines: Line[]
  /** `lost`: it broke off, and is tried again by itself after `wait_ms`. */
  state: 'connecting' | 'live' | 'lost' | 'ended'
  error?: Error
  /** Without an answer in a row. */
  breaks: number
  wait_ms: number
}

type Change = { lines: Line[] } | { error: Error } | 'connecting' | 'live' | 'ended' | 'other'

const nothing_yet: Output = { lines: [], state: 'connecting', breaks: 0, wait_ms: 0 }

/** What a later try may find mended; a refusal stays one. */
const isPassing = (error: Error) =>
  error instanceof Unreachable || (error instanceof Refusal && (error.status >= 500 || error.status === 429))

function changed(output: Output, change: Change): Output {
  if (change === 'other') return nothing_yet
  if (change === 'connecting') return { ...output, state: output.error ? 'lost' : 'connecting' }
  // The stream begins with the last lines: what was shown before the break is among them, or too old.
  if (change === 'live') return { ...nothing_yet, state: 'live' }
  if (change === 'ended') return { ...output, state: 'ended' }
  if ('lines' in change) return { ...output, lines: [...output.lines, ...change.lines].slice(-lines_max) }
  const { error } = change
  const breaks = output.breaks + 1
  return { ...output, state: isPassing(error) ? 'lost' : 'ended', error, breaks, wait_ms: waitMs(breaks) }
}

/**
 * Follows what a container writes: the last `tail` lines and then each new one, until it ends. A break keeps what is
 * there, and is mended by itself. `again` begins anew at once.
 */
export function useOutput(app_id: string, deployment_id: string, tail: number) {
  const [output, change] = useReducer(changed, nothing_yet)
  const [times, setTimes] = useState(0)
  useEffect(() => change('other'), [app_id, deployment_id, tail])
  useEffect(() => {
    const abort = new AbortController()
    change('connecting')
    follow(app_id, deployment_id, tail, abort.signal, change).catch((error: Error) => {
      if (!abort.signal.aborted) change({ error })
    })
    return () => abort.abort()
  }, [app_id, deployment_id, tail, times])
  const again = useCallback(() => setTimes((before) => before + 1), [])
  const { state, breaks, wait_ms } = output
  useEffect(() => {
    if (state !== 'lost') return undefined
    const timer = setTimeout(again, wait_ms)
    return () => clearTimeout(timer)
  }, [state, breaks, wait_ms, again])
  return { ...output, again }
}

/** Browsers open event streams without a token of ours, so that this one is read by hand. */
async function follow(
  app_id: string,
  deployment_id: string,
  tail: number,
  signal: AbortSignal,
  change: (change: Change) => void,
) {
  const path = followDeploymentOutput.path.replace('{id}', deployment_id)
  const headers = { authorization: await appAuthorization(app_id), accept: 'text/event-stream' }
  const response = await fetch(`${path}?tail=${tail}`, { headers, signal }).catch((error: unknown) => {
    throw new Unreachable(error)
  })
  if (!response.ok || !response.body) {
    if (response.status === 401) accessRefused(app_id, headers.authorization)
    throw new Refusal(response.status, response.headers, await response.json().catch(() => undefined))
  }
  change('live')
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let waiting = ''
  for (;;) {
    const { done, value = '' } = await reader.read().catch((error: unknown) => {
      throw new Unreachable(error)
    })
    if (done) break
    const events = (waiting + value).split('\n\n')
    waiting = events.pop() ?? ''
    const lines = events.filter((event) => event.startsWith('event: line\n')).map(lineOf)
    if (lines.length > 0) change({ lines })
  }
  change('ended')
}

const lineOf = (event: string) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Line
