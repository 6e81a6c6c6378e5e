import { decisions } from '../../contract/decisions.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import type * as contract from '../../contract/webhooks.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { requireMember } from '../oauth/members.service.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { seal, type SealingKeys } from '../platform/secrets.ts'
import { requireAddress, type AddressPolicy } from '../platform/address-policy.ts'
import { changeOnce, findAnswer, type Answered } from './request-keys.service.ts'
import { newWebhookSecret } from './rules.ts'
import {
  changeWebhook,
  deleteWebhookOfApp,
  insertWebhook,
  insertWebhookSecret,
  listWebhooksOfApp,
  updateListening,
  type WebhookRow,
} from './store.ts'

export interface WebhooksDeps {
  db: Database
  clock: Clock
  /** Keys that encrypt the secrets of webhooks. */
  keys: SealingKeys
  policy: AddressPolicy
  /** Wakes the dispatcher of this process. */
  wake(): void
}

const { webhooks_max, rotation_hours } = decisions.webhooks

export const listWebhooks = ({ db, clock }: WebhooksDeps, app_id: string) => listWebhooksOfApp(db, app_id, clock())

/** A webhook of an app. Fails with `not_found`. */
export const getWebhook = ({ db, clock }: WebhooksDeps, app_id: string, id: string) =>
  readWebhook(db, app_id, id, clock())

/** A webhook of an app for events. Fails with `not_found`, or `webhook_of_logout` for the address of logout tokens, which is a field of the app. */
export async function getEventsWebhook(deps: WebhooksDeps, app_id: string, id: string) {
  const webhook = await getWebhook(deps, app_id, id)
  if (webhook.purpose === 'logout') throw new Failure('webhook_of_logout', { webhook_id: id })
  return webhook
}

async function readWebhook(db: Sql, app_id: string, id: string, now: Date): Promise<WebhookRow> {
  const found = (await listWebhooksOfApp(db, app_id, now)).find((webhook) => webhook.id === id)
  if (!found) throw new Failure('not_found', { webhook_id: id })
  return found
}

export interface WebhookWithSecret {
  webhook: WebhookRow
  secret: string
}

/**
 * Registers an address and starts recording the app's events. Returns the webhook with its secret. Fails with
 * `not_found`, `too_many_webhooks`, `validation_failed` for an address that is not allowed, or as `changeOnce` does.
 */
export async function createWebhook(
  deps: WebhooksDeps,
  caller: UserCaller,
  app_id: string,
  { url, events }: BodyOf<typeof contract.createWebhook>,
  key?: string,
): Promise<Answered<WebhookWithSecret>> {
  const { user_id: owner_id } = caller
  const call = { owner_id, operation: 'create', key, request: [app_id, url, events] }
  const earlier = await findAnswer<WebhookWithSecret>(deps, call)
  if (earlier) return earlier
  await requireAddress(deps.policy, url, 'url')
  const [id, now] = [newId(), deps.clock()]
  return changeOnce<WebhookWithSecret>(deps, call, async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    const row = { id, app_id, url, events: events ?? null, now, webhooks_max }
    if (!(await insertWebhook(tx, row))) throw new Failure('too_many_webhooks', { app_id })
    const secret = await addSecret(deps, tx, id, now)
    await updateListening(tx, app_id)
    return { answer: { webhook: await readWebhook(tx, app_id, id, now) }, secret }
  })
}

/** Adds a new secret to a webhook, encrypted under the secret's id, and returns both. */
async function addSecret({ keys }: WebhooksDeps, tx: Tx, webhook_id: string, now: Date) {
  const [id, text] = [newId(), newWebhookSecret()]
  const previous_until = secondsAfter(now, rotation_hours * 3_600)
  await insertWebhookSecret(tx, { id, webhook_id, sealed: seal(keys, text, id), now, previous_until })
  return { id, text }
}

/**
 * Changes a webhook, or switches it off or on. A new address, or switching on, makes waiting retries due immediately.
 * Fails with `not_found`, `webhook_of_logout`, or `validation_failed` for an address.
 */
export async function updateWebhook(
  deps: WebhooksDeps,
  caller: UserCaller,
  app_id: string,
  id: string,
  { url, events, enabled }: BodyOf<typeof contract.updateWebhook>,
) {
  const find = url === undefined && events === undefined ? getWebhook : getEventsWebhook
  await find(deps, app_id, id)
  if (url !== undefined) await requireAddress(deps.policy, url, 'url')
  const now = deps.clock()
  const changed = await deps.db.transaction(async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    const change = { url: url ?? null, events, enabled: enabled ?? null }
    if (!(await changeWebhook(tx, { app_id, id, now }, change))) throw new Failure('not_found', { webhook_id: id })
    return readWebhook(tx, app_id, id, now)
  })
  deps.wake()
  return changed
}

/** Deletes a webhook; deliveries to it stop. Fails with `not_found` or `webhook_of_logout`. */
export async function deleteWebhook(deps: WebhooksDeps, caller: UserCaller, app_id: string, id: string) {
  await getEventsWebhook(deps, app_id, id)
  await deps.db.transaction(async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    const now = deps.clock()
    if (!(await deleteWebhookOfApp(tx, { app_id, id, now }))) throw new Failure('not_found', { webhook_id: id })
    await updateListening(tx, app_id)
  })
}

/** Replaces the secret of a webhook; the previous one also signs for a day. Fails with `not_found`, `webhook_of_logout`, or as `changeOnce` does. */
export async function rotateSecret(
  deps: WebhooksDeps,
  caller: UserCaller,
  app_id: string,
  id: string,
  key?: string,
): Promise<Answered<WebhookWithSecret>> {
  const { user_id: owner_id } = caller
  await getEventsWebhook(deps, app_id, id)
  const now = deps.clock()
  const call = { owner_id, operation: 'rotate-secret', key, request: [app_id, id] }
  return changeOnce<WebhookWithSecret>(deps, call, async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    const secret = await addSecret(deps, tx, id, now)
    return { answer: { webhook: await readWebhook(tx, app_id, id, now) }, secret }
  })
}
