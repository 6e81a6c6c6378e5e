import { sendMessage } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { queryClient } from '../../api/hooks.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { onUserChange } from '../../session/session.ts'
import { createStore } from '../../store.ts'
import { registerTabState } from '../../ui/unsaved.ts'
import { addMessages, type Message } from './channel-messages.ts'

/** A message of this tab that is not sent yet, or failed. */
export interface Outgoing {
  /** Also the call's Idempotency-Key: a retry creates the message once (D-92). */
  key: string
  channel_id: string
  body: string
  error?: Error
}

/** Module state: outgoing messages and drafts survive leaving the page. */
const outgoing = createStore<readonly Outgoing[]>([])
const drafts = new Map<string, string>()

registerTabState(() => outgoing.get().length > 0 || drafts.size > 0)

onUserChange(() => {
  drafts.clear()
  outgoing.set([])
})

export const draftOf = (channel_id: string) => drafts.get(channel_id) ?? ''

export function saveDraft(channel_id: string, body: string) {
  if (body === '') drafts.delete(channel_id)
  else drafts.set(channel_id, body)
}

interface DeferredMessage {
  channel_id: string
  message: Message
}

/** Sends one message at a time, in order. */
class SendQueue {
  private tail = Promise.resolve()
  private in_flight = 0
  private deferred: DeferredMessage[] = []

  /** Resolves to the messages deferred meanwhile when this was the last in flight, else to an empty list. */
  async add(deliver: () => Promise<void>): Promise<DeferredMessage[]> {
    this.in_flight += 1
    this.tail = this.tail.then(deliver)
    await this.tail
    this.in_flight -= 1
    return this.in_flight === 0 ? this.deferred.splice(0) : []
  }

  defer(held: DeferredMessage) {
    if (this.in_flight > 0) this.deferred.push(held)
    return this.in_flight > 0
  }
}

const queue = new SendQueue()

async function deliver({ key, channel_id, body }: Outgoing) {
  // The item was discarded, or another user has signed in.
  if (!outgoing.get().some((item) => item.key === key)) return
  try {
    const message = await callApi(sendMessage, {
      params: { channel_id },
      body: { body },
      headers: { 'idempotency-key': key },
    })
    outgoing.set(outgoing.get().filter((item) => item.key !== key))
    addMessages(queryClient, channel_id, [message])
  } catch (error) {
    outgoing.set(outgoing.get().map((item) => (item.key === key ? { ...item, error: error as Error } : item)))
  }
}

async function enqueue(item: Outgoing) {
  outgoing.set([...outgoing.get().filter(({ key }) => key !== item.key), item])
  for (const { channel_id, message } of await queue.add(() => deliver(item)))
    addMessages(queryClient, channel_id, [message])
}

/**
 * The outgoing messages: shown at once, sent in order, removed when the API has accepted them. `defer` holds back an own
 * message that arrives over the stream before the response, which would show it twice.
 */
export const useOutbox = () => ({
  items: outgoing.use(),
  send: (channel_id: string, body: string) => void enqueue({ key: newIdempotencyKey(), channel_id, body }),
  sendAgain: ({ key, channel_id, body }: Outgoing) => void enqueue({ key, channel_id, body }),
  discard: ({ key }: Outgoing) => outgoing.set(outgoing.get().filter((item) => item.key !== key)),
  defer: (channel_id: string, message: Message) => queue.defer({ channel_id, message }),
})
