import { fromBase64 } from './bytes.ts'
import { PlazaError } from './failure.ts'
import type { WebhookPayloads } from './generated/webhook-payloads.ts'

/**
 * An event that Plaza sent to a webhook; `type` determines `data`. Later versions of Plaza may send other types: answer them with 2xx and
 * ignore them.
 */
export type WebhookEvent = {
  [Type in keyof WebhookPayloads]: {
    /** The same for each attempt: store it to detect repeated deliveries. */
    id: string
    type: Type
    timestamp: string
    data: WebhookPayloads[Type]
  }
}[keyof WebhookPayloads]

export interface WebhookRequest {
  /** The raw body, before it is parsed. */
  body: string
  /** `Headers`, or an object as in Node. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The secret of the webhook, `whsec_…`; during a rotation the old and the new one. */
  secret: string | readonly string[]
  /** The time to compare the request's timestamp with; the current time by default. */
  now?: Date
  /** Maximum difference between the two, in seconds; 300 by default. An older request may be a replay. */
  tolerance_seconds?: number
}

/**
 * Checks the signature and the time of a webhook request, as Standard Webhooks specifies, and returns its event. Rejects with
 * `webhook_not_verified`.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { body, headers, secret, now = new Date(), tolerance_seconds = 300 } = request
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  const sent_seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN
  if (!(Math.abs(now.getTime() / 1_000 - sent_seconds) <= tolerance_seconds))
    throw notVerified('the time of the request is too far from now')
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const each of typeof secret === 'string' ? [secret] : secret) {
    const key = await importKey(each)
    for (const signature of signatures) if (await isSignature(key, signature, signed)) return parse(body)
  }
  throw notVerified('no signature of the request is one with the secret')
}

const notVerified = (detail: string) => new PlazaError({ code: 'webhook_not_verified', detail })

function headerOf(headers: WebhookRequest['headers'], name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw notVerified(`the request lacks ${name}`)
  return value
}

async function importKey(secret: string) {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (!bytes) throw notVerified('the secret is not one of a webhook')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Whether this is a signature of the first version; WebCrypto compares in constant time. */
async function isSignature(
  key: Awaited<ReturnType<typeof importKey>>,
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
) {
  const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed)
}

function parse(body: string): WebhookEvent {
  try {
    return JSON.parse(body) as WebhookEvent
  } catch {
    throw notVerified('the body is not JSON')
  }
}
