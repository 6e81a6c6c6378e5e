import { decisions } from '../../contract/decisions.ts'
import { mayFriendship, type FriendshipStatus } from '../../contract/states.ts'
import { secondsAfter } from '../platform/clock.ts'

/** Two users in a fixed order: the key of their friendship and of their lock. */
export interface Pair {
  low_id: string
  high_id: string
}

/** The pair of two ids in lower case: their order as text is PostgreSQL's order of UUIDs. */
export const pairOf = (one: string, other: string): Pair =>
  one < other ? { low_id: one, high_id: other } : { low_id: other, high_id: one }

interface FriendshipState {
  status: FriendshipStatus
  requester_id: string
}

/**
 * The effect of a request on a friendship (D-70): `request` makes it pending, `accept` accepts the other user's
 * request, `none` changes nothing, because it was already requested.
 */
export function effectOfRequest(
  friendship: FriendshipState | undefined,
  requester_id: string,
): 'request' | 'accept' | 'none' {
  if (!friendship || mayFriendship('ask_again', friendship.status)) return 'request'
  const crossing = mayFriendship('answer', friendship.status) && friendship.requester_id !== requester_id
  return crossing ? 'accept' : 'none'
}

/** Users last seen after this time are online (D-75). */
export const onlineSince = (now: Date) => secondsAfter(now, -decisions.presence.online_seconds)

export interface PresenceRecord {
  last_seen: Date
  current_game: string | null
  lobby: string | null
}

/** A record as the API shows it: an offline user is in no game or lobby. */
export function shownPresence({ last_seen, current_game, lobby }: PresenceRecord, now: Date) {
  if (last_seen > onlineSince(now)) return { status: 'online' as const, last_seen, current_game, lobby }
  return { status: 'offline' as const, last_seen, current_game: null, lobby: null }
}

/** The presence with game and lobby names as others read them. */
export const maskedPlace = <Place extends { current_game: string | null; lobby: string | null }>(
  place: Place,
  shown: (name: string) => string,
) => ({
  ...place,
  current_game: place.current_game && shown(place.current_game),
  lobby: place.lobby && shown(place.lobby),
})

/** Maximum length of lists without pages: far above real use, so that no response grows without bound. */
export const list_max = 10_000
