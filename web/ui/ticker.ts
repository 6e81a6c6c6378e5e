import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void) {
  listeners.add(listener)
  timer ??= setInterval(() => {
    if (!document.hidden) for (const listen of listeners) listen()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * A text or fact that depends on the time. One timer serves the whole page; a component renders again only on a change.
 */
export const useTicking = <Value extends string | boolean>(read: () => Value) =>
  useSyncExternalStore(subscribe, read, read)
