import type { Static } from 'typebox'
import type { webhook } from '../../contract/webhook-fields.ts'
import { purgesRowsOf } from '../platform/erasure.ts'
import type { AppEventType } from '../../contract/app-events.ts'
import { firstRow, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

export type WebhookRow = Static<typeof webhook>

export interface NewWebhook {
  id: string
  app_id: string
  url: string
  events: AppEventType[] | null
  now: Date
  webhooks_max: number
}

/** Adds a webhook if the app has fewer than `webhooks_max`; returns whether it did. Parallel calls are serialized. */
export async function insertWebhook(tx: Tx, { id, app_id, url, events, now, webhooks_max }: NewWebhook) {
  await tx.sql`select id from oauth_apps where id = ${app_id} for no key update`
  return hasRows(tx.sql`
    insert into webhooks (id, app_id, url, events, inserted_at, updated_at)
    select ${id}, ${app_id}, ${url}, ${events}, ${now}, ${now}
     where (select count(*) from webhooks where app_id = ${app_id} and purpose = 'events' and deleted_at is null) < ${webhooks_max}
    returning id`)
}

/** The webhooks of an app, the oldest first. */
export const listWebhooksOfApp = (db: Sql, app_id: string, now: Date) =>
  db.sql<WebhookRow>`
    select w.id, w.purpose, w.url, w.events, w.disabled_at is null as enabled, w.disabled_reason, w.disabled_at, w.failing_since,
           (select max(s.expires_at) from webhook_secrets s where s.webhook_id = w.id and s.expires_at > ${now})
             as previous_secret_until, w.inserted_at, w.updated_at
      from webhooks w
     where w.app_id = ${app_id} and w.deleted_at is null
     order by w.id`

export interface WebhookChange {
  url: string | null
  /** Undefined does not change them; null selects all. */
  events: AppEventType[] | null | undefined
  enabled: boolean | null
}

/**
 * Changes a webhook of an app; returns whether it exists. A webhook that is switched on or gets another address starts
 * without failures and is due immediately; the dispatcher then makes its waiting retries due.
 */
export const changeWebhook = (
  tx: Tx,
  { app_id, id, now }: { app_id: string; id: string; now: Date },
  { url, events, enabled }: WebhookChange,
) =>
  hasRows(tx.sql`
    with found as (
      select id, disabled_at is not null and ${enabled}::boolean or url <> ${url} as begins_anew
        from webhooks where id = ${id} and app_id = ${app_id} and deleted_at is null
         for no key update
    )
    update webhooks w
       set url = coalesce(${url}, url),
           events = case when ${events === undefined}::boolean then events else ${events ?? null}::text[] end,
           failing_since = case when begins_anew then null else failing_since end,
           due_at = case when begins_anew then ${now} else due_at end,
           anew_since = case when begins_anew then ${now} else anew_since end,
           disabled_at = case when ${enabled}::boolean then null
                              when not ${enabled}::boolean then coalesce(disabled_at, ${now}) else disabled_at end,
           disabled_reason = case when ${enabled}::boolean then null
                                  when not ${enabled}::boolean then coalesce(disabled_reason, 'owner')
                                  else disabled_reason end,
           updated_at = ${now}
      from found where w.id = found.id
    returning w.id`)

/** Marks a webhook of an app as deleted, with its secrets; returns whether it existed. Its deliveries are purged later. */
export async function deleteWebhookOfApp(tx: Tx, { app_id, id, now }: { app_id: string; id: string; now: Date }) {
  const rows = await tx.sql`
    update webhooks set deleted_at = ${now}, due_at = null
     where id = ${id} and app_id = ${app_id} and deleted_at is null
    returning id`
  await tx.sql`delete from webhook_secrets where webhook_id in (select id from webhooks where id = ${id} and deleted_at is not null)`
  return rows.length > 0
}

/** Locks the memberships of a webhook's app until the transaction ends. */
export const lockAppOf = (tx: Tx, id: string) =>
  tx.sql`select id from oauth_apps where id = (select app_id from webhooks where id = ${id}) for share`

/** Switches off a webhook that has been failing since this time or earlier; returns whether this call did it. */
export const switchOffFailing = (tx: Tx, id: string, { now, failing_before }: { now: Date; failing_before: Date }) =>
  hasRows(tx.sql`
    update webhooks set disabled_at = ${now}, disabled_reason = 'failures', updated_at = ${now}
     where id = ${id} and disabled_at is null and deleted_at is null and failing_since <= ${failing_before}
    returning id`)

/** A webhook that was switched off because of failures. */
export const findSwitchedOff = (db: Sql, id: string) =>
  firstRow(db.sql<{ url: string; app_id: string; app_name: string; owner_id: string }>`
    select w.url, a.id as app_id, a.app_name, a.owner_id
      from webhooks w join oauth_apps a on a.id = w.app_id
     where w.id = ${id} and w.deleted_at is null and w.disabled_reason = 'failures'`)

// Secrets

export interface NewWebhookSecret {
  id: string
  webhook_id: string
  sealed: Buffer
  now: Date
  /** The end of the previous secret's validity. */
  previous_until: Date
}

/** Adds a secret. The previous one expires at `previous_until`, older ones immediately. */
export async function insertWebhookSecret(tx: Tx, { id, webhook_id, sealed, now, previous_until }: NewWebhookSecret) {
  await tx.sql`select from webhooks where id = ${webhook_id} for no key update`
  await tx.sql`delete from webhook_secrets where webhook_id = ${webhook_id} and expires_at is not null`
  await tx.sql`update webhook_secrets set expires_at = ${previous_until} where webhook_id = ${webhook_id}`
  await tx.sql`
    insert into webhook_secrets (id, webhook_id, sealed, inserted_at) values (${id}, ${webhook_id}, ${sealed}, ${now})`
}

export const purgeExpiredSecrets = purgesRowsOf('webhook_secrets', 'expires_at', { comparison: '<=' })

// Recording

/**
 * Sets whether events of the app are recorded: while it has a webhook or reads its events. The lock is taken first even if nothing
 * changes, so that of two parallel transactions the later one reads after the commit of the earlier one. A webhook created while the last
 * one is deleted is therefore seen.
 */
export async function updateListening(tx: Tx, app_id: string) {
  await tx.sql`select from point_accounts where id = ${app_id} for no key update`
  await tx.sql`
    update point_accounts
       set listened = not listened
     where id = ${app_id}
       and listened <> (exists (select from webhooks where app_id = ${app_id} and purpose = 'events' and deleted_at is null)
                        or exists (select from app_event_readers where app_id = ${app_id}))`
}
