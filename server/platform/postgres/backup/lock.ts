/**
 * An advisory lock that running backups share. A transaction that changes rows of a table that backups treat as
 * append-only holds it exclusively.
 */
export const backup_lock = 7_205_461_343
