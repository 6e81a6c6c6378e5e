import type { Tx } from './postgres/database.ts'

/** Whose data is erased: somebody who left, and the apps that were theirs. */
export interface Leaver {
  user_id: string
  app_ids: string[]
}

/** Erases up to `rows_max` rows of somebody who left, in the caller's transaction; returns how many there were. Safe to repeat. */
export type EraseRound = (tx: Tx, leaver: Leaver, rows_max: number) => Promise<number>
