import type { FriendshipStatus } from '../../contract/states.ts'
import type { Clock } from '../platform/clock.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import type { Reads } from '../platform/postgres/reads.ts'
import { openPresence, type Presence } from './presence.service.ts'
import type { TextFilter } from './text-filter.rules.ts'

export interface FriendshipChange {
  friendship_id: string
  status: FriendshipStatus
  requester_id: string
  addressee_id: string
  now: Date
}

/** Handlers of friendship changes, called inside the transaction of the change. */
export interface SocialEvents {
  /** A request was made, accepted, rejected or withdrawn, or a friendship ended, also by a block. */
  friendship_changed(tx: Tx, change: FriendshipChange): Promise<void>
}

export interface SocialDeps {
  db: Database
  clock: Clock
  events: SocialEvents
  presence: Presence
  invalidations: Pick<InvalidationBus, 'publish'>
  reads: Reads
  /** Masks bad words in texts that people write. */
  filter: TextFilter
}

/** Opens the social domain; `presence.drain()` it before the database is closed. */
export const openSocial = (parts: Omit<SocialDeps, 'presence'>): SocialDeps => ({
  ...parts,
  presence: openPresence(parts),
})
