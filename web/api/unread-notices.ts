import { useSyncExternalStore } from 'react'
import { listNotices } from '../../contract/notices.ts'
import { onUserChange } from '../session/session.ts'
import { queryClient, queryKeyOf } from './hooks.ts'

let unread = 0
const listeners = new Set<() => void>()

function set(count: number) {
  unread = count
  for (const listener of listeners) listener()
}

onUserChange(() => set(0))

/** Takes how many notices are unread, as the event stream and answers tell; lists of notices that are shown are read again. */
export function noteUnread(count: number) {
  set(count)
  void queryClient.invalidateQueries({ queryKey: queryKeyOf(listNotices) })
}

/** How many notices are unread, as far as is known. */
export const useUnreadNotices = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => unread,
  )
