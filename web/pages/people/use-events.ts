import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useSession } from '../../session/session.ts'
import { followEvents, type PlazaEvent, type StreamState } from './event-stream.ts'

/**
 * Hears what happens while the page is open: messages of these channels, and what concerns the person's friends. Tells
 * how the connection is; `onEvent` may change from one drawing to the next. Other channels go on at the same place.
 * Without a list nothing is heard yet.
 */
export function useEvents(
  channel_ids: readonly string[] | undefined,
  onEvent: (event: PlazaEvent) => void,
): StreamState {
  const user_id = useSession().session?.user.id
  const [state, onState] = useState<StreamState>({ status: 'connecting' })
  const handleEvent = useEffectEvent(onEvent)
  const cursor = useRef<{ user_id?: string | undefined; last_event_id: string | undefined }>({
    last_event_id: undefined,
  })
  const channels = channel_ids?.join(',')
  useEffect(() => {
    if (channels === undefined) return undefined
    if (cursor.current.user_id !== user_id) cursor.current = { user_id, last_event_id: undefined }
    return followEvents({
      channel_ids: channels === '' ? [] : channels.split(','),
      cursor: cursor.current,
      onEvent: (event) => handleEvent(event),
      onState,
    })
  }, [user_id, channels])
  return state
}
