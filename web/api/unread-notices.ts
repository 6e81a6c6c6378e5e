import { decisions } from '../../contract/decisions.ts'
import { onUserChange } from '../session/session.ts'
import { createStore } from '../store.ts'
import { queryClient } from './hooks.ts'

const unread = createStore(0)
onUserChange(() => unread.set(0))

/** Stores the number of unread notices, from the event stream or an answer; lists of notices on the page are refetched. */
export function noteUnread(count: number) {
  unread.set(count)
  void queryClient.invalidateQueries({ queryKey: ['/api/notices'] })
}

const { unread_max } = decisions.notices

/** The number of unread notices as text: `3`, or `99+` for more than are counted; undefined for none. */
export function unreadText(unread: number) {
  if (unread === 0) return undefined
  return unread >= unread_max ? `${unread_max - 1}+` : String(unread)
}

/** The last known number of unread notices. */
export const useUnreadNotices = unread.use

const followers = createStore(0)

/** Registers that a page follows the event stream itself, until the returned function is called. */
export function followHere() {
  followers.set(followers.get() + 1)
  return () => followers.set(followers.get() - 1)
}

export const useFollowedByPage = () => followers.use() > 0
