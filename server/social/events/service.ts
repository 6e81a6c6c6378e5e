import { decisions } from '../../../contract/decisions.ts'
import { secondsAfter, type Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { inBatches } from '../../platform/in-batches.ts'
import { purgeEvents, purgeForeignEvents, insertEvents } from './store.ts'
import type { SocialEvents } from '../service.ts'
import type { FriendshipPayload } from './fan-out.ts'

export { events_channel } from './store.ts'

export interface EventsDeps {
  db: Database
  clock: Clock
}

/** Records each change of a friendship as an event for both users, in the transaction of the change. */
export const social_events: SocialEvents = {
  friendship_changed: async (tx, { friendship_id, status, requester_id, addressee_id, now }) => {
    const payload = { friendship_id, status, requester_id } satisfies FriendshipPayload
    const between = (user_id: string, actor_id: string) => ({ kind: 'friendship' as const, user_id, actor_id, payload })
    await insertEvents(tx, [between(requester_id, addressee_id), between(addressee_id, requester_id)], now)
  },
}

/** Deletes events that are too old to resume from, `rows_max` at a time. */
export async function purgeOldEvents({ db, clock }: EventsDeps, { rows_max }: { rows_max: number }) {
  await purgeForeignEvents(db)
  const before = secondsAfter(clock(), -decisions.event_streams.kept_seconds)
  await inBatches(rows_max, () => purgeEvents(db, { before, rows_max }))
}
