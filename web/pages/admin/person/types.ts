import { adminListSessions, adminGetUser } from '../../../../contract/admin-users.ts'
import { adminListUsers } from '../../../../contract/admin.ts'
import { listAudit } from '../../../../contract/admin-audit.ts'
import type { AnswerOf } from '../../../api/call.ts'

export type Person = AnswerOf<typeof adminGetUser>

/** The reads to repeat after a person was changed. */
export const person_reads = [adminGetUser, adminListSessions, adminListUsers, listAudit]
