import { isPlazaError, type AppEvent, type PlazaError } from '@plaza/client'
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { usage } from './failures.ts'
import { plain } from './output.ts'
import type { Session } from './session.ts'

const poll_ms = 1_500
const receiver_timeout_ms = 15_000

/** The local address to forward events to. Throws for another machine. */
export function localAddress(text: string) {
  const { protocol = '', hostname = '', username, password } = URL.canParse(text) ? new URL(text) : ({} as Partial<URL>)
  if (!/^https?:$/.test(protocol) || username || password)
    throw usage(`“${text}” is not an address. Write it as http://localhost:3000/webhooks.`)
  if (!/^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
    throw usage('Events are forwarded to this machine only, such as to http://localhost:3000/webhooks.')
  return text
}

/** The secret by which a receiver verifies forwarded events; it changes only with the app's key. */
export const listeningSecret = (client_secret: string) =>
  `whsec_${createHmac('sha256', client_secret).update('plaza webhooks listen').digest('base64')}`

/** The headers of a request to a webhook (Standard Webhooks). */
export function signedHeaders(secret: string, { id, body, seconds }: { id: string; body: string; seconds: number }) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  }
}

/** Shows new events of the app, and forwards them to an address of this machine, until Ctrl-C. */
export async function listen(session: Session, address: string | undefined) {
  const { plaza, output, login, signal } = session
  const to = address === undefined ? undefined : localAddress(address)
  const secret = process.env.PLAZA_WEBHOOK_SECRET || listeningSecret(login.client_secret)
  let cursor = await output.during('Reading where the events are', () => lastCursor(session))
  if (to !== undefined) output.note(`Forwarding to ${to}. The receiver verifies with the secret ${secret}`)
  output.note('Waiting for events. Ctrl-C ends it.')
  for (;;) {
    const page = await plaza.listAppEvents({ cursor, limit: 100 }).catch((error: unknown) => {
      if (!isPassing(error)) throw error
      output.note(`Plaza does not answer: ${error.code}. Trying again.`)
    })
    for (const event of page?.data ?? []) {
      const forwarded = to === undefined ? undefined : await forward(event, { to, secret, signal })
      const text = `${event.timestamp} ${output.style('bold', event.type)} ${event.id}`
      output.result(
        { ...event, ...(forwarded && { forwarded }) },
        `${text}${forwarded ? ` → ${describe(forwarded)}` : ''}`,
      )
    }
    cursor = page?.next_cursor ?? cursor
    if (!page?.has_more) await sleep(poll_ms, undefined, { signal })
  }
}

/** True if a later call may succeed: no answer, none in time, or a failure of the server. */
export const isPassing = (error: unknown): error is PlazaError =>
  isPlazaError(error) && (['no_answer', 'timed_out'].includes(error.code) || (error.status ?? 0) >= 500)

/** The position after the last event. */
async function lastCursor({ plaza }: Session) {
  let cursor: string | undefined
  for (;;) {
    const page = await plaza.listAppEvents({ cursor, limit: 100 })
    cursor = page.next_cursor ?? cursor
    if (!page.has_more) return cursor
  }
}

type Forwarded = { status: number } | { error: string }

const describe = (forwarded: Forwarded) =>
  'status' in forwarded ? String(forwarded.status) : `no answer: ${plain(forwarded.error)}`

async function forward(
  event: AppEvent,
  { to, secret, signal: ended }: { to: string; secret: string; signal: AbortSignal },
): Promise<Forwarded> {
  const body = JSON.stringify(event)
  const headers = signedHeaders(secret, { id: event.id, body, seconds: Math.floor(Date.now() / 1000) })
  const signal = AbortSignal.any([ended, AbortSignal.timeout(receiver_timeout_ms)])
  try {
    const { status } = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal })
    return { status }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return { error: cause?.code ?? message }
  }
}
