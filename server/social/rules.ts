import { decisions } from '../../contract/decisions.ts'
import { mayFriendship, type FriendshipStatus } from '../../contract/states.ts'
import { secondsAfter } from '../platform/clock.ts'

/** Two people, whoever is named first: what their friendship is kept and locked under. */
export interface Pair {
  low_id: string
  high_id: string
}

/** The pair of two ids in lower case, whose order as text is PostgreSQL's order of UUIDs. */
export const pairOf = (one: string, other: string): Pair =>
  one < other ? { low_id: one, high_id: other } : { low_id: other, high_id: one }

interface Standing {
  status: FriendshipStatus
  requester_id: string
}

/**
 * What a request does to how the two stand (D-70): `ask` makes it pending, `accept` answers the other's own request,
 * `keep` leaves it as it is because it was asked before.
 */
export function effectOfRequest(friendship: Standing | undefined, requester_id: string): 'ask' | 'accept' | 'keep' {
  if (!friendship || mayFriendship('ask_again', friendship.status)) return 'ask'
  const crossing = mayFriendship('answer', friendship.status) && friendship.requester_id !== requester_id
  return crossing ? 'accept' : 'keep'
}

/** Whoever was seen last after this moment is online (D-75). */
export const onlineSince = (now: Date) => secondsAfter(now, -decisions['D-75'].value.online_seconds)

export interface PresenceRecord {
  last_seen: Date
  current_game: string | null
  lobby: string | null
}

/** A record as it is shown: who is offline is in no game and no lobby any more. */
export function shownPresence({ last_seen, current_game, lobby }: PresenceRecord, now: Date) {
  if (last_seen > onlineSince(now)) return { status: 'online' as const, last_seen, current_game, lobby }
  return { status: 'offline' as const, last_seen, current_game: null, lobby: null }
}

/** Lists without pages end here: far above what a person has, so that no answer grows without bound. */
export const list_max = 10_000
