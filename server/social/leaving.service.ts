import { longSection, shortSection, type ExportSection } from '../platform/export-section.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import {
  closeCases,
  countFriends,
  eraseBlocks,
  eraseEdits,
  eraseFriendships,
  eraseMessageKeys,
  eraseReactions,
  eraseReads,
  eraseReports,
  listCasesAbout,
  listReportsBy,
  eraseMessages,
  erasePresence,
  findPresenceOf,
  listBlocksOf,
  listFriendshipsOf,
  listMessagesOf,
  listReactionsOf,
  listReadsOf,
} from './leaving.store.ts'
import { enqueueLeave } from './presence.service.ts'

export const friendsOf = (db: Sql, user_id: string) => countFriends(db, user_id)

/** Removes presence written by a late call. */
export const leaveLate = (tx: Tx, user_id: string) => enqueueLeave(tx, user_id)

export const social_erasure = [
  eraseMessages,
  eraseEdits,
  eraseReactions,
  eraseReads,
  eraseMessageKeys,
  eraseFriendships,
  eraseBlocks,
  erasePresence,
  closeCases,
  eraseReports,
]

export const socialSections = (db: Database, user_id: string, { rows_max }: { rows_max: number }): ExportSection[] => [
  longSection(
    'friendships',
    rows_max,
    (after_id: string | null) => listFriendshipsOf(db.lengthy, { user_id, after_id, rows_max }),
    ({ id }) => id,
  ),
  longSection(
    'blocked',
    rows_max,
    (before_seq: number | null) => listBlocksOf(db.lengthy, { user_id, before_seq, rows_max }),
    ({ seq }) => seq,
    ['seq'],
  ),
  shortSection('presence', () => findPresenceOf(db, user_id)),
  longSection(
    'messages',
    rows_max,
    (after_id: string | null) => listMessagesOf(db.lengthy, { user_id, after_id, rows_max }),
    ({ id }) => id,
  ),
  longSection(
    'reactions',
    rows_max,
    (after: { message_id: string; name: string } | null) => listReactionsOf(db.lengthy, { user_id, after, rows_max }),
    (row) => row,
  ),
  longSection(
    'read_positions',
    rows_max,
    (after_id: string | null) => listReadsOf(db.lengthy, { user_id, after_id, rows_max }),
    ({ channel_id }) => channel_id,
  ),
  longSection(
    'reports',
    rows_max,
    (after_id: string | null) => listReportsBy(db.lengthy, { user_id, after_id, rows_max }),
    ({ id }) => id,
  ),
  longSection(
    'moderation_cases',
    rows_max,
    (after_id: string | null) => listCasesAbout(db.lengthy, { user_id, after_id, rows_max }),
    ({ id }) => id,
  ),
]
