import { longSection, shortSection } from '../platform/export-section.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
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

export const social_sections = [
  longSection('friendships', listFriendshipsOf, ({ id }) => id),
  longSection('blocked', listBlocksOf, ({ seq }) => seq, ['seq']),
  shortSection('presence', findPresenceOf),
  longSection('messages', listMessagesOf, ({ id }) => id),
  longSection('reactions', listReactionsOf, (row) => row),
  longSection('read_positions', listReadsOf, ({ channel_id }) => channel_id),
  longSection('reports', listReportsBy, ({ id }) => id),
  longSection('moderation_cases', listCasesAbout, ({ id }) => id),
]
