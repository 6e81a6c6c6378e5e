import type { BackupPolicy } from '../platform/postgres/backup/policy.ts'

/** How backups treat Plaza's tables. */
export const backup_policy: BackupPolicy = {
  append_only: {
    transfers: { time: 'inserted_at' },
    // A repeated award rewrites the row of its key.
    idempotency_keys: { time: 'inserted_at', but: "operation = 'award'" },
    ad_events: { time: 'inserted_at' },
    // The text of a removed message is overwritten later, but never during a backup (`backup_lock`).
    messages: { time: 'sent_at' },
    message_keys: { time: 'inserted_at' },
    audit_log: { time: 'inserted_at' },
  },
  left_out: [
    // Their order depends on the server's transaction ids, which start again on another server. Readers use them only as positions.
    'events',
    'events_cleared',
    // Output of containers is large, and useful for a few days only. Workers read the output that is still on the hosts again.
    'deploy_output',
    'deploy_output_sources',
    'deploy_output_collectors',
    // Running processes and past backups of this installation.
    'job_runners',
    'backup_runs',
  ],
  in_use: ['users', 'transfers', 'oauth_apps', 'audit_log'],
  after_load: {
    // Readers of the event stream that resume with an earlier cursor learn that they have missed events.
    events_cleared: 'update events_cleared set xid = pg_current_xact_id(), seq = 0',
  },
}
