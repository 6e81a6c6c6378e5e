import { createContext, use, useEffect, useEffectEvent, useRef, useState } from 'react'
import { followHere, noteUnread } from '../../api/unread-notices.ts'
import { useSession } from '../../session/session.ts'
import { followEvents, type PlazaEvent, type StreamState } from './event-stream.ts'

/** The state of the page's event stream. */
export const StreamContext = createContext<StreamState>({ status: 'connecting' })

/**
 * Whether lists that change with events may be read: once the event stream is open, so that no change falls between the
 * two, or has failed.
 */
export const useMayReadLists = () => use(StreamContext).status !== 'connecting'

/**
 * Follows the event stream while mounted: messages of these channels, friendships and presence; the count of unread notices
 * goes to the bell. Returns the state of the connection. `onEvent` may change between renders. A change of channels reconnects
 * at the same cursor; undefined does not connect. The bell follows the stream itself where no page does.
 */
export function useEvents(
  channel_ids: readonly string[] | undefined,
  onEvent: (event: PlazaEvent) => void,
  is_page = true,
): StreamState {
  const user_id = useSession().session?.user.id
  const [state, onState] = useState<StreamState>({ status: 'connecting' })
  const handleEvent = useEffectEvent(onEvent)
  const cursor = useRef<{ user_id?: string | undefined; last_event_id: string | undefined }>({
    last_event_id: undefined,
  })
  const channels = channel_ids?.join(',')
  useEffect(() => (is_page ? followHere() : undefined), [is_page])
  useEffect(() => {
    if (channels === undefined) return undefined
    if (cursor.current.user_id !== user_id) cursor.current = { user_id, last_event_id: undefined }
    return followEvents({
      channel_ids: channels === '' ? [] : channels.split(','),
      cursor: cursor.current,
      onEvent: (event) => {
        if (event.name === 'notices') noteUnread(event.data.unread)
        handleEvent(event)
      },
      onState,
      in_background: !is_page,
    })
  }, [user_id, channels, is_page])
  return state
}
