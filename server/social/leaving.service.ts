import type { Tx } from '../platform/postgres/database.ts'
import { enqueueLeave } from './presence.service.ts'

export { countFriends as friendsOf, social_erasure, social_sections } from './leaving.store.ts'

/** Removes presence written by a late call. */
export const leaveLate = (tx: Tx, user_id: string) => enqueueLeave(tx, user_id)
