import { useCallback, useEffect, useReducer, useState } from 'react'
import { followDeploymentOutput, type getDeploymentOutput } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { Refusal, Unreachable } from '../../api/failure.ts'
import { accessRefused, appAuthorization } from '../build/access.ts'

export type Line = AnswerOf<typeof getDeploymentOutput>['lines'][number]

/** More lines than this are not kept on the page: the oldest go. */
const lines_max = 2_000

export interface Output {
  lines: Line[]
  state: 'connecting' | 'live' | 'ended'
  error?: Error
}

type Change = { lines: Line[] } | { state: Output['state'] } | { error: Error } | 'clear'

function changed(output: Output, change: Change): Output {
  if (change === 'clear') return { lines: [], state: 'connecting' }
  if ('lines' in change) return { ...output, lines: [...output.lines, ...change.lines].slice(-lines_max) }
  return 'error' in change ? { ...output, state: 'ended', error: change.error } : { ...output, state: change.state }
}

/** Follows what a container writes: the last `tail` lines and then each new one, until it ends. `again` begins anew. */
export function useOutput(app_id: string, deployment_id: string, tail: number) {
  const [output, change] = useReducer(changed, { lines: [], state: 'connecting' })
  const [times, setTimes] = useState(0)
  useEffect(() => {
    const abort = new AbortController()
    change('clear')
    follow(app_id, deployment_id, tail, abort.signal, change).catch((error: Error) => {
      if (!abort.signal.aborted) change({ error })
    })
    return () => abort.abort()
  }, [app_id, deployment_id, tail, times])
  const again = useCallback(() => setTimes((before) => before + 1), [])
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
  change({ state: 'live' })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let waiting = ''
  for (;;) {
    const { done, value = '' } = await reader.read()
    if (done) break
    const events = (waiting + value).split('\n\n')
    waiting = events.pop() ?? ''
    const lines = events.filter((event) => event.startsWith('event: line\n')).map(lineOf)
    if (lines.length > 0) change({ lines })
  }
  change({ state: 'ended' })
}

const lineOf = (event: string) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Line
