/**
 * An advisory lock that a backup shares while it is taken. Whoever changes rows of a table that the backup takes for append-only holds it
 * alone meanwhile.
 */
export const backup_lock = 7_205_461_343
