import { NetworkError } from '../../api/errors.ts'
import { queryClient } from '../../api/hooks.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { currentSession, onUserChange } from '../../session/session.ts'
import { browser_storage, parseStored } from '../../storage.ts'
import { createStore } from '../../store.ts'
import { registerSessionState } from '../../ui/unsaved.ts'
import { addMessages, type Message } from './channel-messages.ts'
import { outbox_key } from './outbox-key.ts'
import { placeKey, postMessage, type Place } from './place.ts'

/** A message that is not sent yet. */
export interface Outgoing {
  /** Also the call's Idempotency-Key: however often and in however many tabs it is sent, it is posted once (D-92). */
  key: string
  place: Place
  body: string
}

/** Unsent messages and drafts, stored in the browser: they survive leaving the page and closing the tab. */
interface Kept {
  user_id: string | undefined
  items: readonly Outgoing[]
  drafts: Readonly<Record<string, string>>
}

function readKept(): Kept {
  const user_id = currentSession()?.user.id
  const kept = parseStored<Kept>(browser_storage.get(outbox_key))
  return kept?.user_id === user_id && kept ? kept : { user_id, items: [], drafts: {} }
}

const store = createStore(readKept())
/** The error of a message's last attempt, by its key. */
const errors = createStore<Readonly<Record<string, Error>>>({})

/** Changes the current stored state: another tab may have changed it. */
function change(changed: (kept: Kept) => Partial<Kept>) {
  const before = readKept()
  const kept = { ...before, ...changed(before) }
  const is_empty = kept.items.length === 0 && Object.keys(kept.drafts).length === 0
  browser_storage.set(outbox_key, is_empty ? undefined : JSON.stringify(kept))
  store.set(kept)
}

const remove = (key: string) => change(({ items }) => ({ items: items.filter((item) => item.key !== key) }))
const findItem = (key: string) => readKept().items.find((item) => item.key === key)

function setError(key: string, error: Error | undefined) {
  const { [key]: _, ...others } = errors.get()
  errors.set(error ? { ...others, [key]: error } : others)
}

registerSessionState(() => store.get().items.length > 0 || Object.keys(store.get().drafts).length > 0)

onUserChange(() => {
  browser_storage.set(outbox_key, undefined)
  errors.set({})
  store.set({ user_id: undefined, items: [], drafts: {} })
})

export const draftOf = (place: Place) => readKept().drafts[placeKey(place)] ?? ''

export const saveDraft = (place: Place, body: string) =>
  change(({ drafts }) => {
    const { [placeKey(place)]: _, ...others } = drafts
    return { drafts: body === '' ? others : { ...others, [placeKey(place)]: body } }
  })

/** The keys of the messages that this tab is sending or about to send. */
const sending = new Set<string>()
/**
 * The person's messages that arrived by the stream before their response: shown next to the unsent ones, they would
 * appear twice.
 */
const deferred: { place: Place; message: Message }[] = []
let tail: Promise<unknown> = Promise.resolve()

/** Runs one at a time in all tabs, in order. Browsers have locks in secure contexts only. */
const inTurn = (work: () => Promise<void>) =>
  (tail = 'locks' in navigator ? navigator.locks.request(outbox_key, work) : tail.then(work))

const retry_ms = 15_000
let retrying: ReturnType<typeof setTimeout> | undefined

async function deliver(key: string) {
  // It was discarded, another tab has sent it, or another user has signed in.
  const item = findItem(key)
  if (!item) return store.set(readKept())
  try {
    const message = await postMessage(item.place, item.body, key)
    remove(key)
    addMessages(queryClient, item.place, [message])
  } catch (error) {
    setError(key, error as Error)
    if (!(error instanceof NetworkError)) return
    clearTimeout(retrying)
    retrying = setTimeout(sendWaiting, retry_ms)
  }
}

async function send(key: string) {
  if (sending.has(key)) return
  sending.add(key)
  setError(key, undefined)
  await inTurn(() => deliver(key))
  sending.delete(key)
  if (sending.size > 0) return
  for (const { place, message } of deferred.splice(0)) addMessages(queryClient, place, [message])
}

function sendWaiting() {
  for (const { key } of readKept().items) {
    const error = errors.get()[key]
    if (error === undefined || error instanceof NetworkError) void send(key)
  }
}

addEventListener('online', sendWaiting)
addEventListener('storage', ({ key }) => {
  if (key === outbox_key) store.set(readKept())
})
sendWaiting()

function enqueue(place: Place, body: string) {
  const key = newIdempotencyKey()
  change(({ items }) => ({ items: [...items, { key, place, body }] }))
  void send(key)
}

/** Holds back the person's message that arrives by the stream before the response; false if it can be shown. */
function defer(place: Place, message: Message) {
  if (sending.size > 0) deferred.push({ place, message })
  return sending.size > 0
}

/** The unsent messages: shown immediately, sent in order, removed once the API has accepted them. */
export const useOutbox = () => ({
  items: store.use().items,
  errors: errors.use(),
  send: enqueue,
  sendAgain: ({ key }: Outgoing) => void send(key),
  discard: ({ key }: Outgoing) => remove(key),
  defer,
})
