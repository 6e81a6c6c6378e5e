import pg from 'pg'
import { decisions } from '../../contract/decisions.ts'
import { default_timing } from '../hosting/control/timing.rules.ts'
import type { Job } from '../jobs/runner.ts'
import { clocks_apart_seconds, secondsAfter, type Clock } from '../platform/clock.ts'
import { forEachItem } from '../platform/each.ts'
import type { Database } from '../platform/postgres/database.ts'

const day_seconds = 86_400
const code_seconds = decisions.mailed_codes.lifetime_seconds
const [retry_seconds_max = 0] = [...decisions.webhooks.retry_seconds].sort((a, b) => b - a)
const { lease_seconds, isolation_seconds } = default_timing
/** Longer than any delay of the control loop. */
const control_seconds = 3_600

/**
 * The stored times that something waits for, or whose age matters, with the maximum that they can be in the future. All other such times
 * are compared where they are read (`isTooFarAhead`).
 */
export const bounded_times: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  account_undos: { expires_at: decisions.account_changes.undo_days * day_seconds },
  container_hosts: { seen_at: 0, asked_at: 0 },
  deploy_instances: { next_attempt_at: control_seconds, starting_since: 0, switched_at: 0 },
  deploy_output_collectors: { lease_until: lease_seconds },
  deploy_output_sources: { seen_at: 0 },
  deploy_watch: { unwell_since: 0, down_since: 0 },
  deployments: {
    next_attempt_at: control_seconds,
    lease_until: lease_seconds,
    retry_at: control_seconds,
    domain_checked_at: 0,
  },
  email_changes: { expires_at: code_seconds },
  holds: { expires_at: decisions.holds.expires_in_max },
  host_probes: { due_at: isolation_seconds },
  ledger_check: { checked_at: 0 },
  login_sessions: { proved_until: decisions.proofs.proved_seconds },
  mailed_codes: { expires_at: code_seconds },
  notice_settings: { mail_due_at: decisions.notices.mail_every_seconds },
  passkey_challenges: { expires_at: decisions.passkeys.challenge_seconds },
  presence: { last_seen: 0 },
  point_requests: { expires_at: decisions.sending.request_days * day_seconds },
  pulled_images: { last_used_at: 0 },
  reviews: { expires_at: decisions.reviews.days * day_seconds },
  reserved_usernames: { reserved_until: decisions.account_changes.name_reserved_days * day_seconds },
  reset_codes: { expires_at: code_seconds },
  second_factor_proofs: { expires_at: decisions.admin_support.lifetime_seconds },
  signing_keys: { signs_from: decisions.openid.announced_seconds },
  webhook_deliveries: { next_attempt_at: retry_seconds_max * 1.1 },
  webhook_secrets: { expires_at: decisions.webhooks.rotation_hours * 3_600 },
  webhooks: {
    due_at: retry_seconds_max * 1.1,
    lease_until: lease_seconds,
    failing_since: 0,
    last_failed_at: 0,
    anew_since: 0,
  },
}

/** The rows of growing tables that still wait for such a time, matching their indexes. */
const waiting_rows: Readonly<Record<string, string>> = {
  deployments: "status <> 'destroyed'",
  holds: "status = 'open'",
  webhook_deliveries: "status = 'pending'",
}

/** The statement that sets the times of a column that are after $2 to $1. */
export function bringBackStatement(table: string, column: string) {
  const name = pg.escapeIdentifier(column)
  const rows = waiting_rows[table] ?? 'true'
  return `update ${pg.escapeIdentifier(table)} set ${name} = $1 where ${rows} and ${name} > $2 and ${name} < 'infinity'`
}

/**
 * Corrects times that are further in the future than they can be: they were written while a clock was ahead, and nothing would be due
 * before them. The later of the service's and the database's clock counts as now. Returns the number of changed rows. A table that fails
 * does not stop the others; its error is thrown at the end.
 */
export async function bringBackFutureTimes({ db, clock }: { db: Database; clock: Clock }) {
  const { rows: times } = await db.pool.query<{ now: Date }>('select greatest(now(), $1::timestamptz) as now', [
    clock(),
  ])
  const now = times[0]!.now
  let changed = 0
  const columns = Object.entries(bounded_times).flatMap(([table, times]) =>
    Object.entries(times).map(([column, seconds]) => ({ table, column, seconds })),
  )
  const [error] = await forEachItem(columns, async ({ table, column, seconds }) => {
    const limits = [secondsAfter(now, seconds), secondsAfter(now, seconds + clocks_apart_seconds)]
    changed += (await db.pool.query(bringBackStatement(table, column), limits)).rowCount ?? 0
  })
  if (error !== undefined) throw error as Error
  return changed
}

export const futureTimesJob = (deps: { db: Database; clock: Clock }): Job => ({
  name: 'platform.bring_back_future_times',
  former_name: 'kit.bring_back_future_times',
  cron: '*/10 * * * *',
  run: async () => void (await bringBackFutureTimes(deps)),
})
