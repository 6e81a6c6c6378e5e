import { listUnread } from '../../contract/conversations.ts'
import { useSession } from '../session/session.ts'
import { useApiQuery } from './hooks.ts'
import { useStreamState } from './live-events.ts'

/**
 * The person's conversations and unread messages, as counted by the API; read once the event stream is open or has
 * failed.
 */
export function useConversations() {
  const is_waiting = useStreamState().status === 'connecting'
  const enabled = useSession().session !== undefined && !is_waiting
  return useApiQuery(listUnread, {}, { enabled, staleTime: 60_000 })
}

/** The number of unread direct messages. */
export const useUnreadMessages = () => useConversations().data?.unread ?? 0
