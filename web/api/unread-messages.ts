import { listUnread } from '../../contract/conversations.ts'
import { currentSession } from '../session/session.ts'
import { browser_storage } from '../storage.ts'
import { queryClient, queryKeyOf } from './hooks.ts'

export const refetchUnread = () => queryClient.invalidateQueries({ queryKey: queryKeyOf(listUnread) })

/** Limits refetches during a series of messages. */
const refetch_every_ms = 1_000
let refetching: ReturnType<typeof setTimeout> | undefined

function refetchSoon() {
  refetching ??= setTimeout(() => {
    refetching = undefined
    void refetchUnread()
  }, refetch_every_ms)
}

/** The person whose conversation this tab shows: its messages are read as they arrive. */
let shown_user_id: string | undefined

/** Registers that the conversation with a person is shown, until the returned function is called. */
export function showConversation(user_id: string) {
  shown_user_id = user_id
  return () => {
    if (shown_user_id === user_id) shown_user_id = undefined
  }
}

/** Counts again after a direct message from somebody else. */
export function noteDirectMessage({ user_id, sender_id }: { user_id: string; sender_id: string }) {
  const is_read = user_id === shown_user_id && !document.hidden
  if (sender_id !== currentSession()?.user.id && !is_read) refetchSoon()
}

/** Written when a message was read, to notify other tabs. */
const read_key = 'plaza.read'

/** Counts again, here and in other tabs, after messages were read. */
export function noteRead() {
  browser_storage.set(read_key, String(Date.now()))
  void refetchUnread()
}

addEventListener('storage', ({ key }) => {
  if (key === read_key) refetchSoon()
})
