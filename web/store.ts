import { useSyncExternalStore } from 'react'

/**
 * A value outside of components. `use` gives a component the value or a part of it, and renders it again on changes.
 */
export function createStore<Value>(initial: Value) {
  let value = initial
  const listeners = new Set<() => void>()
  const get = () => value
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    get,
    subscribe,
    set(next: Value) {
      value = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, get),
  }
}
