import { useEffect, useSyncExternalStore } from 'react'

/** `offline`: the device says that it has no network. `unreachable`: it has one, and the service does not answer. */
type Reachability = 'reachable' | 'offline' | 'unreachable'

let state: Reachability = 'reachable'
const listeners = new Set<() => void>()

function become(next: Reachability) {
  if (state === next) return
  state = next
  for (const listener of listeners) listener()
}

/** A call was answered, with whatever status. */
export const noteAnswer = () => become('reachable')

/** A call got no answer. */
export const noteSilence = () => become(navigator.onLine ? 'unreachable' : 'offline')

// What the device says at the start is not taken: some networks are none to it. A call decides.
addEventListener('offline', () => become('offline'))
addEventListener('online', () => become('reachable'))

/** How often an unreachable service is asked whether it is back. */
const probe_every_ms = 10_000

/** Whether the service can be reached. While it cannot, it is asked from time to time. */
export function useReachability() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
  useEffect(() => {
    if (current === 'reachable') return undefined
    const timer = setInterval(() => void fetch('/livez').then(noteAnswer, noteSilence), probe_every_ms)
    return () => clearInterval(timer)
  }, [current])
  return current
}
