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
  const [state, onState] = useState<StreamState>({ at: 'connecting' })
  const hear = useEffectEvent(onEvent)
  const place = useRef<{ user_id?: string | undefined; last_event_id: string | undefined }>({
    last_event_id: undefined,
  })
  const wanted = channel_ids?.join(',')
  useEffect(() => {
    if (wanted === undefined) return undefined
    if (place.current.user_id !== user_id) place.current = { user_id, last_event_id: undefined }
    return followEvents({
      channel_ids: wanted === '' ? [] : wanted.split(','),
      place: place.current,
      onEvent: (event) => hear(event),
      onState,
    })
  }, [user_id, wanted])
  return state
}
