import { longSection } from '../platform/export-section.ts'
import { newId } from '../platform/ids.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { insertAudit } from './store.ts'
import { eraseAuditTexts, eraseReviewTexts, listAuditAbout } from './leaving.store.ts'

export const admin_erasure = [eraseAuditTexts, eraseReviewTexts]

/** Audit entries about the person or by the person as an admin, without the names of other actors. */
export const admin_sections = [longSection('audit_log', listAuditAbout, ({ id }) => id)]

/** Records that a person left, by the id alone. */
export const auditLeaving = (tx: Tx, user_id: string, now: Date) =>
  insertAudit(tx, { id: newId(), actor_id: user_id, action: 'user.leave', target_id: user_id, details: {}, now })
