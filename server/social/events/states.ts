import type { Transitions } from '../../platform/state-machine.ts'

/**
 * The modes of the dispatcher.
 *
 * - `idle`: there are no readers and no cursor, and no query is sent.
 * - `starting`: reads the horizon for the first reader: new events are those after it.
 * - `waiting`: the cursor is known and no read is in progress.
 * - `polling`: reads and delivers the events after the cursor.
 * - `polling_again`: like `polling`; another read follows, because of a wake-up or because there is more to read.
 */
export type DispatcherMode = 'idle' | 'starting' | 'waiting' | 'polling' | 'polling_again'

export const dispatcher_transitions: Transitions<DispatcherMode> = {
  // The first reader connects.
  idle: ['starting'],
  // The horizon was read, or the read failed.
  starting: ['waiting', 'idle'],
  // A wake-up, or the last reader has gone.
  waiting: ['polling', 'idle'],
  // All events are read, or the read failed; or there is more to read.
  polling: ['waiting', 'polling_again'],
  // The next read begins, or the read failed.
  polling_again: ['polling', 'waiting'],
}

/**
 * The states of a reader.
 *
 * - `catching_up`: reads missed events from the table, up to the dispatcher's cursor.
 * - `live`: gets the events that the dispatcher reads.
 * - `closed`: its connection is closed.
 */
export type ReaderState = 'catching_up' | 'live' | 'closed'

export const reader_transitions: Transitions<ReaderState> = {
  catching_up: ['live', 'closed'],
  live: ['closed'],
  closed: [],
}
