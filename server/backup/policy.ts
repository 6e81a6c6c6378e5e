import type { BackupPolicy } from '../platform/postgres/backup/policy.ts'

/** What a backup must know about Plaza's tables. */
export const backup_policy: BackupPolicy = {
  append_only: {
    transfers: { time: 'inserted_at' },
    // A repeated award writes the row of its key again.
    idempotency_keys: { time: 'inserted_at', but: "operation = 'award'" },
    ad_events: { time: 'inserted_at' },
    // What was typed in a removed message is overwritten later, never while a backup is taken (`backup_lock`).
    messages: { time: 'sent_at' },
    message_keys: { time: 'inserted_at' },
    audit_log: { time: 'inserted_at' },
  },
  left_out: [
    // Their order is that of the server's transactions, which begin anew on another one. They only tell readers where to look.
    'events',
    'events_cleared',
    // What containers wrote: much, and of use for some days only. Workers read again what the container hosts still have.
    'deploy_output',
    'deploy_output_sources',
    'deploy_output_collectors',
    // Processes that run, and backups that were taken, of this installation.
    'job_runners',
    'backup_runs',
  ],
  in_use: ['users', 'transfers', 'oauth_apps', 'audit_log'],
  after_load: {
    // Readers of the event stream who come back with a cursor of before are told that they have missed something.
    events_cleared: 'update events_cleared set xid = pg_current_xact_id(), seq = 0',
  },
}
