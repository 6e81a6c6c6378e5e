import { newId } from '../platform/ids.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { insertAudit } from './store.ts'

export { admin_erasure, admin_sections } from './leaving.store.ts'

/** Records that a person left, by the id alone. */
export const auditLeaving = (tx: Tx, user_id: string, now: Date) =>
  insertAudit(tx, { id: newId(), actor_id: user_id, action: 'user.leave', target_id: user_id, details: {}, now })
