import { useEffect, useEffectEvent } from 'react'
import { noteRead, showConversation } from '../../api/unread-messages.ts'
import { onUserChange } from '../../session/session.ts'
import { placeKey, postRead, type Place } from './place.ts'

interface Mark {
  place: Place
  message_id: string
}

/** A place with many writers is marked at most this often. */
const mark_every_ms = 2_000

const marked = new Map<string, string>()
const due = new Map<string, Mark>()
let timer: ReturnType<typeof setTimeout> | undefined
let sent_at = -mark_every_ms

onUserChange(() => {
  marked.clear()
  due.clear()
})

function markRead(mark: Mark) {
  const key = placeKey(mark.place)
  if (marked.get(key) === mark.message_id) return
  marked.set(key, mark.message_id)
  due.set(key, mark)
  timer ??= setTimeout(send, Math.max(0, sent_at + mark_every_ms - performance.now()))
}

function send() {
  timer = undefined
  sent_at = performance.now()
  for (const [key, { place, message_id }] of due) {
    due.delete(key)
    postRead(place, message_id).then(
      () => {
        if ('user_id' in place) noteRead()
      },
      // Marked again with the next message.
      () => marked.delete(key),
    )
  }
}

/** Marks the messages of a place as read, up to the newest one, while it is shown. */
export function useReadMarker(place: Place, newest_id: string | undefined) {
  const user_id = 'user_id' in place ? place.user_id : undefined
  useEffect(() => (user_id === undefined ? undefined : showConversation(user_id)), [user_id])
  const mark = useEffectEvent(() => {
    if (newest_id !== undefined && !document.hidden) markRead({ place, message_id: newest_id })
  })
  useEffect(() => mark(), [newest_id])
  useEffect(() => {
    const onVisibilityChange = () => mark()
    document.addEventListener('visibilitychange', onVisibilityChange)
    return () => document.removeEventListener('visibilitychange', onVisibilityChange)
  }, [])
}
