import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import { announcePresence, listPresence, listTablePresence } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { queryKeyOf, useApiQuery } from '../../api/hooks.ts'
import type { Presence } from '../../api/live-queries.ts'
import { useSession } from '../../session/session.ts'
import { useMayReadLists } from './use-events.ts'

/** Two heartbeats may be lost before a user counts as offline. */
const heartbeat_ms = (decisions.presence.online_seconds * 1000) / 3

/**
 * Announces the user as online while the page is mounted and visible, optionally at a place. Returns whether the first
 * heartbeat was sent; the presence list is read after it.
 */
export function usePresenceHeartbeat({ game, lobby }: { game?: string; lobby?: string } = {}) {
  const user_id = useSession().session?.user.id
  const client = useQueryClient()
  const [announced, setAnnounced] = useState(false)
  useEffect(() => {
    if (user_id === undefined) return undefined
    const body = { ...(game !== undefined && { game }), ...(lobby !== undefined && { lobby }) }
    // A failed heartbeat is ignored: the next one sends the same.
    const sendHeartbeat = () => {
      if (document.hidden) return
      const refetch = () => client.invalidateQueries({ queryKey: queryKeyOf(listTablePresence) })
      void callApi(announcePresence, { body })
        .then(refetch, () => undefined)
        .then(() => setAnnounced(true))
    }
    sendHeartbeat()
    const timer = setInterval(sendHeartbeat, heartbeat_ms)
    document.addEventListener('visibilitychange', sendHeartbeat)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', sendHeartbeat)
    }
  }, [user_id, game, lobby, client])
  return announced
}

/**
 * The presence of friends by user id; undefined until known. Polled, because a user whose heartbeats stop causes no
 * event.
 */
export function useFriendsPresence(): ReadonlyMap<string, Presence> | undefined {
  const enabled = useMayReadLists()
  const { data } = useApiQuery(listPresence, {}, { refetchInterval: heartbeat_ms * 2, enabled })
  return data && new Map(data.presence.map((entry) => [entry.user_id, entry]))
}
