import { useEffect } from 'react'
import { createStore } from '../store.ts'

/** `offline`: the device says that it has no network. `unreachable`: it has one, and the service does not answer. */
type Reachability = 'reachable' | 'offline' | 'unreachable'

const state = createStore<Reachability>('reachable')

/** A call was answered, with any status. */
export const noteAnswer = () => state.set('reachable')

/** A call got no answer. */
export const noteSilence = () => state.set(navigator.onLine ? 'unreachable' : 'offline')

// The state of the device at the start is ignored: it may not know its network. A call decides.
addEventListener('offline', () => state.set('offline'))
addEventListener('online', () => state.set('reachable'))

/** Calls back when the service can be reached again. */
export function onReachable(run: () => void) {
  let before = state.get()
  state.subscribe(() => {
    const was = before
    before = state.get()
    if (was !== 'reachable' && before === 'reachable') run()
  })
}

/** The interval of probes while the service is unreachable. */
const probe_every_ms = 10_000

/** Whether the service can be reached. While it cannot, it is probed. */
export function useReachability() {
  const current = state.use()
  useEffect(() => {
    if (current === 'reachable') return undefined
    const timer = setInterval(() => void fetch('/livez').then(noteAnswer, noteSilence), probe_every_ms)
    return () => clearInterval(timer)
  }, [current])
  return current
}
