import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import { announcePresence, listPresence, listTablePresence } from '../../../contract/social.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { queryKeyOf, useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'

/** Two posts may be lost before somebody counts as gone. */
const heartbeat_ms = (decisions['D-75'].value.online_seconds * 1000) / 3

/**
 * Says that the person is here, for as long as the page is open and looked at; at a table of the chat, or nowhere.
 * Answers whether it has been said once, so that who else is here need not be read before.
 */
export function usePresenceHeartbeat({ game, lobby }: { game?: string; lobby?: string } = {}) {
  const user_id = useSession().session?.user.id
  const client = useQueryClient()
  const [announced, setAnnounced] = useState(false)
  useEffect(() => {
    if (user_id === undefined) return undefined
    const body = { ...(game !== undefined && { game }), ...(lobby !== undefined && { lobby }) }
    // Nobody is told of a beat that was lost: the next one says the same.
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

export type Presence = AnswerOf<typeof listPresence>['presence'][number]

/** Who of the friends is here, by user. Who was not heard of for a while goes when it is read again. */
export function useFriendsPresence() {
  const { data } = useApiQuery(listPresence, {}, { refetchInterval: heartbeat_ms * 2 })
  return new Map(data?.presence.map((entry) => [entry.user_id, entry]))
}

/** Takes one friend's news into what was read. */
export function usePresenceUpdate() {
  const client = useQueryClient()
  return (news: Presence) =>
    client.setQueryData<AnswerOf<typeof listPresence>>(queryKeyOf(listPresence, {}), (known) =>
      known ? { presence: [news, ...known.presence.filter(({ user_id }) => user_id !== news.user_id)] } : undefined,
    )
}
