import { createHmac, randomBytes } from 'node:crypto'
import { decisions } from '../../contract/decisions.ts'
import { urlError, type SendAddresses } from '../platform/address-policy.ts'
import { fieldErrors, type FieldError } from '../platform/failure.ts'

const { retry_seconds, answer_kept_characters } = decisions.webhooks

// Addresses

/** Field errors of a body that may contain an address. Accepts a body of any shape. */
export function webhookErrors(body: unknown, addresses: SendAddresses): FieldError[] {
  const url = typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined
  return typeof url === 'string' && url !== '' ? fieldErrors('url', urlError(url, addresses)) : []
}

// Secrets and signatures (Standard Webhooks)

const secret_prefix = 'whsec_'

export const newWebhookSecret = () => secret_prefix + randomBytes(32).toString('base64')

export interface SignedMessage {
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

/** The headers of a request: the message is signed with each secret, the newest first. */
export const webhookHeaders = (message: SignedMessage, secrets: readonly string[]) => ({
  'content-type': 'application/json',
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  'webhook-signature': secrets.map((secret) => signatureOf(message, secret)).join(' '),
})

function signatureOf({ id, timestamp, body }: SignedMessage, secret: string) {
  const key = Buffer.from(secret.slice(secret_prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

export interface EventFields {
  event_id: string
  type: string
  data: Record<string, unknown>
  occurred_at: Date
}

/** An event as requests and lists show it. */
export const eventOf = ({ event_id, type, occurred_at, data }: EventFields) => ({
  id: event_id,
  type,
  timestamp: occurred_at,
  data,
})

/** The body of a request: the same for each attempt, except for texts of a person who has since left (D-106). */
export const bodyOf = (event: EventFields) => JSON.stringify(eventOf(event))

// Attempts

interface FailedAttempt {
  now: Date
  /** The number of attempts, including this one. */
  attempts: number
  /** The `Retry-After` header of the response. */
  retry_after: string | undefined
  /** Below 1. */
  random: number
}

/**
 * The time of the next attempt; null after the last one. A receiver may request a longer delay, up to that of the attempt after the next.
 * Each delay is extended by up to a tenth, so that deliveries that failed together are spread.
 */
export function nextAttemptAt({ now, attempts, retry_after, random }: FailedAttempt): Date | null {
  const seconds = retry_seconds[attempts - 1]
  if (seconds === undefined) return null
  const most = retry_seconds[attempts] ?? seconds
  const wanted = Math.min(secondsOf(retry_after, now), most)
  return new Date(now.getTime() + Math.max(seconds, wanted) * 1_000 * (1 + random / 10))
}

/** The seconds of a Retry-After (RFC 9110 §10.2.3): a number or a date; 0 for none. */
function secondsOf(retry_after: string | undefined, now: Date) {
  const text = retry_after?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const time = /^[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? 0 : Math.max(0, (time - now.getTime()) / 1_000)
}

/** The status of a receiver that no longer exists (RFC 9110 §15.5.11). */
export const status_gone = 410

/** The stored part of a response, as text. */
export const keptAnswer = (body: Buffer) =>
  Array.from(body.toString('utf8').replaceAll('\0', '\uFFFD')).slice(0, answer_kept_characters).join('')

/** The reason why there was no response, for the webhook's owner. */
export function attemptError(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'there was no answer in time'
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'the connection ended before the answer'
  return message.slice(0, 200)
}

/** The most places that a holder keeps while others are scarce. */
const of_holder_max = 20

/**
 * The teams and persons whose other webhooks wait: once half of the places are taken, those with 20 or more of them.
 * Otherwise 200 slow addresses of one person would hold back everybody's.
 */
export function holdersThatWait(served: readonly { holder_id: string }[], places: number): string[] {
  if (served.length < places / 2) return []
  const counts = new Map<string, number>()
  for (const { holder_id } of served) counts.set(holder_id, (counts.get(holder_id) ?? 0) + 1)
  return [...counts].flatMap(([id, count]) => (count < of_holder_max ? [] : [id]))
}
