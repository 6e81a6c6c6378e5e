import { readEvents } from '../../contract/social.ts'
import { currentSession } from '../session/session.ts'

interface Request {
  channel_ids: readonly string[]
  token: string
  last_event_id?: string | undefined
  signal: AbortSignal
}

const addressOf = (channel_ids: readonly string[]) =>
  `${readEvents.path}?notices=true${channel_ids.length === 0 ? '' : `&channels=${channel_ids.join(',')}`}`

/** Opens a connection to the event stream: what happens after the answer has come is in its body. */
export const fetchEvents = ({ channel_ids, token, last_event_id, signal }: Request) =>
  fetch(addressOf(channel_ids), {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(last_event_id !== undefined && { 'last-event-id': last_event_id }),
    },
    signal,
    cache: 'no-store',
  })

/** How long an opened connection waits for the page that follows it. */
const wait_ms = 10_000

let opened: { address: string; token: string; response: Promise<Response>; controller: AbortController } | undefined

/**
 * Opens the event stream for a page that is still loading; resolves when it is open. No event is lost between
 * the stream and later reads of the page.
 */
export async function openEvents(channel_ids: readonly string[]): Promise<unknown> {
  const { token } = currentSession() ?? {}
  if (token === undefined || document.hidden) return
  const address = addressOf(channel_ids)
  if (opened?.address === address && opened.token === token) return opened.response
  opened?.controller.abort()
  const controller = new AbortController()
  const response = fetchEvents({ channel_ids, token, signal: controller.signal })
  const connection = { address, token, response, controller }
  opened = connection
  setTimeout(() => {
    if (opened !== connection) return
    opened = undefined
    controller.abort()
  }, wait_ms)
  return response
}

/** The connection that `openEvents` opened for the same stream, once; from then on it ends with `signal`. */
export function takeOpenedEvents({ channel_ids, token, last_event_id, signal }: Request) {
  if (!opened || last_event_id !== undefined) return undefined
  if (opened.address !== addressOf(channel_ids) || opened.token !== token) return undefined
  const { response, controller } = opened
  opened = undefined
  signal.addEventListener('abort', () => controller.abort())
  return response
}
