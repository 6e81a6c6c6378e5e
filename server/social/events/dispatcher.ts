import type { UserCaller } from '../../../contract/caller.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { canonicalId } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { openStallWarning } from './stall-warning.ts'
import { refuseUnknownChannels } from '../chat.service.ts'
import {
  findOldestTransaction,
  findHorizon,
  isCursorExpired,
  readEvents,
  readMissed,
  type EventRow,
  type Cursor,
} from './store.ts'
import { idOf, frameOf, fanOut, type Subscriber, type Delivery } from './fan-out.ts'

/** Where a reader's events go, and what can be told of it. */
export interface EventSink {
  send(pieces: readonly string[]): void
  drained(): Promise<void>
  stalledMs(): number
  /** Ends it after these pieces; with none, cuts it off. */
  end(pieces?: readonly string[]): void
  isClosed(): boolean
  onClose(effect: () => void): void
}

export interface EventsParts {
  db: Database
  log: Logger
  heartbeat_seconds: number
  /** Is the caller's login session still in force? */
  isSignedIn(caller: UserCaller): Promise<boolean>
  /** Grows whenever some session or other was ended. */
  invalidationVersion(): number
}

/** What a reader asks for. */
export interface Subscription {
  channel_ids: readonly string[]
  /** The id of the last event that reached the reader before. */
  last_event_id: string | undefined
}

/** The events of this process: one dispatcher reads them once and hands them to all readers that are connected here. */
export interface Events {
  /** Checks a subscription and answers what fills an outlet with its events. Fails with `not_found`. */
  subscribe(caller: UserCaller, subscription: Subscription): Promise<(outlet: EventSink) => void>
  /** There may be new events. */
  wake(): void
  /** Resolves when nothing is being read. */
  drain(): Promise<void>
}

interface Reader extends Subscriber {
  caller: UserCaller
  outlet: EventSink
  /** Everything up to here has been sent, or is none of the reader's. */
  at: Cursor
  /** Gets new events as they come; before that it is still being told what it missed. */
  live: boolean
  checked_ms: number
}

const batch_max = 500
/** A page of what a reader missed: less than may wait for it. */
const missed_max = 200
/** Of a page so much is sent before the reader has taken it: far less than may wait. */
const sent_at_once = 20
const tick_ms = 1_000
/** Events with an older transaction beside their own are read when that is over. */
const pending_ms = 20
/** A transaction that takes longer is looked at: one of another database need not be waited for. */
const patience_ms = 500
/** One of our own that takes so long is somebody's mistake. */
const warn_ms = 10_000

const isAfter = (a: Cursor, b: Cursor) => a.xid > b.xid || (a.xid === b.xid && a.seq > b.seq)

function parseCursor(id: string): Cursor {
  const [xid, seq] = id.split('-')
  return { xid: Number(xid), seq: Number(seq) }
}

const reset = (at: Cursor) => frameOf(at, 'reset', {})
const sessionEnded = (at: Cursor) => frameOf(at, 'session_ended', {})
/** A comment, and the place to resume from: it moves on in silence too. */
const heartbeat = (at: Cursor) => `: still here\nid: ${idOf(at)}\n\n`
/** Readers that were cut off at once do not come back at once. */
const welcome = (at: Cursor) => `retry: ${1_000 + Math.floor(Math.random() * 2_000)}\nid: ${idOf(at)}\n\n`

/**
 * The events of one process. The dispatcher reads new events once and hands them to all readers; a reader with a past
 * reads what it missed from the table, and goes live in the very moment in which nothing lies between the two.
 * While nobody reads, it asks nothing of the database.
 */
class Dispatcher implements Events {
  private readonly parts: EventsParts
  private readonly readers = new Set<Reader>()
  /** How far new events have been read; undefined while nobody reads. */
  private position: Cursor | undefined
  private starting: Promise<void> | undefined
  private polling: Promise<void> | undefined
  private again = false
  private timer: NodeJS.Timeout | undefined
  private seen_moment: number
  /** How many events could not be told, in the life of this process. */
  private left_out = 0
  /** Events wait for a transaction. */
  private readonly stall: ReturnType<typeof openStallWarning>

  constructor(parts: EventsParts) {
    this.parts = parts
    this.seen_moment = parts.invalidationVersion()
    const warn = () => parts.log.warn('events wait for a transaction of this database that has been open for long')
    this.stall = openStallWarning({ warn_ms, warn })
  }

  async subscribe(caller: UserCaller, { channel_ids, last_event_id }: Subscription) {
    const { db } = this.parts
    const channels = [...new Set(channel_ids.map(canonicalId))]
    await refuseUnknownChannels({ db }, channels)
    const after = last_event_id ? parseCursor(last_event_id) : undefined
    const lost = after !== undefined && (await isCursorExpired(db, after))
    // What was read up to for readers who are gone, or never came, is of no use to the next.
    this.rest()
    // The present begins before the reader is told that it listens.
    if (!this.position) await this.start()
    const at = after && !lost ? after : await findHorizon(db)
    const { user_id } = caller
    return (outlet: EventSink) => {
      const reader = { caller, user_id, channel_ids: channels, outlet, at, live: false, checked_ms: Date.now() }
      void this.fill(reader, lost)
    }
  }

  wake() {
    this.again = true
    if (this.readers.size === 0) return
    this.polling ??= this.poll()
      .catch((error: Error) => this.warn(error, 'events could not be read: tried again shortly'))
      .finally(() => {
        this.polling = undefined
        this.rest()
      })
  }

  async drain() {
    await this.polling
  }

  private warn(error: unknown, what: string) {
    this.parts.log.warn({ error: (error as Error).message }, what)
  }

  private start() {
    this.starting ??= findHorizon(this.parts.db)
      .then((place) => {
        this.position ??= place
      })
      .finally(() => {
        this.starting = undefined
      })
    return this.starting
  }

  private rest() {
    if (this.readers.size === 0 && !this.polling) this.position = undefined
  }

  private async poll() {
    const { db } = this.parts
    while (this.again && this.position) {
      this.again = false
      const before = this.position
      const over_before = await this.oldestTransaction()
      const { events, upto, full, pending } = await readEvents(db, { after: before, over_before, rows_max: batch_max })
      this.stall.note(pending && !isAfter(upto, before))
      if (pending && this.stall.forMs() < patience_ms) setTimeout(() => this.wake(), pending_ms)
      if (!isAfter(upto, before)) continue
      // Who goes live from here on has been told of these events among those it missed.
      this.position = upto
      await this.dispatch(events, upto)
      this.again ||= full
    }
  }

  /** Asked only when something has been waited for: the bound of the snapshot itself is nearly always enough. */
  private async oldestTransaction() {
    return this.stall.forMs() < patience_ms ? 0 : findOldestTransaction(this.parts.db)
  }

  private async dispatch(events: EventRow[], upto: Cursor) {
    const live = [...this.readers].filter((reader) => reader.live)
    const told = events.length > 0 ? await this.tellPersistently(events, live) : []
    for (const [at, reader] of live.entries())
      this.survive(reader, () => {
        sendNew(reader, told[at] ?? [])
        if (isAfter(upto, reader.at)) reader.at = upto
      })
  }

  /** A reader that cannot be served is cut off, and may come back for what it missed; the others go on. */
  private survive(reader: Reader, serve: () => void) {
    try {
      serve()
    } catch (error) {
      this.warn(error, 'a reader could not be served and is cut off')
      this.readers.delete(reader)
      reader.outlet.end()
    }
  }

  private tell(events: readonly EventRow[], readers: readonly Reader[]) {
    return fanOut(this.parts.db, events, readers, (event, error) => {
      const { kind, actor_id } = event
      const about = { event: idOf(event), kind, actor_id, left_out: ++this.left_out, err: error }
      this.parts.log.error(about, 'an event cannot be told: it is left out')
    })
  }

  /** What was read from the table must reach its readers: a database that fails in between is asked again. */
  private async tellPersistently(events: EventRow[], live: Reader[]): Promise<Delivery[][]> {
    while (this.readers.size > 0) {
      try {
        return await this.tell(events, live)
      } catch (error) {
        this.warn(error, 'events could not be told: tried again shortly')
        await new Promise((next) => setTimeout(next, tick_ms))
      }
    }
    return []
  }

  private async fill(reader: Reader, lost: boolean) {
    const { outlet } = reader
    try {
      while (!this.position) await this.start()
      this.join(reader)
      outlet.send([welcome(reader.at), ...(lost ? [reset(reader.at)] : [])])
      await this.catchUp(reader)
      this.wake()
      // The session may have ended while the stream began.
      await this.check(reader, false)
    } catch (error) {
      this.warn(error, 'a reader could not be told what it missed')
      outlet.end()
    }
  }

  private join(reader: Reader) {
    const { readers } = this
    readers.add(reader)
    this.timer ??= setInterval(() => this.tick(), tick_ms)
    reader.outlet.onClose(() => {
      readers.delete(reader)
      if (readers.size > 0) return
      clearInterval(this.timer)
      this.timer = undefined
      this.rest()
    })
  }

  /** Tells a reader what it missed, page by page, until nothing lies between it and the dispatcher. */
  private async catchUp(reader: Reader) {
    const { db } = this.parts
    const { user_id, channel_ids, outlet } = reader
    while (this.position && isAfter(this.position, reader.at) && !outlet.isClosed()) {
      const upto = this.position
      const events = await readMissed(db, { user_id, channel_ids, after: reader.at, upto, rows_max: missed_max })
      if (await isCursorExpired(db, reader.at)) {
        outlet.send([reset(upto)])
        reader.at = upto
        continue
      }
      const [told = []] = await this.tell(events, [reader])
      for (let from = 0; from < told.length; from += sent_at_once) {
        await outlet.drained()
        sendNew(reader, told.slice(from, from + sent_at_once))
      }
      reader.at = (events.length === missed_max && events.at(-1)) || upto
    }
    reader.live = true
  }

  private tick() {
    this.wake()
    const moment = this.parts.invalidationVersion()
    const beat_ms = this.parts.heartbeat_seconds * 1000
    for (const reader of this.readers)
      this.survive(reader, () => {
        const beats = reader.checked_ms <= Date.now() - beat_ms
        if (beats) reader.checked_ms = Date.now()
        if (beats && reader.outlet.stalledMs() > 2 * beat_ms) reader.outlet.end()
        else if (beats || moment !== this.seen_moment) void this.check(reader, beats)
      })
    this.seen_moment = moment
  }

  /** Ends the stream of a session that is over; else lets the reader know, at a beat, that the stream is alive. */
  private async check(reader: Reader, beats: boolean) {
    try {
      const signed_in = await this.parts.isSignedIn(reader.caller)
      if (!signed_in) reader.outlet.end([sessionEnded(reader.at)])
      else if (beats) reader.outlet.send([heartbeat(reader.at)])
    } catch (error) {
      this.warn(error, 'a session could not be checked: tried again shortly')
    }
  }
}

/** Sends a reader those of the events that it has not had yet. */
function sendNew({ outlet, at }: Reader, told: readonly Delivery[]) {
  const pieces = told.filter((event) => isAfter(event, at)).map(({ frame }) => frame)
  if (pieces.length > 0) outlet.send(pieces)
}

/** Opens the events of this process. */
export const openEvents = (parts: EventsParts): Events => new Dispatcher(parts)
