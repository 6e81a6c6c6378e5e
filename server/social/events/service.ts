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

/** Writes what changes among friends as events, in the transaction that changes it. */
export const social_events: SocialEvents = {
  friendship_changed: async (tx, { friendship_id, status, requester_id, addressee_id, now }) => {
    const payload = { friendship_id, status, requester_id } satisfies FriendshipPayload
    const between = (user_id: string, actor_id: string) => ({ kind: 'friendship' as const, user_id, actor_id, payload })
    await insertEvents(tx, [between(requester_id, addressee_id), between(addressee_id, requester_id)], now)
  },
}

/** Deletes events that are too old to resume from, a bounded number at a time. */
export async function purgeOldEvents({ db, clock }: EventsDeps, { rows_max }: { rows_max: number }) {
  await purgeForeignEvents(db)
  const before = secondsAfter(clock(), -decisions['D-80'].value.kept_seconds)
  await inBatches(rows_max, () => purgeEvents(db, { before, rows_max }))
}
