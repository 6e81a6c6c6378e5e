import { useEffect, useRef, useState } from 'react'
import { onUserChange } from '../session/session.ts'
import { delayed_calls } from './unsaved.ts'

const undo_ms = 5_000

/** The reason why a delayed call was not made. */
export const undone = new Error('undone')
export const signed_out = new Error('signed out')

/** Makes the delayed calls immediately, and resolves once they are answered; with false if one has failed. */
export async function finishDelayedCalls() {
  const calls = [...delayed_calls]
  for (const { goOn } of calls) goOn()
  const answers = await Promise.allSettled(calls.map(({ made }) => made))
  return answers.every(({ status }) => status === 'fulfilled')
}

onUserChange(() => {
  for (const { drop } of delayed_calls) drop(signed_out)
})

interface Call<Answer> {
  call: () => Promise<Answer>
  /** The page is left before the response. */
  onPageHide: () => void
}

/**
 * Delays an irreversible call. `delay` makes it after some seconds, or immediately when the page is left; until then,
 * `undo` is available. Rejects with `undone`, or with `signed_out` if another user has signed in in the meantime.
 */
export function useUndoPeriod() {
  const [undo, setUndo] = useState<() => void>()
  const leave = useRef<() => void>(undefined)
  useEffect(() => () => leave.current?.(), [])

  async function delay<Answer>({ call, onPageHide }: Call<Answer>): Promise<Answer> {
    let [goOn, drop]: [() => void, (reason: Error) => void] = [() => {}, () => {}]
    const period = new Promise<void>((resolve, reject) => {
      ;[goOn, drop] = [resolve, reject]
    })
    const timer = setTimeout(goOn, undo_ms)
    const onHide = () => {
      onPageHide()
      goOn()
    }
    addEventListener('pagehide', onHide)
    leave.current = goOn
    setUndo(() => () => drop(undone))
    const made = period
      .finally(() => {
        clearTimeout(timer)
        leave.current = undefined
        setUndo(undefined)
      })
      .then(call)
    const delayed = { goOn, drop, made }
    delayed_calls.add(delayed)
    try {
      return await made
    } finally {
      delayed_calls.delete(delayed)
      removeEventListener('pagehide', onHide)
    }
  }
  return { delay, undo }
}
