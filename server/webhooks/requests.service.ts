import { getApp } from '../oauth/apps.service.ts'
import { newLogoutToken } from '../oauth/id-tokens.service.ts'
import type { OAuthDeps } from '../oauth/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Database } from '../platform/postgres/database.ts'
import { openSealed, type SealingKeys } from '../platform/secrets.ts'
import { listSecretsOf, type ClaimedWebhook } from './dispatch.store.ts'
import { bodyOf, webhookHeaders, type EventFields } from './rules.ts'

export interface RequestsDeps {
  db: Database
  clock: Clock
  log: Logger
  keys: SealingKeys
  /** Signs logout tokens. */
  oauth: Pick<OAuthDeps, 'issuer' | 'signing_keys'>
}

/** Makes the request of an attempt at a delivery. Rejects if the request cannot be signed. */
export type RequestOf = (delivery: EventFields, now: Date) => Promise<{ body: string; headers: Record<string, string> }>

/**
 * Returns how requests to a webhook are made: events are signed as Standard Webhooks specifies, and a logout is a token
 * in a form (D-155).
 */
export const requestsTo = (deps: RequestsDeps, webhook: ClaimedWebhook): Promise<RequestOf> =>
  webhook.purpose === 'logout' ? logoutRequests(deps, webhook) : eventRequests(deps, webhook)

async function eventRequests(deps: RequestsDeps, { id: webhook_id }: ClaimedWebhook): Promise<RequestOf> {
  const secrets = await openSecrets(deps, webhook_id)
  return async (delivery, now) => {
    if (secrets.length === 0) throw new Error('the secret of the webhook cannot be opened: rotate it')
    const body = bodyOf(delivery)
    const timestamp = Math.floor(now.getTime() / 1_000)
    return { body, headers: webhookHeaders({ id: delivery.event_id, timestamp, body }, secrets) }
  }
}

/** The secrets of a webhook that can be decrypted, newest first. */
async function openSecrets({ db, clock, keys, log }: RequestsDeps, webhook_id: string) {
  const sealed = await listSecretsOf(db, webhook_id, clock())
  return sealed.flatMap((row) => {
    try {
      return [openSealed(keys, row.sealed, row.id)]
    } catch {
      log.warn({ webhook_id }, 'a secret of a webhook cannot be opened: its key is not in SECRET_KEYS')
      return []
    }
  })
}

async function logoutRequests({ db, clock, oauth }: RequestsDeps, { app_id }: ClaimedWebhook): Promise<RequestOf> {
  const { client_id } = await getApp({ db }, app_id)
  return async ({ data }) => {
    const { user_id, sid } = data as { user_id: string; sid: string }
    const logout_token = await newLogoutToken({ clock, ...oauth }, { client_id, user_id, sid })
    return {
      body: String(new URLSearchParams({ logout_token })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
  }
}
