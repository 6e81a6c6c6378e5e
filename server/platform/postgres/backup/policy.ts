import type { AppendOnly } from './append-only.ts'

/** How backups treat the tables. */
export interface BackupPolicy {
  /** Tables that only grow, by name. They are read in parts, after the snapshot. */
  append_only: Readonly<Record<string, AppendOnly>>
  /** Tables whose rows concern this server or its processes. They are not copied. */
  left_out: readonly string[]
  /** A database with a row in one of these tables is in use: a restore into it is refused. */
  in_use: readonly string[]
  /** Statements to run in a restored database, by the table that they need. */
  after_load: Readonly<Record<string, string>>
}
