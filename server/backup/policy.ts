import type { BackupPolicy } from '../platform/postgres/backup/policy.ts'

/** The rules of backups for Plaza's tables. */
export const backup_policy: BackupPolicy = {
  append_only: {
    transfers: { time: 'inserted_at' },
    // A repeated award writes the row of its key again.
    idempotency_keys: { time: 'inserted_at', but: "operation = 'award'" },
    ad_events: { time: 'inserted_at' },
    // The text of a removed message is overwritten later, never while a backup is taken (`backup_lock`).
    messages: { time: 'sent_at' },
    message_keys: { time: 'inserted_at' },
    audit_log: { time: 'inserted_at' },
  },
  left_out: [
    // Their order is that of the server's transactions, which start again on another server. Readers use them only as positions.
    'events',
    'events_cleared',
    // The output of containers is large, and useful for some days only. Workers read again the output that the hosts still have.
    'deploy_output',
    'deploy_output_sources',
    'deploy_output_collectors',
    // Processes that run, and backups that were taken, of this installation.
    'job_runners',
    'backup_runs',
  ],
  in_use: ['users', 'transfers', 'oauth_apps', 'audit_log'],
  after_load: {
    // Readers of the event stream that resume with an earlier cursor learn that they have missed events.
    events_cleared: 'update events_cleared set xid = pg_current_xact_id(), seq = 0',
  },
}
