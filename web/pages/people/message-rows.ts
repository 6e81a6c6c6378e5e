import type { Message } from './channel-messages.ts'
import type { Outgoing } from './outbox.ts'
import { locale } from '../../texts.ts'

/** A row of the list. `head`: the sender is shown above it; `day`: the date is shown above that. */
export type Row =
  | { kind: 'message'; key: string; message: Message; head: boolean; day: string | undefined }
  | { kind: 'outgoing'; key: string; outgoing: Outgoing; head: boolean }

const group_gap_ms = 5 * 60_000
const day_name = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })

/**
 * The row of each message with the previous message, on which it depends: a long list is rendered again with each new
 * message.
 */
const drawn = new WeakMap<Message, { before: Message | undefined; row: Row }>()

interface RowsInput {
  messages: readonly Message[]
  /** Older messages exist: the first one is left out, because its `head` depends on the previous one. */
  more: boolean
  outgoing: readonly Outgoing[]
  user_id: string
}

/** Messages and, below them, outgoing ones. Consecutive messages of one sender are grouped. */
export function rowsOf({ messages, more, outgoing, user_id }: RowsInput): Row[] {
  const sent_rows = messages.slice(more ? 1 : 0).map((message, at): Row => {
    const before = messages[more ? at : at - 1]
    const known = drawn.get(message)
    if (known && known.before === before) return known.row
    const row = rowOf(message, before)
    drawn.set(message, { before, row })
    return row
  })
  const is_last_own = messages.at(-1)?.sender_id === user_id
  const outgoing_rows = outgoing.map((item, at): Row => {
    return { kind: 'outgoing', key: `outgoing ${item.key}`, outgoing: item, head: at === 0 && !is_last_own }
  })
  return [...sent_rows, ...outgoing_rows]
}

function rowOf(message: Message, before: Message | undefined): Row {
  const [sent, sent_before] = [message, before].map((one) => one && new Date(one.sent_at))
  const day = sent_before?.toDateString() === sent!.toDateString() ? undefined : day_name.format(sent)
  const has_gap = sent_before ? sent!.getTime() - sent_before.getTime() > group_gap_ms : true
  const head = day !== undefined || has_gap || before?.sender_id !== message.sender_id
  return { kind: 'message', key: message.id, message, head, day }
}
