import { decisions } from '../../contract/decisions.ts'
import { currentSession, onUserChange } from '../session/session.ts'
import { createStore } from '../store.ts'
import { followEvents, waitForRetry, type PlazaEvent, type StreamState } from './event-stream.ts'
import { updateQueries } from './live-queries.ts'

/** Browsers limit connections per origin: a tab hidden for this long leaves the stream to another tab. */
const hidden_timeout_ms = 60_000
/**
 * Events within this time are handled together, so that many of them block no frame; the time is longer after many
 * events.
 */
const gather_ms = { few: 100, many: 500 }
const many_events = 8
/** A loading page keeps its channels for this long. */
const loading_ms = 10_000
const { channels_max } = decisions.event_streams

/** The messages between the tabs of a browser. The leading tab holds the connection. */
type BusMessage =
  | { kind: 'wants'; tab: string; channel_ids: readonly string[]; is_new?: boolean }
  | { kind: 'gone'; tab: string }
  | { kind: 'state'; state: StreamState; latest: readonly PlazaEvent[] }
  | { kind: 'events'; events: readonly PlazaEvent[]; last_event_id: string | undefined }

type Listener = (event: PlazaEvent) => void

const state = createStore<StreamState>({ status: 'connecting' })
const listeners = new Set<Listener>()
/** The channels that parts of this tab need. */
const wishes = new Set<readonly string[]>()
/** The shown pages that depend on the stream. */
const followers = new Set<object>()
let stream: SharedStream | undefined

onUserChange(() => {
  stream?.close()
  stream = undefined
  state.set({ status: 'connecting' })
})

export const useStreamState = state.use

/** Starts the stream of the signed-in person, if it has not started. */
export function startEvents() {
  const user_id = currentSession()?.user.id
  if (user_id !== undefined) stream ??= new SharedStream(user_id)
}

/** Requests messages of these channels until the returned function is called. `is_page`: for a page that is shown. */
export function wantChannels(channel_ids: readonly string[], is_page: boolean) {
  const wish = [...channel_ids]
  wishes.add(wish)
  if (is_page) followers.add(wish)
  startEvents()
  stream?.announce()
  return () => {
    wishes.delete(wish)
    followers.delete(wish)
  }
}

/** Calls the listener for every event until the returned function is called. */
export function hearEvents(listener: Listener) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Starts the stream for a page that is still loading; resolves when it is open or has failed. No event is lost between
 * the stream and later reads of the page.
 */
export async function openEvents(channel_ids: readonly string[]) {
  if (document.hidden || !currentSession()) return
  setTimeout(wantChannels(channel_ids, false), loading_ms)
  await new Promise<void>((done) => {
    const check = () => {
      if (state.get().status === 'connecting') return
      stop()
      done()
    }
    const stop = state.subscribe(check)
    check()
  })
}

/** The subject of an event of which only the last one counts; undefined if each counts. */
function subjectOf({ name, data }: PlazaEvent) {
  if (name === 'notices') return name
  if (name === 'balance') return `${name} ${data.app_id}`
  return name === 'presence' ? `${name} ${data.user_id}` : undefined
}

/** The events in order, without those superseded by a later one. */
function withoutOutdated(events: readonly PlazaEvent[]) {
  const last = new Map(events.map((event) => [subjectOf(event) ?? event, event]))
  return events.filter((event) => last.get(subjectOf(event) ?? event) === event)
}

/** The event stream that all tabs of a browser with a signed-in person share. */
class SharedStream {
  private readonly closed = new AbortController()
  private readonly name: string
  private readonly tab = crypto.getRandomValues(new Uint32Array(4)).join('-')
  private readonly bus: BroadcastChannel
  private readonly wanted_elsewhere = new Map<string, readonly string[]>()
  private readonly cursor: { last_event_id: string | undefined } = { last_event_id: undefined }
  /** The last event of each stateful subject, for tabs that open later. */
  private readonly latest = new Map<string, PlazaEvent>()
  private gathered: PlazaEvent[] = []
  private next_flush = 0
  private flushing: ReturnType<typeof setTimeout> | undefined
  /** The channels of the open connection, while this tab leads. */
  private connected: readonly string[] | undefined
  private reconnect = () => {}

  constructor(user_id: string) {
    this.name = `plaza.events.${user_id}`
    this.bus = new BroadcastChannel(this.name)
    this.bus.onmessage = ({ data }: MessageEvent<BusMessage>) => this.receive(data)
    addEventListener('pagehide', this.leave)
    this.say({ kind: 'wants', tab: this.tab, channel_ids: this.ownChannels(), is_new: true })
    void this.leadInTurn()
  }

  /** Announces the channels that this tab needs; the connection is reopened if it lacks one. */
  announce() {
    if (this.connected) this.reconnectIfNeeded()
    else this.say({ kind: 'wants', tab: this.tab, channel_ids: this.ownChannels() })
  }

  close() {
    this.leave()
    removeEventListener('pagehide', this.leave)
    this.closed.abort()
    this.bus.close()
  }

  private readonly leave = () => this.say({ kind: 'gone', tab: this.tab })

  private say(message: BusMessage) {
    if (!this.closed.signal.aborted) this.bus.postMessage(message)
  }

  private ownChannels() {
    return [...new Set([...wishes].flat())]
  }

  private allChannels() {
    return [...new Set([...this.ownChannels(), ...[...this.wanted_elsewhere.values()].flat()])].slice(0, channels_max)
  }

  private receive(message: BusMessage) {
    if (message.kind === 'wants') this.noteWanted(message)
    else if (message.kind === 'gone') this.wanted_elsewhere.delete(message.tab)
    else if (message.kind === 'state') {
      state.set(message.state)
      this.deliver(message.latest)
    } else {
      this.cursor.last_event_id = message.last_event_id
      this.deliver(message.events)
    }
  }

  private noteWanted({ tab, channel_ids, is_new = false }: BusMessage & { kind: 'wants' }) {
    this.wanted_elsewhere.set(tab, channel_ids)
    if (is_new) this.say({ kind: 'wants', tab: this.tab, channel_ids: this.ownChannels() })
    if (!this.connected) return
    if (is_new) this.sayState()
    this.reconnectIfNeeded()
  }

  private reconnectIfNeeded() {
    if (this.allChannels().some((id) => !this.connected?.includes(id))) this.reconnect()
  }

  private sayState() {
    this.say({ kind: 'state', state: state.get(), latest: [...this.latest.values()] })
  }

  /** Leads whenever no other tab does and this one is visible. Without locks, each tab leads for itself. */
  private async leadInTurn() {
    const { signal } = this.closed
    while (!signal.aborted) {
      if (document.hidden) await waitForRetry(Infinity, signal)
      else if ('locks' in navigator)
        await navigator.locks.request(this.name, { signal }, () => this.lead()).catch(() => undefined)
      else await this.lead()
    }
  }

  /** Holds the connection until the tab was hidden for a while, or is closed. */
  private async lead() {
    if (document.hidden || this.closed.signal.aborted) return
    const turn = new AbortController()
    let hidden: ReturnType<typeof setTimeout> | undefined
    const onVisibilityChange = () => {
      clearTimeout(hidden)
      hidden = document.hidden ? setTimeout(() => turn.abort(), hidden_timeout_ms) : undefined
    }
    document.addEventListener('visibilitychange', onVisibilityChange)
    try {
      await followEvents(
        {
          channelIds: () => (this.connected = this.allChannels()),
          cursor: this.cursor,
          onEvent: (event) => this.gather(event),
          onState: (next) => {
            state.set(next)
            this.sayState()
          },
          mayAsk: () => followers.size > 0,
        },
        AbortSignal.any([turn.signal, this.closed.signal]),
        (run) => (this.reconnect = run),
      )
    } finally {
      this.connected = undefined
      clearTimeout(hidden)
      document.removeEventListener('visibilitychange', onVisibilityChange)
    }
  }

  private gather(event: PlazaEvent) {
    this.gathered.push(event)
    this.flushing ??= setTimeout(() => this.flush(), Math.max(0, this.next_flush - performance.now()))
  }

  private flush() {
    this.flushing = undefined
    this.next_flush = performance.now() + (this.gathered.length > many_events ? gather_ms.many : gather_ms.few)
    const events = withoutOutdated(this.gathered.splice(0))
    this.say({ kind: 'events', events, last_event_id: this.cursor.last_event_id })
    this.deliver(events)
  }

  private deliver(events: readonly PlazaEvent[]) {
    if (this.closed.signal.aborted) return
    for (const event of events) {
      const subject = event.name === 'notices' || event.name === 'balance' ? subjectOf(event) : undefined
      if (subject !== undefined) this.latest.set(subject, event)
      updateQueries(event)
      for (const listener of listeners) listener(event)
    }
  }
}
