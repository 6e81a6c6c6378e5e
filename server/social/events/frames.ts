import { idOf, type Cursor } from './cursor.rules.ts'

/** An event as a frame of the stream; its data is one line of JSON. */
export const frameOf = (cursor: Cursor, name: string, data: object) =>
  `id: ${idOf(cursor)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Events before this cursor can no longer be delivered: the client reads everything again. */
export const resetFrame = (cursor: Cursor) => frameOf(cursor, 'reset', {})

/** The login session ended; the stream ends with this frame. */
export const sessionEndedFrame = (cursor: Cursor) => frameOf(cursor, 'session_ended', {})

/** A comment and the id to resume from, which also advances without events for the reader. */
export const heartbeatFrame = (cursor: Cursor) => `: still here\nid: ${idOf(cursor)}\n\n`

/** The number of unread notices, at the start of a stream that requests it. */
export const unreadFrame = (cursor: Cursor, unread: number) => frameOf(cursor, 'notices', { unread })

/** The balance of the person or of their app, as totals that every movement changes. */
export const balanceFrame = (cursor: Cursor, balance: object) => frameOf(cursor, 'balance', balance)

/** An app's webhook deliveries were added or attempted. */
export const deliveriesFrame = (cursor: Cursor, app_id: string) => frameOf(cursor, 'webhook_deliveries', { app_id })

/** The first frame. The random delay spreads the reconnections of readers that lost their streams at the same time. */
export const welcomeFrame = (cursor: Cursor) =>
  `retry: ${1_000 + Math.floor(Math.random() * 2_000)}\nid: ${idOf(cursor)}\n\n`
