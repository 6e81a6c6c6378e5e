import type { AppendOnly } from './append-only.ts'

/** The rules of backups for the tables. */
export interface BackupPolicy {
  /** Tables that only grow, by name: they are read in parts, after the snapshot. */
  append_only: Readonly<Record<string, AppendOnly>>
  /** Tables whose rows are about this server or these processes, and are not copied. */
  left_out: readonly string[]
  /** A database in which one of these tables has a row is in use: nothing is restored into it. */
  in_use: readonly string[]
  /** Statements for a restored database, by the table that they need. */
  after_load: Readonly<Record<string, string>>
}
