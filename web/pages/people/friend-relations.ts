import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listFriends, listPendingFriends, removeFriend, requestFriend } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { people_lists } from '../../api/live-queries.ts'
import type { Look } from '../../ui/person.tsx'
import { notify } from '../../ui/notify.tsx'
import { useEvents, useMayReadLists } from './use-events.ts'
import { t } from '../../texts.ts'

export interface Person extends Look {
  id: string
}

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

/** The relation of a user to the signed-in one, as far as known. */
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

/** Sends a friend request. If the other person has also sent one, the API accepts it. */
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
 * Ends a friendship; false if the other person has already ended it. The list of friends has no friendship ids, but a
 * repeated request to a friend returns the friendship and changes nothing. Checks the list first, because a request to
 * a former friend would be a new one.
 */
export async function endFriendship({ id }: Person) {
  const friends = await callApi(listFriends, {})
  if (!friends.some((friend) => friend.id === id)) return false
  const { friendship_id, status } = await callApi(requestFriend, { body: { friend_id: id } })
  await callApi(removeFriend, { params: { id: friendship_id } })
  return status === 'accepted'
}

/**
 * Follows the event stream: removes an answered request from those that this tab has sent. `is_ready`: as for
 * `useEvents`.
 */
export function useFriendEvents(is_ready = true) {
  const { remove } = useSentRequests()
  useEvents(is_ready ? [] : undefined, (event) => {
    if (event.name === 'friendship' && event.data.status !== 'pending') remove(event.data.user_id)
  })
}
