import { decisions } from '../../contract/decisions.ts'
import { onUserChange } from '../session/session.ts'
import { createStore } from '../store.ts'
import { queryClient } from './hooks.ts'
import { onceIn } from './once-in.ts'

const unread = createStore(0)
onUserChange(() => unread.set(0))

/**
 * Stores the number of unread notices, from the event stream or a response, and refetches lists of notices on the page.
 */
export function noteUnread(count: number) {
  unread.set(count)
  refetchNotices()
}

const refetchNotices = onceIn(1_000, () => void queryClient.invalidateQueries({ queryKey: ['/api/notices'] }))

const { unread_max } = decisions.notices

/** The number of unread notices as text: `3`, or `99+` beyond the counted maximum; undefined for none. */
export function unreadText(unread: number) {
  if (unread === 0) return undefined
  return unread >= unread_max ? `${unread_max - 1}+` : String(unread)
}

/** The last known number of unread notices. */
export const useUnreadNotices = unread.use
