import { expect, test } from 'vitest'
import { sharedService } from '../test/harness.ts'

const plaza = await sharedService()

/** Deleted or emptied when a person leaves (D-106): at once, or in rounds. */
const erased = [
  'account_changes',
  'account_undos',
  'app_event_outbox',
  'app_event_readers',
  'app_events',
  'app_secrets',
  'audit_log',
  'authorization_codes',
  'blocks',
  'chat_mutes',
  'connections',
  'consents',
  'deploy_instances',
  'deploy_logs',
  'deploy_output',
  'deploy_output_sources',
  'deploy_releases',
  'deploy_watch',
  'deployments',
  'email_changes',
  'events',
  'friendships',
  'holds',
  'idempotency_keys',
  'learners',
  'login_addresses',
  'login_sessions',
  'mailed_codes',
  'message_keys',
  'messages',
  'moderation_cases',
  'notice_settings',
  'notices',
  'oauth_apps',
  'passkey_challenges',
  'passkey_second_factors',
  'passkeys',
  'point_accounts',
  'point_changes',
  'point_watches',
  'presence',
  'rate_limits',
  'recovery_codes',
  'reports',
  'reserved_usernames',
  'reset_codes',
  'sandbox_mails',
  'scope_requests',
  'second_factor_proofs',
  'spending_limits',
  'step_completions',
  'test_persons',
  'transfers',
  'users',
  'waiting_rewards',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_request_keys',
  'webhook_secrets',
  'webhooks',
]

/** Contain only ids, times, numbers and useless hashes: no text of a person. */
const ids_only = [
  'access_tokens',
  'ad_events',
  'announced_presence',
  'app_activity',
  'app_days',
  'app_sessions',
  'app_users',
  'departures',
  'deploy_charges',
  'deploy_request_hours',
  'deploy_requests',
  'deploy_sample_hours',
  'deploy_samples',
  'grants',
  'openid_codes',
  'openid_grants',
  'refresh_tokens',
  'removed_messages',
  'session_tokens',
]

/** Data of the installation, not of people. Channels are named by their creator and belong to all. */
const not_of_people = [
  'app_activity_progress',
  'app_days_progress',
  'backup_runs',
  'campaigns',
  'channels',
  'container_hosts',
  'deploy_output_collectors',
  'deploy_tier_replicas',
  'deploy_tiers',
  'derived_keys',
  'events_cleared',
  'host_isolation',
  'host_notes',
  'host_probes',
  'installation',
  'job_runners',
  'ledger_check',
  'notice_progress',
  'pulled_images',
  'registration_counter',
  'registry_roots',
  'sandbox_mark',
  'schema_functions',
  'schema_migrations',
  'signing_keys',
]

test('D-106: every table is listed with what happens to it when a person leaves', async () => {
  const rows = await plaza.db.sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by name`
  const known = [...erased, ...ids_only, ...not_of_people]
  // For a new table: erase its data about people (server/leaving), make marked-person.ts write into it, and list it above.
  expect(rows.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
  expect(known.filter((name) => !rows.some((row) => row.name === name))).toEqual([])
})
