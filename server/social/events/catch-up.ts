import type { Database } from '../../platform/postgres/database.ts'
import { isAfter, type Cursor } from './cursor.rules.ts'
import type { FanOut } from './fan-out.ts'
import { resetFrame } from './frames.ts'
import type { Reader } from './reader.ts'
import { isCursorExpired, readMissed, type EventRow } from './store.ts'

/** Events per page; fewer than the frames that may be buffered for a reader. */
const page_max = 200
/** Frames sent before the client must have read them; far fewer than may be buffered. */
const sent_at_once = 20

interface CatchUpParts {
  db: Database
  fanOut: FanOut
  /** Ends the stream of a reader without access. */
  endIfOver(reader: Reader): Promise<void>
  /** The dispatcher's cursor, which advances in the meantime. */
  target(): Cursor | undefined
}

/**
 * Sends a reader the missed events, page by page, until it has reached the dispatcher's cursor. It goes live in the
 * same tick, so that no event is lost or sent twice in between. Rejects if the database fails.
 */
export async function catchUp(reader: Reader, { db, fanOut, endIfOver, target }: CatchUpParts) {
  for (let upto = target(); isMissing(reader, upto); upto = target()) {
    const { user_id, channel_ids } = reader
    const events = await readMissed(db, { user_id, channel_ids, after: reader.cursor, upto, rows_max: page_max })
    // Checked after the read, because rows purged before or during it are missing from the page.
    if (await isCursorExpired(db, reader.cursor)) {
      reader.sink.send([resetFrame(upto)])
      reader.advanceTo(upto)
      continue
    }
    const [deliveries = []] = await fanOut(events, [reader])
    for (let from = 0; from < deliveries.length; from += sent_at_once) {
      await reader.sink.drained()
      await endIfOver(reader)
      reader.sendNew(deliveries.slice(from, from + sent_at_once))
    }
    reader.advanceTo(endOfPage(events, upto))
  }
  reader.goLive()
}

const isMissing = (reader: Reader, upto: Cursor | undefined): upto is Cursor =>
  upto !== undefined && isAfter(upto, reader.cursor) && !reader.isClosed()

/** A full page ends with its last event; any other page ends with the requested range. */
const endOfPage = (events: readonly EventRow[], upto: Cursor) => (events.length === page_max && events.at(-1)) || upto
