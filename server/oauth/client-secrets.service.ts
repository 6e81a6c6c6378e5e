import { decisions } from '../../contract/decisions.ts'
import { mailNotice } from '../notices/mails.service.ts'
import { notify, type NewNotice } from '../notices/service.ts'
import { utcTime } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { inBatches } from '../platform/in-batches.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { JobMailer } from '../platform/mail.ts'
import { newSecret, sha256 } from '../platform/secrets.ts'
import { oneLine } from '../platform/texts.ts'
import { boundsOf, type SecretRequest } from './client-secrets.rules.ts'
import { findSecret, insertSecret, markExpiring } from './client-secrets.store.ts'
import { noticesOfApp } from './members.service.ts'
import { prefixes } from './rules.ts'
import type { MailDeps } from './review-mail.service.ts'
import type { OAuthDeps } from './service.ts'

const { secrets_max } = decisions.client_secrets
const { told_days } = decisions.restricted_secrets

export interface Making {
  app_id: string
  maker_id: string
  now: Date
}

/** Adds a secret with these restrictions inside a transaction. Fails with `too_many_secrets` or `validation_failed`. */
export async function addSecret(tx: Tx, { app_id, maker_id, now }: Making, request: SecretRequest = {}) {
  const client_secret = newSecret(prefixes.client_secret)
  const secret = await insertSecret(tx, {
    ...boundsOf(request, now),
    id: newId(),
    app_id,
    secret_hash: sha256(client_secret),
    hint: client_secret.slice(-4),
    maker_id,
    now,
    secrets_max,
  })
  if (!secret) throw new Failure('too_many_secrets', { app_id })
  return { ...secret, client_secret }
}

export const expiry_mail_job = 'oauth.mail_secret_expiry'

/**
 * Notifies the people of apps of secrets that expire within days, once for each secret. A secret that was valid for
 * only a few days expires without a notice.
 */
export const noticeExpiringSecrets = (
  { db, clock }: Pick<OAuthDeps, 'db' | 'clock'>,
  { rows_max }: { rows_max: number },
) =>
  inBatches(rows_max, () =>
    db.transaction(async (tx) => {
      const now = clock()
      const secrets = await markExpiring(tx, { now, told_days, rows_max })
      const notices: NewNotice[] = []
      for (const { id: secret_id, app_id } of secrets) {
        const mail = { job: expiry_mail_job, payload: { secret_id } }
        const notice = { app_id, event: 'secret_expires', about: `secret:${secret_id}`, mail } as const
        notices.push(...(await noticesOfApp(tx, notice)))
      }
      await notify(tx, notices, { now })
      return secrets.length
    }),
  )

export interface ExpiryMail {
  secret_id: string
  user_id: string
}

/** Mails a person of an app that a secret is about to expire, if the secret still exists. */
export async function mailSecretExpiry(deps: MailDeps, mailer: JobMailer, { secret_id, user_id }: ExpiryMail) {
  const secret = await findSecret(deps.db, secret_id)
  if (!secret?.expires_at) return
  const { app_id, app_name, name, hint, expires_at } = secret
  await mailNotice(deps, mailer, {
    user_id,
    event: 'secret_expires',
    name: 'mail.secret-expires',
    path: `/apps/${app_id}?tab=developers`,
    values: () => ({
      app: app_name,
      app_line: oneLine(app_name),
      secret: name ?? `…${hint}`,
      at: utcTime(expires_at),
    }),
  })
}
