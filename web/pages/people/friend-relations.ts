import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import {
  listBlocks,
  listFriends,
  listPendingFriends,
  listPresence,
  removeFriend,
  requestFriend,
} from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { queryKeyOf, useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { notify } from '../../ui/notify.tsx'
import { useMayReadLists } from './use-events.ts'
import type { PlazaEvent } from './event-stream.ts'
import { usePresenceUpdate } from './use-presence.ts'
import { t } from '../../texts.ts'

export interface Person {
  id: string
  username: string
}

/** The lists to refetch after a change of a friendship or block. */
export const people_lists = [listFriends, listPendingFriends, listPresence, listBlocks]

/** A request sent in this tab: the API lists received requests only. */
export interface SentRequest extends Person {
  friendship_id: string
}
const sent_requests_key = ['asked']

export function useSentRequests() {
  const client = useQueryClient()
  const { data: sent_requests } = useQuery<SentRequest[]>({
    queryKey: sent_requests_key,
    queryFn: () => [],
    initialData: [],
    staleTime: Infinity,
    gcTime: Infinity,
  })
  return {
    sent_requests,
    add: (one: SentRequest) =>
      client.setQueryData<SentRequest[]>(sent_requests_key, (all = []) => [
        one,
        ...all.filter(({ id }) => id !== one.id),
      ]),
    remove: (user_id: string) =>
      client.setQueryData<SentRequest[]>(sent_requests_key, (all = []) => all.filter(({ id }) => id !== user_id)),
  }
}

export const useFriends = () => useApiQuery(listFriends, {}, { enabled: useMayReadLists() })

export const usePendingFriends = () => useApiQuery(listPendingFriends, {}, { enabled: useMayReadLists() })

/** The relation of a user to the signed-in one, as far as it is known. */
export type FriendRelation =
  | { kind: 'none' }
  | { kind: 'friend' }
  | { kind: 'request_received'; friendship_id: string }
  | { kind: 'request_sent'; friendship_id: string }

export function useFriendRelations() {
  const friends = useFriends()
  const pending = usePendingFriends()
  const { sent_requests } = useSentRequests()
  return (user_id: string): FriendRelation => {
    if (friends.data?.some(({ id }) => id === user_id)) return { kind: 'friend' }
    const received = pending.data?.find(({ id }) => id === user_id)
    if (received) return { kind: 'request_received', friendship_id: received.friendship_id }
    const sent = sent_requests.find(({ id }) => id === user_id)
    return sent ? { kind: 'request_sent', friendship_id: sent.friendship_id } : { kind: 'none' }
  }
}

/** Sends a friend request. If the other has sent one too, the API accepts it. */
export function useRequestFriend(person: Person) {
  const { add, remove } = useSentRequests()
  return useApiMutation(requestFriend, {
    invalidates: people_lists,
    onDone: ({ friendship_id, status }) => {
      if (status === 'pending') {
        add({ ...person, friendship_id })
        return notify(t('people.friend-relations.is-asked', { username: person.username }))
      }
      remove(person.id)
      return notify(t('common.and-you-are-friends', { username: person.username }))
    },
  })
}

/**
 * Ends a friendship; false if the other has already ended it. The list of friends has no friendship ids: a repeated
 * request to a friend returns it and changes nothing. Checks the list first, since a request to a former friend would be
 * a new one.
 */
export async function endFriendship({ id }: Person) {
  const friends = await callApi(listFriends, {})
  if (!friends.some((friend) => friend.id === id)) return false
  const { friendship_id, status } = await callApi(requestFriend, { body: { friend_id: id } })
  await callApi(removeFriend, { params: { id: friendship_id } })
  return status === 'accepted'
}

/** Returns a handler that applies events of friends and presence to the cached lists. */
export function useFriendEvents() {
  const client = useQueryClient()
  const updatePresence = usePresenceUpdate()
  const { remove } = useSentRequests()
  const refetch = () => {
    for (const list of people_lists) void client.invalidateQueries({ queryKey: queryKeyOf(list) })
  }
  useEffect(
    () => () => {
      // Without the page's event stream they may change unseen.
      for (const list of people_lists)
        void client.invalidateQueries({ queryKey: queryKeyOf(list), refetchType: 'none' })
    },
    [client],
  )
  return (event: PlazaEvent) => {
    if (event.name === 'presence') updatePresence(event.data)
    if (event.name === 'reset') refetch()
    if (event.name !== 'friendship') return
    if (event.data.status !== 'pending') remove(event.data.user_id)
    refetch()
  }
}
