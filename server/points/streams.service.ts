import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import type { Reading } from '../platform/batching/invalidating-cache.ts'
import type { EventStream } from '../platform/event-stream.ts'
import { inBatches } from '../platform/in-batches.ts'
import type { Logger } from '../platform/log.ts'
import type { Database } from '../platform/postgres/database.ts'
import { endWatches, findWatch, purgeChanges, readStanding, watchPerson } from './changes.store.ts'
import { endOfStream, frameOf, heartbeatFrame, parsePlace, welcomeFrame, type Place } from './streams.rules.ts'

const { kept_seconds } = decisions.point_streams

/** The access token and connection that keep a stream open. */
export type StreamStanding = 'live' | 'session_ended' | 'connection_ended'

export interface PointStreamsParts {
  db: Database
  clock: Clock
  log: Logger
  heartbeat_seconds: number
  /** Increases whenever a token or connection ends. */
  invalidationVersion(): number
}

export interface PointSubscription {
  caller: AppCaller
  last_event_id: string | undefined
  /** Whether the token that opened the stream is still valid. */
  standing(reading: Reading): Promise<StreamStanding>
}

/** The streams of this process that follow people's points for apps. */
export interface PointStreams {
  /** Starts recording the person's changes; returns a function that sends them to a connection. */
  subscribe(subscription: PointSubscription): Promise<(sink: EventStream) => void>
  /** Signals that the points of this person have changed; without an argument, those of anyone may have. */
  wake(user_id?: string): void
  streams(): number
}

const tick_ms = 1_000
/** Changes of holds per read. */
const page_max = 100
/** How often the record of a followed person is renewed. */
const noted_seconds = 3_600
/** Clocks of processes differ. */
const clock_margin_seconds = 60

interface Stream extends PointSubscription {
  sink: EventStream
  place: Place
  sent: { points: number; held: number } | undefined
  checked_ms: number
  /** The read in progress, and whether another one must follow. */
  reading: boolean
  again: boolean
}

export const openPointStreams = (parts: PointStreamsParts): PointStreams => new Streams(parts)

class Streams implements PointStreams {
  private readonly parts: PointStreamsParts
  private readonly by_user = new Map<string, Set<Stream>>()
  private timer: NodeJS.Timeout | undefined
  private seen_version = 0

  constructor(parts: PointStreamsParts) {
    this.parts = parts
  }

  async subscribe(subscription: PointSubscription) {
    const { db, clock } = this.parts
    const { user_id, app_id } = subscription.caller
    const now = clock()
    await this.watch(user_id)
    const since = (await findWatch(db, user_id))?.since ?? now
    const wanted = parsePlace(subscription.last_event_id)
    const oldest_ms = Math.max(since.getTime(), secondsAfter(now, clock_margin_seconds - kept_seconds).getTime())
    const is_lost = wanted !== undefined && wanted.at_ms < oldest_ms
    const { last_seq } = await readStanding(db, { user_id, app_id, after: Number.MAX_SAFE_INTEGER, rows_max: 1 })
    // A number above the latest one comes from another database.
    const is_known = wanted !== undefined && !is_lost && wanted.seq <= last_seq
    const place = is_known ? wanted : { seq: last_seq, at_ms: now.getTime() }
    const is_reset = wanted !== undefined && !is_known
    return (sink: EventStream) => {
      const stream = {
        ...subscription,
        sink,
        place,
        sent: undefined,
        checked_ms: performance.now(),
        reading: false,
        again: false,
      }
      this.serve(stream, is_reset)
    }
  }

  wake(user_id?: string) {
    const woken = user_id === undefined ? [...this.by_user.values()] : [this.by_user.get(user_id) ?? []]
    for (const streams of woken) for (const stream of streams) void this.read(stream)
  }

  streams() {
    return [...this.by_user.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Starts recording the changes of a person and renews the record from time to time. */
  private async watch(user_id: string) {
    const { db, clock } = this.parts
    const now = clock()
    const watch = await findWatch(db, user_id)
    if (watch && watch.read_at > secondsAfter(now, -noted_seconds)) return
    await db.transaction((tx) => watchPerson(tx, user_id, now))
  }

  private serve(stream: Stream, is_reset: boolean) {
    const { user_id } = stream.caller
    const streams = this.by_user.get(user_id) ?? new Set()
    this.by_user.set(user_id, streams.add(stream))
    stream.sink.onClose(() => this.remove(stream))
    if (!this.timer) {
      this.seen_version = this.parts.invalidationVersion()
      this.timer = setInterval(() => this.tick(), tick_ms)
    }
    stream.sink.send([welcomeFrame(stream.place), ...(is_reset ? [frameOf(stream.place, 'reset', {})] : [])])
    void this.read(stream)
    // The token may have ended while the stream was being opened.
    void this.check(stream, false)
  }

  private remove(stream: Stream) {
    const { user_id } = stream.caller
    const streams = this.by_user.get(user_id)
    streams?.delete(stream)
    if (streams?.size === 0) this.by_user.delete(user_id)
    if (this.by_user.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  /** Sends the changes since the stream's position. Calls during a read cause one more read. */
  private async read(stream: Stream) {
    stream.again = true
    if (stream.reading) return
    stream.reading = true
    try {
      while (stream.again && !stream.sink.isClosed()) {
        stream.again = false
        await this.readOnce(stream)
      }
    } catch (error) {
      this.parts.log.warn(
        { error: (error as Error).message },
        'points could not be read for a stream: tried again shortly',
      )
    } finally {
      stream.reading = false
    }
  }

  private async readOnce(stream: Stream) {
    const { db, clock } = this.parts
    const { user_id, app_id } = stream.caller
    const changes = await readStanding(db, { user_id, app_id, after: stream.place.seq, rows_max: page_max })
    const at_ms = clock().getTime()
    const frames = changes.holds.map(({ seq, hold }) => frameOf({ seq, at_ms }, 'hold', hold))
    const place = { seq: changes.read_to ?? Math.max(changes.last_seq, stream.place.seq), at_ms }
    const balance = { points: changes.points, held: changes.held }
    if (stream.sent?.points !== balance.points || stream.sent.held !== balance.held)
      frames.push(frameOf(place, 'balance', balance))
    // The end of the connection frees holds: they can be read before the notice of the end arrives.
    const reading = changes.holds.some(({ hold }) => hold.release_reason === 'disconnected') ? 'current' : 'cached'
    if (frames.length > 0 && !(await this.isLive(stream, reading))) return
    stream.place = place
    stream.sent = balance
    stream.sink.send(frames)
    await stream.sink.drained()
    if (changes.read_to !== undefined) stream.again = true
  }

  /** Ends the stream if its token has ended. Called before each send. */
  private async isLive(stream: Stream, reading: Reading = 'cached') {
    const standing = await stream.standing(reading)
    if (standing !== 'live') stream.sink.end([endOfStream(stream.place, standing)])
    return standing === 'live'
  }

  private tick() {
    const version = this.parts.invalidationVersion()
    const is_changed = version !== this.seen_version
    this.seen_version = version
    const heartbeat_ms = this.parts.heartbeat_seconds * 1_000
    for (const streams of this.by_user.values())
      for (const stream of streams) {
        const is_due = stream.checked_ms <= performance.now() - heartbeat_ms
        if (is_due && stream.sink.stalledMs() > 2 * heartbeat_ms) stream.sink.end()
        else if (is_due || is_changed) void this.check(stream, is_due)
      }
  }

  /** Ends the stream if its token has ended. Otherwise sends a due heartbeat, and reads in case a notification was lost. */
  private async check(stream: Stream, is_due: boolean) {
    if (is_due) stream.checked_ms = performance.now()
    try {
      if (!(await this.isLive(stream)) || !is_due) return
      await this.watch(stream.caller.user_id)
      stream.sink.send([heartbeatFrame(stream.place)])
      await this.read(stream)
    } catch (error) {
      this.parts.log.warn(
        { error: (error as Error).message },
        'the token of a stream could not be checked: tried again shortly',
      )
    }
  }
}

/** Deletes changes that are too old to resume from, and stops recording for people whom no app follows, in batches. */
export async function purgePointChanges({ db, clock }: Pick<PointStreamsParts, 'db' | 'clock'>, rows_max: number) {
  const before = secondsAfter(clock(), -kept_seconds)
  // The record is renewed hourly, so the limit adds an hour before recording stops.
  await inBatches(rows_max, () =>
    db.transaction((tx) => endWatches(tx, { before: secondsAfter(before, -noted_seconds), rows_max })),
  )
  await inBatches(rows_max, () => purgeChanges(db.adHoc, { before, rows_max }))
}
