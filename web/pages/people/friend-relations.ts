import { useQuery, useQueryClient } from '@tanstack/react-query'
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
import type { PlazaEvent } from './event-stream.ts'
import { usePresenceUpdate } from './use-presence.ts'

export interface Person {
  id: string
  username: string
}

/** Whatever a change among people may have changed. */
export const people_lists = [listFriends, listPendingFriends, listPresence, listBlocks]

/** Requests that were sent from this page: the API lists those of others only. */
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
    asked: sent_requests,
    add: (one: SentRequest) =>
      client.setQueryData<SentRequest[]>(sent_requests_key, (all = []) => [
        one,
        ...all.filter(({ id }) => id !== one.id),
      ]),
    remove: (user_id: string) =>
      client.setQueryData<SentRequest[]>(sent_requests_key, (all = []) => all.filter(({ id }) => id !== user_id)),
  }
}

/** How somebody stands to the person who looks, as far as the API tells. */
export type FriendRelation =
  | { kind: 'none' }
  | { kind: 'friend' }
  | { kind: 'asks'; friendship_id: string }
  | { kind: 'asked'; friendship_id: string }

export function useFriendRelations() {
  const friends = useApiQuery(listFriends, {})
  const pending = useApiQuery(listPendingFriends, {})
  const { asked } = useSentRequests()
  return (user_id: string): FriendRelation => {
    if (friends.data?.some(({ id }) => id === user_id)) return { kind: 'friend' }
    const theirs = pending.data?.find(({ id }) => id === user_id)
    if (theirs) return { kind: 'asks', friendship_id: theirs.friendship_id }
    const mine = asked.find(({ id }) => id === user_id)
    return mine ? { kind: 'asked', friendship_id: mine.friendship_id } : { kind: 'none' }
  }
}

/** Asks somebody to be a friend; says when that accepted a request that crossed it. */
export function useRequestFriend(person: Person) {
  const { add, remove } = useSentRequests()
  return useApiMutation(requestFriend, {
    invalidates: people_lists,
    onDone: ({ friendship_id, status }) => {
      if (status === 'pending') {
        add({ ...person, friendship_id })
        return notify(`${person.username} is asked.`)
      }
      remove(person.id)
      return notify(`${person.username} and you are friends.`)
    },
  })
}

/**
 * Ends a friendship; answers false when the other has done so already. The list of friends does not tell its id; asking
 * a friend again does, and changes nothing. Whoever is no friend any more is not asked: that would be a new request.
 */
export async function endFriendship({ id }: Person) {
  const friends = await callApi(listFriends, {})
  if (!friends.some((friend) => friend.id === id)) return false
  const { friendship_id, status } = await callApi(requestFriend, { body: { friend_id: id } })
  await callApi(removeFriend, { params: { id: friendship_id } })
  return status === 'accepted'
}

/** Takes what the stream tells of friends into the lists. */
export function useFriendEvents() {
  const client = useQueryClient()
  const updatePresence = usePresenceUpdate()
  const { remove } = useSentRequests()
  const refetch = () => {
    for (const list of people_lists) void client.invalidateQueries({ queryKey: queryKeyOf(list) })
  }
  return (event: PlazaEvent) => {
    if (event.name === 'presence') updatePresence(event.data)
    if (event.name === 'reset') refetch()
    if (event.name !== 'friendship') return
    if (event.data.status !== 'pending') remove(event.data.user_id)
    refetch()
  }
}
