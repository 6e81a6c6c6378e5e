import pg from 'pg'
import { inspectKeys, type Secrets } from '../../keys.ts'
import { clocks_apart } from '../../platform/clock.ts'
import { countFailedJobs } from '../../platform/failed-jobs.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { planSchema } from '../../platform/postgres/schema-plan.ts'
import { joinWithAnd, pluralize } from '../../platform/text.ts'
import { verifyLedger } from '../../points/ledger-check.service.ts'
import { schema_sources } from '../../processes/database.ts'
import { failed, ok, todo, type Check, type Found } from './finding.ts'

export interface DatabaseParts {
  db: Database
  is_embedded: boolean
  /** Undefined if they cannot be read; then a finding of the settings has the reason. */
  secrets: Secrets | undefined
  replica: { url: string; lag_max_seconds: number } | undefined
}

/** Every check that queries the database. */
export const databaseChecks = (parts: DatabaseParts): Check[] => [
  check('database mode', 10, 'Check PostgreSQL’s log, and DATABASE_URL.', () => mode(parts)),
  check('database writes', 10, 'Free space on its disk, end its recovery, or set DATABASE_URL to the primary.', () =>
    writes(parts),
  ),
  check('migrations', 10, 'Start this version of the service once.', () => migrations(parts)),
  check('connections', 10, 'Raise max_connections, or run fewer processes.', () => connections(parts)),
  check('replica', 10, 'Check DATABASE_REPLICA_URL and the log of the replica.', () => replicaLag(parts)),
  check('clock', 10, 'Set the clocks by NTP.', () => clock(parts)),
  check('keys', 20, 'docs/keys.md says how keys are changed.', () => keys(parts)),
  check('jobs', 10, 'Check the log of the processes with the role api.', () => jobs(parts)),
  check('admin accounts', 10, 'docs/operating/security.md says why.', () => admins(parts)),
  check('backups', 10, 'Take one: npm run admin -- backup FILE.', () => backups(parts)),
  check('ledger', 120, 'Call GET /api/admin/ledger/check, which has a longer timeout.', () => ledger(parts)),
]

const check = (name: string, seconds: number, advice: string, run: Check['run']): Check => ({
  name,
  seconds,
  advice,
  run,
})

async function mode({ db, is_embedded }: DatabaseParts): Promise<Found[]> {
  const [row] = await db.adHoc.sql<{
    version: string
    number: number
    is_standby: boolean
    is_local: boolean
    ssl: boolean
  }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
           pg_is_in_recovery() as is_standby,
           coalesce(inet_client_addr() is null or inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() = '::1', true) as is_local,
           coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as ssl`
  const { version, number, is_standby, is_local, ssl } = row!
  const text = `PostgreSQL ${version}, ${is_embedded ? 'embedded' : 'DATABASE_URL'}, ${is_standby ? 'standby' : 'primary'}`
  if (number < 150_000) return [failed(text, 'Upgrade PostgreSQL to 15 or newer.')]
  if (is_standby) return [failed(text, 'Promote it, or set DATABASE_URL to the primary.')]
  if (!is_local && !ssl)
    return [
      todo(
        `${text}, without TLS`,
        'Add sslmode=verify-full to DATABASE_URL: passwords and data cross the network in clear.',
      ),
    ]
  return [ok(text)]
}

/** Writes to the database's log for real, and leaves nothing in it. */
async function writes({ db }: DatabaseParts) {
  await db.adHoc.sql`select pg_logical_emit_message(true, 'plaza doctor', '')`
  return ok('a commit was written')
}

async function migrations({ db }: DatabaseParts): Promise<Found> {
  const { pending, partly, unknown, changed } = await planSchema(db.adHoc, schema_sources)
  if (partly !== undefined) return failed(partly, 'Start version 0.2 on this database, then this version.')
  if (changed.length > 0)
    return failed(
      `${joinWithAnd(changed)} changed after it was applied`,
      'Use a release of Plaza: this program was modified.',
    )
  if (pending.length > 0)
    return todo(
      `${pluralize(pending.length, 'migration')} not applied`,
      'Run npm run admin -- upgrade-check, then start this version.',
    )
  if (unknown.length > 0)
    return todo(
      `the database is ahead by ${pluralize(unknown.length, 'migration')}`,
      'Run this command from the running version.',
    )
  return ok('all applied')
}

async function connections({ db }: DatabaseParts): Promise<Found> {
  const [row] = await db.adHoc.sql<{ used: number; most: number }>`
    select (select count(*) from pg_stat_activity where backend_type = 'client backend')::integer as used,
           current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as most`
  const { used, most } = row!
  const text = `${used} of ${most} used`
  return most - used < 20 ? todo(text, 'Raise max_connections: a process that starts needs about 15.') : ok(text)
}

async function replicaLag({ replica }: DatabaseParts): Promise<Found[]> {
  if (!replica) return []
  const client = new pg.Client({ connectionString: replica.url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ is_standby: boolean; lag: number | null }>(
      `select pg_is_in_recovery() as is_standby,
              case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
                   else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) end::float8 as lag`,
    )
    const { is_standby, lag } = rows[0]!
    if (!is_standby) return [todo('a primary, not a standby', 'Set DATABASE_REPLICA_URL to a standby of the database.')]
    const text = `${(lag ?? 0).toFixed(1)} s behind`
    return [
      (lag ?? 0) > replica.lag_max_seconds
        ? todo(text, 'It is not used while it lags this far behind: check its load and its network.')
        : ok(text),
    ]
  } finally {
    await client.end().catch(() => {})
  }
}

const clock_seconds_max = 2

async function clock({ db }: DatabaseParts): Promise<Found> {
  const before = Date.now()
  const [row] = await db.adHoc.sql<{ at: Date }>`select clock_timestamp() as at`
  const after = Date.now()
  const seconds = Math.max(0, before - row!.at.getTime(), row!.at.getTime() - after) / 1_000
  const text = `${seconds.toFixed(1)} s from the database's`
  return seconds > clock_seconds_max
    ? failed(text, 'Synchronise the clocks of both machines with NTP: tokens and codes expire by this one.')
    : ok(text)
}

async function keys({ db, secrets }: DatabaseParts): Promise<Found> {
  if (!secrets) return failed('SECRET_KEYS is not set here', 'Set SECRET_KEYS to the value of the service.')
  const { had, needed, unnamed } = await inspectKeys(db, secrets)
  const missing = needed.filter(({ fingerprint }) => !had.includes(fingerprint))
  const text = `has ${had.join(', ')}; needed: ${needed.map(({ fingerprint }) => fingerprint).join(', ') || 'none'}`
  if (missing.length > 0)
    return failed(
      `${text}; missing: ${missing.map(({ fingerprint, needed_by }) => `${fingerprint} for ${joinWithAnd(needed_by)}`).join('; ')}`,
      'Add the missing key to SECRET_KEYS again, after the first (docs/keys.md).',
    )
  const old = needed.filter(({ fingerprint }) => fingerprint !== had[0])
  if (had.length > 1 && old.length === 0 && unnamed === 0)
    return todo(text, 'All values use the first key: the others can be removed once JWT_TTL has passed.')
  return had.length > 1 ? todo(text, 'Run npm run admin -- reseal, so that the old keys can be removed.') : ok(text)
}

async function jobs({ db }: DatabaseParts): Promise<Found[]> {
  const failed_jobs = await countFailedJobs(db.adHoc)
  const [row] = await db.adHoc.sql<{ waiting: number; oldest: number }>`
    select count(*)::integer as waiting, coalesce(max(extract(epoch from now() - run_at)), 0)::integer as oldest
      from graphile_worker._private_jobs where run_at <= now() and attempts < max_attempts and locked_at is null`
  const { waiting, oldest } = row!
  const text = `${waiting} due, the oldest since ${oldest} s; ${failed_jobs} failed`
  if (oldest > 300) return [failed(text, 'Start a process with the role api: no process runs the jobs.')]
  return [
    failed_jobs > 0
      ? todo(text, 'Check npm run admin -- jobs, fix the cause, then run jobs retry --failed.')
      : ok(text),
  ]
}

async function admins({ db }: DatabaseParts): Promise<Found> {
  const [row] = await db.adHoc.sql<{ admins: number; unguarded: number }>`
    select count(*)::integer as admins, count(*) filter (where totp_secret is null)::integer as unguarded
      from users where is_admin and suspended_at is null`
  const { admins: all, unguarded } = row!
  if (all === 0) return failed('none', 'Create one: npm run admin -- grant ADDRESS.')
  const text = `${all}, ${unguarded} without a second factor`
  return unguarded > 0 ? todo(text, 'Every admin should enable two-factor authentication.') : ok(text)
}

async function backups({ db }: DatabaseParts): Promise<Found> {
  const advice = 'Set BACKUP_DIR, or back up the database with other tools (docs/operating/backup.md).'
  const [table] = await db.adHoc.sql<{ found: boolean }>`select to_regclass('backup_runs') is not null as found`
  if (!table!.found) return todo('none known', advice)
  const [row] = await db.adHoc.sql<{ hours: number | null; failed: boolean | null; error: string | null }>`
    select (select extract(epoch from now() - max(ended_at)) / 3600 from backup_runs
             where error is null and ended_at <= now() + ${clocks_apart}::interval)::float8 as hours,
           last.error is not null as failed, last.error
      from (values (1)) one left join lateral (
        select error from backup_runs where ended_at <= now() + ${clocks_apart}::interval order by started_at desc limit 1) last on true`
  const { hours, failed: last_failed, error } = row!
  const age = hours === null ? 'no good one yet' : `the last good one is ${hours.toFixed(1)} h old`
  if (last_failed)
    return failed(`${age}; the last one failed: ${error}`, 'Fix the cause, and take one: npm run admin -- backup FILE.')
  if (hours === null) return todo(age, advice)
  return hours > 48 ? failed(age, 'Check the log of the processes with the role api: backups do not run.') : ok(age)
}

async function ledger({ db }: DatabaseParts): Promise<Found> {
  const { balanced, faults } = await verifyLedger({ db })
  return balanced
    ? ok('balanced')
    : failed(
        `not balanced: ${pluralize(faults.length, 'faulty account')}`,
        'Stop spends, do not change the database, and check GET /api/admin/ledger/check.',
      )
}
