import { allValues, countRows, theValue, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { EventFields } from './rules.ts'

/** Whether events wait in the outbox. */
export const hasUnpublished = (db: Sql) =>
  theValue(db.sql<{ found: boolean }>`
    select exists (select from app_event_outbox order by at limit 1) as found`)

/** Publishes events of the outbox and makes their deliveries; returns their number, or -1 while another process does it. See functions.sql. */
export const publishEvents = (tx: Tx, now: Date, rows_max: number) =>
  theValue(tx.sql<{ published: number }>`select publish_app_events(${now}, ${rows_max}) as published`)

export interface ClaimedWebhook {
  id: string
  app_id: string
  /** The team or the person that owns the app. */
  holder_id: string
  /** Whether it receives events or logout tokens (D-155). */
  purpose: 'events' | 'logout'
  url: string
  failing: boolean
  /** The time of a change that makes all waiting retries due; null once they are due. */
  anew_since: Date | null
}

export interface Claim {
  owner: string
  now: Date
  lease_until: Date
  /** Selects the failing webhooks or the others. */
  failing: boolean
  /** Teams and persons whose webhooks wait. */
  except_of: string[]
  rows_max: number
}

/** Leases webhooks that are due, the longest waiting first, or whose lease has expired. */
export const claimWebhooks = (db: Sql, { owner, now, lease_until, failing, except_of, rows_max }: Claim) =>
  db.sql<ClaimedWebhook>`
    with due as (
      select w.id, coalesce(a.team_id, a.owner_id) as holder_id from webhooks w join oauth_apps a on a.id = w.app_id
       where coalesce(w.lease_until, w.due_at) <= ${now} and w.disabled_at is null and w.deleted_at is null
         and (w.failing_since is not null) = ${failing} and coalesce(a.team_id, a.owner_id) <> all(${except_of}::uuid[])
       order by coalesce(w.lease_until, w.due_at)
       limit ${rows_max}
         for no key update of w skip locked
    )
    update webhooks w set lease_owner = ${owner}, lease_until = ${lease_until}, due_at = null
      from due where w.id = due.id
    returning w.id, w.app_id, due.holder_id, w.purpose, w.url, w.failing_since is not null as failing, w.anew_since`

/** The sealed secrets of a webhook, the newest first. */
export const listSecretsOf = (db: Sql, webhook_id: string, now: Date) =>
  db.sql<{ id: string; sealed: Buffer }>`
    select id, sealed from webhook_secrets
     where webhook_id = ${webhook_id} and (expires_at is null or expires_at > ${now})
     order by expires_at desc nulls first`

export interface DueDelivery extends EventFields {
  id: string
  tries: number
}

/**
 * Makes up to `rows_max` deliveries that wait for a later attempt due now, with all their retries; returns the number.
 */
export const bringForward = (
  tx: Tx,
  { webhook_id, now, rows_max }: { webhook_id: string; now: Date; rows_max: number },
) =>
  countRows(tx.sql`
    with waiting as materialized (
      select id from webhook_deliveries
       where webhook_id = ${webhook_id} and status = 'pending' and next_attempt_at > ${now}
       order by next_attempt_at limit ${rows_max}
    ), locked as materialized (
      -- Only what is pending has a next time. By the status, all that waits for the webhook would be read in each round.
      select d.id from webhook_deliveries d
       where d.webhook_id = ${webhook_id} and d.id = any(array(select id from waiting)) and d.next_attempt_at > ${now}
       order by d.id for no key update
    )
    update webhook_deliveries d set tries = 0, next_attempt_at = ${now}
      from locked
     where d.webhook_id = ${webhook_id} and d.id = locked.id
    returning d.id`)

/** Records that the retries of this change were made due; a later change starts again. */
export const endAnew = (db: Sql, webhook_id: string, anew_since: Date) =>
  db.sql`update webhooks set anew_since = null where id = ${webhook_id} and anew_since = ${anew_since}`

interface DuePage {
  webhook_id: string
  /**
   * The address at the time of the lease: no deliveries are returned if the webhook has since got another address or
   * been switched off.
   */
  url: string
  now: Date
  rows_max: number
}

/** Due deliveries of a webhook, longest waiting first, except those in progress. */
export const listDue = (db: Sql, { webhook_id, url, now, rows_max }: DuePage, under_way: string[]) =>
  db.sql<DueDelivery>`
    select id, event_id, type, coalesce(data, ledger_event_data(type, event_id)) as data, occurred_at, tries
      from (select * from webhook_deliveries
             where webhook_id = ${webhook_id} and status = 'pending' and next_attempt_at <= ${now}
               and id <> all(${under_way}::uuid[])
               and exists (select from webhooks
                            where id = ${webhook_id} and url = ${url} and disabled_at is null and deleted_at is null)
             order by next_attempt_at limit ${rows_max}) due
     order by next_attempt_at`

/** Ends a lease. The webhook is due again when its next delivery is, but not before `not_before`. See functions.sql. */
export const releaseWebhook = (db: Sql, { id, owner, not_before }: { id: string; owner: string; not_before: Date }) =>
  db.sql`select release_webhook(${id}, ${owner}, ${not_before})`

export interface AttemptResult {
  webhook_id: string
  delivery_id: string
  /** The value before the attempt. */
  tries: number
  started_at: Date
  duration_ms: number
  status_code: number | null
  error: string | null
  answer: string | null
  success: boolean
  next_attempt_at: Date | null
}

/** Writes results of attempts; returns the webhooks that have been failing since `failing_before` or earlier. See functions.sql. */
export const recordAttempts = (
  tx: Tx,
  { now, failing_before }: { now: Date; failing_before: Date },
  results: AttemptResult[],
) =>
  allValues(tx.sql<{ webhook_id: string }>`
    select webhook_id from record_webhook_attempts(
      ${now}, ${failing_before},
      ${results.map(({ webhook_id }) => webhook_id)}, ${results.map(({ delivery_id }) => delivery_id)},
      ${results.map(({ tries }) => tries)}, ${results.map(({ started_at }) => started_at)},
      ${results.map(({ duration_ms }) => duration_ms)}, ${results.map(({ status_code }) => status_code)},
      ${results.map(({ error }) => error)}, ${results.map(({ answer }) => answer)},
      ${results.map(({ success }) => success)}, ${results.map(({ next_attempt_at }) => next_attempt_at)})`)
