import { useSyncExternalStore } from 'react'
import { decisions } from '../../contract/decisions.ts'
import { onUserChange } from '../session/session.ts'
import { queryClient } from './hooks.ts'

function openStore() {
  let value = 0
  const listeners = new Set<() => void>()
  return {
    set(next: number) {
      value = next
      for (const listener of listeners) listener()
    },
    get: () => value,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const unread = openStore()
onUserChange(() => unread.set(0))

/** Takes how many notices are unread, as the event stream and answers tell; lists of notices that are shown are read again. */
export function noteUnread(count: number) {
  unread.set(count)
  void queryClient.invalidateQueries({ queryKey: ['/api/notices'] })
}

const { unread_max } = decisions.notices

/** The number of unread notices as it is shown: `3`, or `99+` from where it is not counted further; undefined for none. */
export function unreadText(unread: number) {
  if (unread === 0) return undefined
  return unread >= unread_max ? `${unread_max - 1}+` : String(unread)
}

/** How many notices are unread, as far as is known. */
export const useUnreadNotices = () => useSyncExternalStore(unread.subscribe, unread.get)

const followers = openStore()

/** Says that a page follows the event stream itself, until the returned function is called. */
export function followHere() {
  followers.set(followers.get() + 1)
  return () => followers.set(followers.get() - 1)
}

export const useFollowedByPage = () => useSyncExternalStore(followers.subscribe, followers.get) > 0
