import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter, type Clock } from '../kit/clock.ts'
import type { Database } from '../kit/database.ts'
import type { Logger } from '../kit/log.ts'
import { refuseUnknownChannels } from './chat.service.ts'
import {
  clearEvents,
  clearForeignEvents,
  findSettledPlace,
  insertEvents,
  isLost,
  readEvents,
  readMissed,
  type EventRow,
  type Place,
} from './events.store.ts'
import { plainId } from './rules.ts'
import type { SocialEvents } from './service.ts'
import { idOf, pieceOf, tellEvents, type Audience, type FriendshipPayload, type Told } from './telling.service.ts'

export { events_channel } from './events.store.ts'

/** Where a reader's events go, and what can be told of it. */
export interface Outlet {
  send(pieces: readonly string[]): void
  drained(): Promise<void>
  stalledMs(): number
  /** Ends it after these pieces; with none, cuts it off. */
  end(pieces?: readonly string[]): void
  isOver(): boolean
  onceOver(effect: () => void): void
}

export interface EventsParts {
  db: Database
  clock: Clock
  log: Logger
  heartbeat_seconds: number
  /** Is the caller's login session still in force? */
  isSignedIn(caller: UserCaller): Promise<boolean>
  /** Grows whenever some session or other was ended. */
  revocationMoment(): number
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
  subscribe(caller: UserCaller, subscription: Subscription): Promise<(outlet: Outlet) => void>
  /** There may be new events. */
  wake(): void
  /** Resolves when nothing is being read. */
  drain(): Promise<void>
}

interface Reader extends Audience {
  caller: UserCaller
  outlet: Outlet
  /** Everything up to here has been sent, or is none of the reader's. */
  at: Place
  /** Gets new events as they come; before that it is still being told what it missed. */
  live: boolean
  checked_ms: number
}

const batch_max = 500
/** A page of what a reader missed: less than may wait for it. */
const missed_max = 200
const tick_ms = 1_000
/** Events with an older transaction beside their own are read when that is over. */
const pending_ms = 20

const isAfter = (a: Place, b: Place) => a.xid > b.xid || (a.xid === b.xid && a.seq > b.seq)

function placeOf(id: string): Place {
  const [xid, seq] = id.split('-')
  return { xid: Number(xid), seq: Number(seq) }
}

const reset = (at: Place) => pieceOf(at, 'reset', {})
const sessionEnded = (at: Place) => pieceOf(at, 'session_ended', {})
/** A comment, and the place to resume from: it moves on in silence too. */
const heartbeat = (at: Place) => `: still here\nid: ${idOf(at)}\n\n`
/** Readers that were cut off at once do not come back at once. */
const welcome = (at: Place) => `retry: ${1_000 + Math.floor(Math.random() * 2_000)}\nid: ${idOf(at)}\n\n`

/** Opens the events of this process. While nobody reads, it asks nothing of the database. */
export function openEvents(parts: EventsParts): Events {
  const { db, log, clock, heartbeat_seconds } = parts
  const readers = new Set<Reader>()
  /** How far the dispatcher has read; undefined while nobody reads. */
  let position: Place | undefined
  let starting: Promise<void> | undefined
  let polling: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined
  let seen_moment = parts.revocationMoment()

  const start = () =>
    (starting ??= findSettledPlace(db)
      .then((place) => {
        position ??= place
      })
      .finally(() => {
        starting = undefined
      }))

  function rest() {
    if (readers.size === 0 && !polling) position = undefined
  }

  function wake() {
    again = true
    if (readers.size === 0) return
    polling ??= poll()
      .catch((error: Error) => log.warn({ error: error.message }, 'events could not be read: tried again shortly'))
      .finally(() => {
        polling = undefined
        rest()
      })
  }

  async function poll() {
    while (again && position) {
      again = false
      const before = position
      const { events, upto, full, pending } = await readEvents(db, before, batch_max)
      if (!isAfter(upto, before) && events.length === 0) return
      // Who goes live from here on has been told of these events among those it missed.
      position = upto
      await dispatch(events, upto)
      again ||= full
      if (pending) setTimeout(wake, pending_ms)
    }
  }

  async function dispatch(events: EventRow[], upto: Place) {
    const live = [...readers].filter((reader) => reader.live)
    const told = events.length > 0 ? await tellPersistently(events, live) : []
    for (const [at, reader] of live.entries()) {
      sendNew(reader, told[at] ?? [])
      if (isAfter(upto, reader.at)) reader.at = upto
    }
  }

  /** What was read from the table must reach its readers: a database that fails in between is asked again. */
  async function tellPersistently(events: EventRow[], live: Reader[]): Promise<Told[][]> {
    for (;;) {
      try {
        return await tellEvents(db, clock(), events, live)
      } catch (error) {
        log.warn({ error: (error as Error).message }, 'events could not be told: tried again shortly')
        if (readers.size === 0) return []
        await new Promise((next) => setTimeout(next, tick_ms))
      }
    }
  }

  async function fill(reader: Omit<Reader, 'at'>, after: Place | undefined, lost: boolean) {
    const { outlet } = reader
    try {
      while (!position) await start()
      const joined: Reader = Object.assign(reader, { at: after ?? position })
      join(joined)
      outlet.send([welcome(joined.at), ...(lost ? [reset(joined.at)] : [])])
      await catchUp(joined)
      wake()
      // The session may have ended while the stream began.
      await check(joined, false)
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'a reader could not be told what it missed')
      outlet.end()
    }
  }

  function join(reader: Reader) {
    readers.add(reader)
    timer ??= setInterval(tick, tick_ms)
    reader.outlet.onceOver(() => {
      readers.delete(reader)
      if (readers.size > 0) return
      clearInterval(timer)
      timer = undefined
      rest()
    })
  }

  /** Tells a reader what it missed, page by page, until nothing lies between it and the dispatcher. */
  async function catchUp(reader: Reader) {
    const { user_id, channel_ids, outlet } = reader
    while (position && isAfter(position, reader.at) && !outlet.isOver()) {
      const upto = position
      const events = await readMissed(db, { user_id, channel_ids, after: reader.at, upto, rows_max: missed_max })
      if (await isLost(db, reader.at)) {
        outlet.send([reset(upto)])
        reader.at = upto
        continue
      }
      const [told = []] = await tellEvents(db, clock(), events, [reader])
      await outlet.drained()
      sendNew(reader, told)
      reader.at = (events.length === missed_max && events.at(-1)) || upto
    }
    reader.live = true
  }

  function tick() {
    wake()
    const moment = parts.revocationMoment()
    const due_ms = Date.now() - heartbeat_seconds * 1000
    for (const reader of readers) {
      const beats = reader.checked_ms <= due_ms
      if (beats) reader.checked_ms = Date.now()
      if (beats && reader.outlet.stalledMs() > 2 * heartbeat_seconds * 1000) reader.outlet.end()
      else if (beats || moment !== seen_moment) void check(reader, beats)
    }
    seen_moment = moment
  }

  /** Ends the stream of a session that is over; else lets the reader know, at a beat, that the stream is alive. */
  async function check(reader: Reader, beats: boolean) {
    try {
      const signed_in = await parts.isSignedIn(reader.caller)
      if (!signed_in) reader.outlet.end([sessionEnded(reader.at)])
      else if (beats) reader.outlet.send([heartbeat(reader.at)])
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'a session could not be checked: tried again shortly')
    }
  }

  return {
    async subscribe(caller, { channel_ids, last_event_id }) {
      const channels = [...new Set(channel_ids.map(plainId))]
      await refuseUnknownChannels({ db }, channels)
      const after = last_event_id ? placeOf(last_event_id) : undefined
      const lost = after !== undefined && (await isLost(db, after))
      // The present begins before the reader is told that it listens.
      if (!position) await start()
      const { user_id } = caller
      return (outlet) =>
        void fill(
          { caller, user_id, channel_ids: channels, outlet, live: false, checked_ms: Date.now() },
          lost ? undefined : after,
          lost,
        )
    },
    wake,
    drain: async () => {
      await polling
    },
  }
}

/** Sends a reader those of the events that it has not had yet. */
function sendNew({ outlet, at }: Reader, told: readonly Told[]) {
  const pieces = told.filter((event) => isAfter(event, at)).map(({ piece }) => piece)
  if (pieces.length > 0) outlet.send(pieces)
}

/** Writes what changes among friends as events, in the transaction that changes it. */
export const socialEvents = (clock: Clock): SocialEvents => ({
  friendship_changed: async (tx, { friendship_id, status, requester_id, addressee_id, now }) => {
    const payload = { friendship_id, status } satisfies FriendshipPayload
    const between = (user_id: string, actor_id: string) => ({ kind: 'friendship' as const, user_id, actor_id, payload })
    await insertEvents(tx, [between(requester_id, addressee_id), between(addressee_id, requester_id)], now)
  },
  presence_changed: async (tx, changes) => {
    const events = changes.map(({ user_id: actor_id, ...payload }) => ({
      kind: 'presence' as const,
      user_id: null,
      actor_id,
      payload,
    }))
    if (events.length > 0) await insertEvents(tx, events, clock())
  },
})

/** Deletes events that are too old to resume from, a bounded number at a time. */
export async function forgetOldEvents({ db, clock }: Pick<EventsParts, 'db' | 'clock'>, { rows_max }: { rows_max: number }) {
  await clearForeignEvents(db)
  const before = secondsAfter(clock(), -decisions['D-80'].value.kept_seconds)
  for (let rounds_left = 20; rounds_left > 0; rounds_left--)
    if ((await clearEvents(db, { before, rows_max })) < rows_max) return
}
