import { useSyncExternalStore } from 'react'
import { sendMessage } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { queryClient } from '../../api/hooks.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { onUserChange } from '../../session/session.ts'
import { registerTabState } from '../../ui/unsaved.ts'
import { addMessages, type Message } from './channel-messages.ts'

/** What somebody sent from this tab and the service has not taken yet, or would not. */
export interface Outgoing {
  /** Also the call's Idempotency-Key: whatever became of a try, the next one says it once (D-92). */
  key: string
  channel_id: string
  body: string
  error?: Error
}

/** What is being sent and what is being written outlives the page: both wait until one comes back to the channel. */
let items: readonly Outgoing[] = []
const drafts = new Map<string, string>()
const listeners = new Set<() => void>()

function setItems(next: readonly Outgoing[]) {
  items = next
  for (const listener of listeners) listener()
}
function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

registerTabState(() => items.length > 0 || drafts.size > 0)

onUserChange(() => {
  drafts.clear()
  setItems([])
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

/** One after the other, in the order in which they were said. */
class SendQueue {
  private tail = Promise.resolve()
  private in_flight = 0
  private deferred: DeferredMessage[] = []

  /** Answers, once nothing is on its way any more, what was held meanwhile. */
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
  // Nobody says what another person wrote in the same tab.
  if (!items.some((item) => item.key === key)) return
  try {
    const message = await callApi(sendMessage, {
      params: { channel_id },
      body: { body },
      headers: { 'idempotency-key': key },
    })
    setItems(items.filter((item) => item.key !== key))
    addMessages(queryClient, channel_id, [message])
  } catch (error) {
    setItems(items.map((item) => (item.key === key ? { ...item, error: error as Error } : item)))
  }
}

async function enqueue(item: Outgoing) {
  setItems([...items.filter(({ key }) => key !== item.key), item])
  for (const { channel_id, message } of await queue.add(() => deliver(item)))
    addMessages(queryClient, channel_id, [message])
}

/**
 * What is being sent: shown at once, sent one after the other, gone as soon as the service has taken it. `hold` keeps a
 * message of one's own that the stream brought first, so that it is not seen twice for a moment.
 */
export const useOutbox = () => ({
  items: useSyncExternalStore(subscribe, () => items),
  send: (channel_id: string, body: string) => void enqueue({ key: newIdempotencyKey(), channel_id, body }),
  sendAgain: ({ key, channel_id, body }: Outgoing) => void enqueue({ key, channel_id, body }),
  discard: ({ key }: Outgoing) => setItems(items.filter((item) => item.key !== key)),
  defer: (channel_id: string, message: Message) => queue.defer({ channel_id, message }),
})
