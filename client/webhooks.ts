/** An event that Plaza sent to a webhook; `contract/webhooks.ts` declares the data of each type. */
export interface WebhookEvent {
  /** The same at each attempt: keep it, so that an event that comes twice counts once. */
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
}

export interface WebhookRequest {
  /** The body as it came, before it is parsed. */
  body: string
  /** `Headers`, or an object with names in lower case, as Node has it. */
  headers: Headers | Record<string, string | string[] | undefined>
  /** The secret of the webhook, `whsec_…`; during a rotation both. */
  secret: string | readonly string[]
  /** The time to which that of the request is compared; now by default. */
  now?: Date
  /** How far the two may differ, in seconds: an older request may be a recorded one. */
  tolerance_seconds?: number
}

/** A request that Plaza did not send with this secret, or not now. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
  }
}

/**
 * Checks the signature and the time of a request to a webhook, as Standard Webhooks says, and answers its event. Rejects with a
 * `WebhookVerificationError`. Needs nothing but WebCrypto: Node ≥ 20, browsers, and workers have it.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { body, headers, secret, now = new Date(), tolerance_seconds = 300 } = request
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  const sent_seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN
  if (!(Math.abs(now.getTime() / 1_000 - sent_seconds) <= tolerance_seconds))
    throw new WebhookVerificationError('the time of the request is too far from now')
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const each of typeof secret === 'string' ? [secret] : secret) {
    const key = await importKey(each)
    for (const signature of signatures) if (await isSignature(key, signature, signed)) return parse(body)
  }
  throw new WebhookVerificationError('no signature of the request is one with the secret')
}

function headerOf(headers: WebhookRequest['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`the request lacks ${name}`)
  return value
}

async function importKey(secret: string) {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (!bytes) throw new WebhookVerificationError('the secret is not one of a webhook')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Whether this is a signature of the first version, compared in constant time. */
async function isSignature(
  key: Awaited<ReturnType<typeof importKey>>,
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
) {
  const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

function parse(body: string): WebhookEvent {
  try {
    return JSON.parse(body) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('the body is not JSON')
  }
}
