import type { UserCaller } from '../../../contract/caller.ts'
import type { EventStream } from '../../platform/event-stream.ts'
import { StateMachine } from '../../platform/state-machine.ts'
import { isAfter, type Cursor } from './cursor.rules.ts'
import type { Delivery, Subscriber } from './fan-out.ts'
import { reader_transitions, type ReaderState } from './states.ts'

export interface ReaderParts {
  caller: UserCaller
  channel_ids: readonly string[]
  notices: boolean
  balances: boolean
  sink: EventStream
  /** The start of its stream. */
  cursor: Cursor
  /** Called with a forbidden transition, which is still made. */
  onIllegalTransition(error: Error): void
}

/** One connected event stream. `states.ts` lists its states. */
export class Reader implements Subscriber {
  readonly caller: UserCaller
  readonly channel_ids: readonly string[]
  readonly notices: boolean
  readonly balances: boolean
  /** The last state sent for each polled subject: balances by account, and deliveries by app. */
  readonly sent_states = new Map<string, string>()
  readonly sink: EventStream
  /** All events of this reader up to this cursor have been sent. */
  cursor: Cursor
  /** The time of its last session check by a heartbeat, in ms since the epoch. */
  checked_ms = performance.now()
  private readonly state: StateMachine<ReaderState>

  constructor({ caller, channel_ids, notices, balances, sink, cursor, onIllegalTransition }: ReaderParts) {
    this.caller = caller
    this.channel_ids = channel_ids
    this.notices = notices
    this.balances = balances
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

  /** The stream has ended or the client has disconnected. */
  isClosed() {
    return this.state.is('closed') || this.sink.isClosed()
  }

  /** From now on, the reader gets the events that the dispatcher reads. A closed reader stays closed. */
  goLive() {
    if (!this.state.is('closed')) this.state.enter('live')
  }

  /** Marks the reader as closed; idempotent. */
  close() {
    if (!this.state.is('closed')) this.state.enter('closed')
  }

  /** Sends the deliveries that it has not yet received. */
  sendNew(deliveries: readonly Delivery[]) {
    const frames = deliveries.filter((delivery) => isAfter(delivery, this.cursor)).map(({ frame }) => frame)
    if (frames.length > 0) this.sink.send(frames)
  }

  /** Moves its cursor forward, never back. */
  advanceTo(cursor: Cursor) {
    if (isAfter(cursor, this.cursor)) this.cursor = cursor
  }
}
