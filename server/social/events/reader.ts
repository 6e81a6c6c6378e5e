import type { UserCaller } from '../../../contract/caller.ts'
import { StateMachine } from '../../platform/state-machine.ts'
import { isAfter, type Cursor } from './cursor.rules.ts'
import type { Delivery, Subscriber } from './fan-out.ts'
import { reader_transitions, type ReaderState } from './states.ts'

/** The connection to which a reader's frames are written. */
export interface EventSink {
  send(frames: readonly string[]): void
  /** Resolves when nothing waits to be sent, and when the connection is closed. */
  drained(): Promise<void>
  /** For how long the client has taken nothing of what waits. */
  stalledMs(): number
  /** Ends the stream after these frames; without frames, closes the connection at once. */
  end(frames?: readonly string[]): void
  isClosed(): boolean
  /** Calls `effect` once, when the connection is closed. */
  onClose(effect: () => void): void
}

export interface ReaderParts {
  caller: UserCaller
  channel_ids: readonly string[]
  notices: boolean
  sink: EventSink
  /** Where its stream begins. */
  cursor: Cursor
  /** Gets a forbidden transition, which is then made all the same. */
  onIllegalTransition(error: Error): void
}

/** One connected event stream. `states.ts` lists its states. */
export class Reader implements Subscriber {
  readonly caller: UserCaller
  readonly channel_ids: readonly string[]
  readonly notices: boolean
  readonly sink: EventSink
  /** Every event up to here was sent, or is not for this reader. */
  cursor: Cursor
  /** When its session was last checked by a heartbeat, in ms since the epoch. */
  checked_ms = Date.now()
  private readonly state: StateMachine<ReaderState>

  constructor({ caller, channel_ids, notices, sink, cursor, onIllegalTransition }: ReaderParts) {
    this.caller = caller
    this.channel_ids = channel_ids
    this.notices = notices
    this.sink = sink
    this.cursor = cursor
    this.state = new StateMachine('event reader', reader_transitions, 'catching_up', onIllegalTransition)
  }

  get user_id() {
    return this.caller.user_id
  }

  isLive() {
    return this.state.is('live')
  }

  /** Nothing that is sent arrives any more: the stream was ended, or the client is gone. */
  isClosed() {
    return this.state.is('closed') || this.sink.isClosed()
  }

  /** From here on it gets the events that the dispatcher reads. A reader that was closed meanwhile stays closed. */
  goLive() {
    if (!this.state.is('closed')) this.state.enter('live')
  }

  /** Marks it as closed. May be called again. */
  close() {
    if (!this.state.is('closed')) this.state.enter('closed')
  }

  /** Sends those of the deliveries that it has not had yet. */
  sendNew(deliveries: readonly Delivery[]) {
    const frames = deliveries.filter((delivery) => isAfter(delivery, this.cursor)).map(({ frame }) => frame)
    if (frames.length > 0) this.sink.send(frames)
  }

  /** Moves its cursor forward, never back. */
  advanceTo(cursor: Cursor) {
    if (isAfter(cursor, this.cursor)) this.cursor = cursor
  }
}
