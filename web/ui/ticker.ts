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

/** A text that depends on the time. One timer serves the whole page; a component is rendered again only when its text changes. */
export const useTicking = (text: () => string) => useSyncExternalStore(subscribe, text, text)
