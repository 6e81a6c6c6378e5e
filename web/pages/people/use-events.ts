import { useEffect, useEffectEvent } from 'react'
import { hearEvents, useStreamState, wantChannels } from '../../api/live-events.ts'
import type { PlazaEvent, StreamState } from '../../api/event-stream.ts'
import { useSession } from '../../session/session.ts'

/**
 * Whether lists that change with events may be read: the event stream is open, so that no change is missed in between,
 * or it has failed.
 */
export const useMayReadLists = () => useStreamState().status !== 'connecting'

const ignore = () => undefined

/**
 * Follows the event stream while mounted: messages of these channels, and everything that concerns the person. Returns
 * the state of the connection. `onEvent` may change between renders. Does not connect while the channels are undefined.
 */
export function useEvents(
  channel_ids: readonly string[] | undefined,
  onEvent: (event: PlazaEvent) => void = ignore,
): StreamState {
  const user_id = useSession().session?.user.id
  const state = useStreamState()
  const handleEvent = useEffectEvent((event: PlazaEvent) => {
    const is_of_other_tab = 'channel_id' in event.data && !channel_ids?.includes(event.data.channel_id)
    if (!is_of_other_tab) onEvent(event)
  })
  const channels = channel_ids?.join(',')
  useEffect(() => hearEvents((event) => handleEvent(event)), [])
  useEffect(
    () => (channels === undefined ? undefined : wantChannels(channels === '' ? [] : channels.split(','), true)),
    [user_id, channels],
  )
  return state
}
