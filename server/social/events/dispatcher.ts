import type { UserCaller } from '../../../contract/caller.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { canonicalId } from '../../platform/ids.ts'
import { unreadCount } from '../../notices/service.ts'
import { histogram } from '../../platform/metrics/metrics.ts'
import { StateMachine } from '../../platform/state-machine.ts'
import { refuseUnknownChannels } from '../chat.service.ts'
import { openBalanceWatch } from './balance-watch.ts'
import { catchUp } from './catch-up.ts'
import type { TextFilter } from '../text-filter.rules.ts'
import { isAfter, parseCursor, type Cursor } from './cursor.rules.ts'
import { openFanOut, type Delivery, type FanOut } from './fan-out.ts'
import { resetFrame, unreadFrame, welcomeFrame } from './frames.ts'
import type { EventStream } from '../../platform/event-stream.ts'
import { Reader } from './reader.ts'
import { openSessionChecks, type SessionCheckParts } from './session-checks.ts'
import { openStallWarning } from './stall-warning.ts'
import { dispatcher_transitions, type DispatcherMode } from './states.ts'
import { findHorizon, findOldestTransaction, isCursorExpired, readEvents, type EventRow } from './store.ts'

export interface EventsParts extends SessionCheckParts {
  db: Database
  clock: Clock
  filter: TextFilter
}

/** The request of a reader. */
export interface Subscription {
  channel_ids: readonly string[]
  /** The id of the last event that the client received before. */
  last_event_id: string | undefined
  /** Whether the stream includes the number of unread notices. */
  notices: boolean
  /** Whether it includes balances. */
  balances: boolean
}

/** The event streams of this process. One dispatcher reads each new event once, for all connected readers. */
export interface Events {
  /** Checks a subscription and returns a function that writes its events to a sink. Fails with `not_found`. */
  subscribe(caller: UserCaller, subscription: Subscription): Promise<(sink: EventStream) => void>
  /** Signals that there may be new events. */
  wake(): void
  /** The number of open streams. */
  readers(): number
  /** Resolves when no read of new events is in progress. */
  drain(): Promise<void>
}

const lag_seconds = histogram({
  name: 'plaza_events_lag_seconds',
  help: 'How old the oldest of the events was that were delivered together to the readers of this process.',
}).with({})

const batch_max = 500
const tick_ms = 1_000
/** Delay of the next read while events wait for an older transaction. */
const pending_ms = 20
/** After this delay the older transaction is looked up; one of another database is ignored. */
const patience_ms = 500
/** A transaction of this database that stays open longer is logged as a fault. */
const warn_ms = 10_000

/**
 * The dispatcher of one process; `states.ts` lists its modes. It reads new events once and delivers them to all live
 * readers. A reader that resumes catches up from the table first. Without readers it sends no query.
 *
 * A forbidden transition is logged as an error but still made, so that streams do not stop.
 */
class Dispatcher implements Events {
  private readonly parts: EventsParts
  private readonly mode: StateMachine<DispatcherMode>
  /** The end of the read events; undefined in the modes `idle` and `starting`. */
  private cursor: Cursor | undefined
  /** The current or last start or read. */
  private work = Promise.resolve()
  private readonly readers_open = new Set<Reader>()
  /** Runs while there are readers. */
  private timer: NodeJS.Timeout | undefined
  private readonly fanOut: FanOut
  private readonly sessions: ReturnType<typeof openSessionChecks>
  private readonly sendBalances: ReturnType<typeof openBalanceWatch>
  /** Measures how long new events have waited for an older transaction. */
  private readonly stall: ReturnType<typeof openStallWarning>

  constructor(parts: EventsParts) {
    this.parts = parts
    this.mode = new StateMachine('event dispatcher', dispatcher_transitions, 'idle', this.onIllegalTransition)
    this.fanOut = openFanOut(parts)
    this.sessions = openSessionChecks(parts)
    this.sendBalances = openBalanceWatch({ ...parts, endIfOver: this.sessions.endIfOver })
    const warn = () => parts.log.warn('events wait for a transaction of this database that has been open for long')
    this.stall = openStallWarning({ warn_ms, warn })
  }

  async subscribe(caller: UserCaller, { channel_ids, last_event_id, notices, balances }: Subscription) {
    const { db } = this.parts
    const channels = [...new Set(channel_ids.map(canonicalId))]
    await refuseUnknownChannels({ db }, channels)
    const after = last_event_id ? parseCursor(last_event_id) : undefined
    const is_expired = after !== undefined && (await isCursorExpired(db, after))
    // A cursor left by earlier readers is older than this reader.
    this.rest()
    // Events count from here on, although the client receives the head of its stream later.
    if (!this.cursor) await this.ensureStarted()
    const cursor = after && !is_expired ? after : await findHorizon(db)
    const { onIllegalTransition } = this
    return (sink: EventStream) => {
      void this.serve(
        new Reader({ caller, channel_ids: channels, notices, balances, sink, cursor, onIllegalTransition }),
        is_expired,
      )
    }
  }

  wake() {
    if (this.mode.is('polling')) this.mode.enter('polling_again')
    else if (this.mode.is('waiting') && this.readers_open.size > 0) this.work = this.poll()
  }

  readers() {
    return this.readers_open.size
  }

  async drain() {
    if (this.mode.is('polling', 'polling_again')) await this.work
  }

  private readonly onIllegalTransition = (error: Error) => {
    this.parts.log.error({ err: error }, 'illegal transition')
  }

  private warn(error: unknown, message: string) {
    this.parts.log.warn({ error: (error as Error).message }, message)
  }

  /** Reads the first cursor, once for concurrent callers. Rejects if the database fails. */
  private ensureStarted() {
    if (this.mode.is('idle')) this.work = this.start()
    return this.work
  }

  private async start() {
    this.mode.enter('starting')
    try {
      this.cursor = await findHorizon(this.parts.db)
    } catch (error) {
      this.mode.enter('idle')
      throw error
    }
    this.mode.enter('waiting')
  }

  /** Drops the cursor when there are no readers. */
  private rest() {
    if (this.readers_open.size > 0 || !this.mode.is('waiting')) return
    this.cursor = undefined
    this.mode.enter('idle')
  }

  private async poll() {
    try {
      do {
        this.mode.enter('polling')
        await this.readOnce()
      } while (this.mode.is('polling_again'))
    } catch (error) {
      this.warn(error, 'events could not be read: tried again shortly')
    }
    this.mode.enter('waiting')
    this.rest()
  }

  private async readOnce() {
    const before = this.cursor
    if (!before) return
    const over_before = await this.oldestTransaction()
    const page = await readEvents(this.parts.db, { after: before, over_before, rows_max: batch_max })
    const { events, upto, is_full, is_pending } = page
    const is_ahead = isAfter(upto, before)
    this.stall.update(is_pending && !is_ahead)
    if (is_pending && this.stall.durationMs() < patience_ms) setTimeout(() => this.wake(), pending_ms)
    if (!is_ahead) return
    // In the same tick: a reader that goes live after this has caught up with these events.
    this.cursor = upto
    const live = [...this.readers_open].filter((reader) => reader.isLive())
    await this.deliver(events, upto, live)
    if (is_full) this.wake()
  }

  /** Looked up only after events have waited: the bound of the snapshot nearly always suffices and costs nothing. */
  private async oldestTransaction() {
    return this.stall.durationMs() < patience_ms ? 0 : findOldestTransaction(this.parts.db)
  }

  private async deliver(events: EventRow[], upto: Cursor, live: Reader[]) {
    const deliveries = events.length > 0 ? await this.fanOutPersistently(events, live) : []
    await Promise.all(live.filter((_, at) => deliveries[at]?.length).map((reader) => this.sessions.endIfOver(reader)))
    for (const [at, reader] of live.entries())
      this.guard(reader, () => {
        reader.sendNew(deliveries[at] ?? [])
        reader.advanceTo(upto)
      })
    const [oldest] = events
    if (oldest) lag_seconds.observe(Math.max(0, this.parts.clock().getTime() - oldest.inserted_at.getTime()) / 1_000)
  }

  /** The cursor has moved past these events, so they must be delivered: retries while the database fails. */
  private async fanOutPersistently(events: EventRow[], live: Reader[]): Promise<Delivery[][]> {
    while (this.readers_open.size > 0) {
      try {
        return await this.fanOut(events, live)
      } catch (error) {
        this.warn(error, 'events could not be delivered: tried again shortly')
        await new Promise((next) => setTimeout(next, tick_ms))
      }
    }
    return []
  }

  /** Disconnects a reader that cannot be served; it may resume. Other readers continue. */
  private guard(reader: Reader, serve: () => void) {
    try {
      serve()
    } catch (error) {
      this.warn(error, 'a reader could not be served and is disconnected')
      this.remove(reader)
      reader.sink.end()
    }
  }

  private async serve(reader: Reader, is_expired: boolean) {
    const { sink } = reader
    const { endIfOver } = this.sessions
    try {
      // The check and `add` must happen in one tick: otherwise `rest` may drop the cursor in between.
      while (!this.cursor) await this.ensureStarted()
      this.add(reader)
      sink.send([welcomeFrame(reader.cursor), ...(is_expired ? [resetFrame(reader.cursor)] : [])])
      // Counted after the cursor was fixed: later changes are events.
      if (reader.notices) {
        const unread = await unreadCount(this.parts, reader.user_id)
        await endIfOver(reader)
        sink.send([unreadFrame(reader.cursor, unread)])
      }
      await catchUp(reader, { db: this.parts.db, fanOut: this.fanOut, endIfOver, target: () => this.cursor })
      this.wake()
      // The session may have ended while the stream was being opened.
      await this.sessions.check(reader, false)
    } catch (error) {
      this.warn(error, 'a reader could not catch up and is disconnected')
      sink.end()
    }
  }

  private add(reader: Reader) {
    this.readers_open.add(reader)
    this.timer ??= setInterval(() => this.tick(), tick_ms)
    reader.sink.onClose(() => this.remove(reader))
  }

  private remove(reader: Reader) {
    reader.close()
    this.readers_open.delete(reader)
    if (this.readers_open.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
    this.rest()
  }

  private tick() {
    this.wake()
    const checkReader = this.sessions.beginRound()
    for (const reader of this.readers_open) this.guard(reader, () => checkReader(reader))
    void this.sendBalances([...this.readers_open].filter((reader) => reader.balances && reader.isLive()))
  }
}

export const openEvents = (parts: EventsParts): Events => new Dispatcher(parts)
