import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import { announcePresence, listPresence, listTablePresence } from '../../../contract/social.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { keyOf, useQueryOf } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'

/** Two posts may be lost before somebody counts as gone. */
const beat_ms = (decisions['D-75'].value.online_seconds * 1000) / 3

/**
 * Says that the person is here, for as long as the page is open and looked at; at a table of the chat, or nowhere.
 * Answers whether it has been said once, so that who else is here need not be read before.
 */
export function useAnnouncedPresence({ game, lobby }: { game?: string; lobby?: string } = {}) {
  const user_id = useSession().session?.user.id
  const client = useQueryClient()
  const [said, setSaid] = useState(false)
  useEffect(() => {
    if (user_id === undefined) return undefined
    const body = { ...(game !== undefined && { game }), ...(lobby !== undefined && { lobby }) }
    // Nobody is told of a beat that was lost: the next one says the same.
    const announce = () => {
      if (document.hidden) return
      const reread = () => client.invalidateQueries({ queryKey: keyOf(listTablePresence) })
      void callApi(announcePresence, { body })
        .then(reread, () => undefined)
        .then(() => setSaid(true))
    }
    announce()
    const timer = setInterval(announce, beat_ms)
    document.addEventListener('visibilitychange', announce)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', announce)
    }
  }, [user_id, game, lobby, client])
  return said
}

export type Presence = AnswerOf<typeof listPresence>['presence'][number]

/** Who of the friends is here, by user. Who was not heard of for a while goes when it is read again. */
export function useFriendsPresence() {
  const { data } = useQueryOf(listPresence, {}, { refetchInterval: beat_ms * 2 })
  return new Map(data?.presence.map((entry) => [entry.user_id, entry]))
}

/** Takes one friend's news into what was read. */
export function usePresenceNews() {
  const client = useQueryClient()
  return (news: Presence) =>
    client.setQueryData<AnswerOf<typeof listPresence>>(keyOf(listPresence, {}), (known) =>
      known ? { presence: [news, ...known.presence.filter(({ user_id }) => user_id !== news.user_id)] } : undefined,
    )
}
