import { useEffect } from 'react'
import { createStore } from '../store.ts'

/**
 * `offline`: the device reports that it has no network. `unreachable`: it has one, but the service does not respond.
 */
type Reachability = 'reachable' | 'offline' | 'unreachable'

const state = createStore<Reachability>('reachable')

/** Records that a call was answered, with any status. */
export const noteAnswer = () => state.set('reachable')

/** Records that a call got no response. */
export const noteSilence = () => state.set(navigator.onLine ? 'unreachable' : 'offline')

/** Follows the network of the device. Its initial state is ignored, because it may not know its network: a call decides. */
export function watchNetwork() {
  addEventListener('offline', () => state.set('offline'))
  addEventListener('online', () => state.set('reachable'))
}

/** The bound of a probe: a network that drops packets answers much later. */
const probe_ms = 5_000

/** True if the service answers now. An error of a proxy is no answer. */
export async function probe() {
  const signal = AbortSignal.timeout(probe_ms)
  await fetch('/livez', { signal }).then(({ ok }) => (ok ? noteAnswer() : noteSilence()), noteSilence)
  return state.get() === 'reachable'
}

/** Calls back when the service becomes reachable. Returns a function that ends this. */
export function onReachable(run: () => void) {
  let before = state.get()
  return state.subscribe(() => {
    const was = before
    before = state.get()
    if (was !== 'reachable' && before === 'reachable') run()
  })
}

/** The interval of probes while the service is unreachable. */
const probe_every_ms = 10_000

/** Whether the service is reachable. While it is not, it is probed. */
export function useReachability() {
  const current = state.use()
  useEffect(() => {
    if (current === 'reachable') return undefined
    const timer = setInterval(() => void probe(), probe_every_ms)
    return () => clearInterval(timer)
  }, [current])
  return current
}
