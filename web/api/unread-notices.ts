import { decisions } from '../../contract/decisions.ts'
import { onUserChange } from '../session/session.ts'
import { createStore } from '../store.ts'
import { queryClient } from './hooks.ts'

const unread = createStore(0)
onUserChange(() => unread.set(0))

/** Stores the number of unread notices, from the event stream or an answer; lists of notices on the page are refetched. */
export function noteUnread(count: number) {
  unread.set(count)
  refetching ??= setTimeout(refetchNotices, Math.max(0, refetched_at + refetch_every_ms - performance.now()))
}

/** Many notices in a row do not refetch the lists for each. */
const refetch_every_ms = 1_000
let refetched_at = -refetch_every_ms
let refetching: ReturnType<typeof setTimeout> | undefined

function refetchNotices() {
  refetching = undefined
  refetched_at = performance.now()
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
