import {
  channel_changes,
  direct_changes,
  listDirectMessages,
  sendDirectMessage,
} from '../../../contract/conversations.ts'
import type { ReactionName } from '../../../contract/kinds/reactions.ts'
import { listMessages, sendMessage } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { queryKeyOf } from '../../api/hooks.ts'

/** The lobby or a table, or the conversation with a person. */
export type Place = { channel_id: string } | { user_id: string }

export const placeKey = (place: Place) => ('user_id' in place ? `direct ${place.user_id}` : place.channel_id)

/** The key of the cached messages of a place. */
export const messagesKey = (place: Place) => queryKeyOf('user_id' in place ? listDirectMessages : listMessages, place)

export const readPage = (place: Place, query: { limit: number; before?: string }) =>
  'user_id' in place
    ? callApi(listDirectMessages, { params: place, query })
    : callApi(listMessages, { params: place, query })

export function postMessage(place: Place, body: string, key: string) {
  const sent = { body: { body }, headers: { 'idempotency-key': key } }
  return 'user_id' in place
    ? callApi(sendDirectMessage, { params: place, ...sent })
    : callApi(sendMessage, { params: place, ...sent })
}

/** The calls for messages of a place. They differ in the name of a parameter, which the type system cannot express. */
const callsOf = (place: Place) => ({
  calls: ('user_id' in place ? direct_changes : channel_changes) as typeof channel_changes,
  params: place as { channel_id: string },
})

export function editMessage(place: Place, id: string, body: string) {
  const { calls, params } = callsOf(place)
  return callApi(calls.edit, { params: { ...params, id }, body: { body } })
}

export function deleteMessage(place: Place, id: string) {
  const { calls, params } = callsOf(place)
  return callApi(calls.remove, { params: { ...params, id } })
}

export function setReaction(place: Place, id: string, name: ReactionName, is_on: boolean) {
  const { calls, params } = callsOf(place)
  const input = { params: { ...params, id, name } }
  return is_on ? callApi(calls.react, input) : callApi(calls.unreact, input)
}

export function postRead(place: Place, message_id: string) {
  const { calls, params } = callsOf(place)
  return callApi(calls.read, { params, body: { message_id } })
}
