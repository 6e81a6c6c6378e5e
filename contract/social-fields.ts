import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import * as fields from './fields.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  described,
  integer,
  moment,
  nullable_date_time,
  nullable_text,
  nullable_uuid,
  one_of,
  patterned_text,
  text,
  uuid,
  uuid_pattern,
  read_name,
  read_text,
} from './schema.ts'
import { reaction_names } from './kinds/reactions.ts'
import { friendship_statuses } from './states.ts'

const { key_max } = decisions.idempotency_keys
const { ref_id_max } = decisions.chat_channels
const { body_max, page_max, page_default } = decisions.chat_messages
const { online_seconds, name_max, user_ids_max } = decisions.presence
const { channels_max } = decisions.event_streams
const { unread_max } = decisions.message_changes

export const channel_types = ['lobby', 'table'] as const
export const presence_statuses = ['online', 'offline'] as const

// Requests of a person

export const ref_id = described(
  'The clients’ name for the channel, such as the id of a table',
  decided('D-72', read_name(1, ref_id_max)),
)
const messages_limit = described(
  'Maximum number of messages',
  decided('D-73', Type.Integer({ minimum: 1, maximum: page_max, default: page_default })),
)
const messages_before = described('Only messages before this time: the `sent_at` of the last one read', moment)
const message_key = described(
  'Makes repetitions safe: the same message with the same key is posted once and gets the same response',
  decided('D-92', bounded_text(1, key_max)),
)
export const message_body = described('The message, as plain text', decided('D-73', read_text(1, body_max)))
export const new_message = {
  headers: Type.Object({ 'idempotency-key': Type.Optional(message_key) }),
  body: Type.Object({ body: message_body }),
}
export const message_page = Type.Object({
  limit: Type.Optional(messages_limit),
  before: Type.Optional(messages_before),
})

const said_name = decided('D-75', read_name(0, name_max))
export const played_game = described('The game that you are playing, visible to friends', said_name)
export const lobby = described('Your location, visible to friends', said_name)
const name = decided('D-75', bounded_text(0, name_max))
export const game = described('The game', name)
export const table = described('The table: the `lobby` value of its players', name)

const uuid_list = (max: number) =>
  patterned_text(`^${uuid_pattern}(?:,${uuid_pattern}){0,${max - 1}}$`, ['ids', { max }])
export const user_ids = described(
  'Ids of friends, separated by commas; by default all friends',
  decided('D-75', uuid_list(user_ids_max)),
)
export const channels = described(
  'Ids of channels whose messages to send, separated by commas',
  uuid_list(channels_max),
)
export const event_id = described(
  'The id of the last event read; the stream continues after it',
  patterned_text('^(?:[0-9]{1,16}-[0-9]{1,16})?$', 'event_id'),
)

// Friends

export const friendship_status = described(
  '`pending` until the addressee answers; `removed` after either person has ended it',
  one_of(friendship_statuses),
)
const { friendship_id } = fields

export const friend = Type.Object({
  id: described('The id of the friend', uuid),
  username: fields.username,
  ...fields.look,
  email: described('The e-mail address of the friend, visible to friends', fields.email),
})
export const friendship = Type.Object({ friendship_id, status: friendship_status })
export const friend_request = Type.Object({
  friendship_id,
  id: described('The id of the requester', uuid),
  username: fields.username,
  ...fields.look,
  sent_at: described('When the request was made', date_time),
})
export const blocked_user = Type.Object({
  user_id: fields.user_id,
  username: fields.username,
  blocked_at: described('When you blocked them', date_time),
})
export const found_user = Type.Object({
  id: described('The id of the person', uuid),
  username: fields.username,
  ...fields.look,
})

// Chat

export const channel_type = described('A `lobby` may omit `ref_id`; a `table` needs it', one_of(channel_types))
const channel_identity = {
  type: channel_type,
  ref_id: described('The clients’ name for it; null for a lobby without one', nullable_text),
}
export const channel = Type.Object({ id: fields.id, ...channel_identity })

export const reaction_name = described('The name of the reaction', decided('D-162', one_of(reaction_names)))
const reaction_count = Type.Object({
  name: reaction_name,
  count: described('The number of people who reacted with it', integer),
})
const removers = ['admin', 'sender'] as const
type Remover = (typeof removers)[number]

export const message_fields = {
  id: fields.id,
  sender_id: described('The id of the sender', uuid),
  sender_username: fields.nullable_username,
  ...fields.sender_look,
  filtered_body: described('The text, with some words masked by asterisks', decided('D-74', text)),
  sent_at: described('When it was posted; later than any before it in the channel', decided('D-73', date_time)),
  removed: described(
    'Whether the text was removed; a placeholder replaces it, and the message keeps its position',
    decided('D-109', boolean),
  ),
  removed_by: described(
    'Who removed the text: an admin or the sender; null if nobody did',
    decided('D-162', Type.Unsafe<Remover | null>({ type: ['string', 'null'], enum: [...removers, null] })),
  ),
  edited_at: described('When the sender last changed the text; null if never', decided('D-162', nullable_date_time)),
  reactions: described('The reactions of all people, oldest kind first', decided('D-162', Type.Array(reaction_count))),
}
export const message = Type.Object({
  ...message_fields,
  my_reactions: described('Your own reactions', decided('D-162', Type.Array(reaction_name))),
})

const unread_count = described(
  `The number of other people’s messages after the last one you have read, counted up to ${unread_max}`,
  Type.Integer({ minimum: 0, maximum: unread_max }),
)

/** The number of unread messages of a person. */
export const unread = Type.Object({
  unread: described('The total of unread direct messages', integer),
  direct: described(
    'Your conversations, by newest message',
    Type.Array(
      Type.Object({
        user_id: described('The id of the other person', uuid),
        username: fields.nullable_username,
        unread: unread_count,
        last_sent_at: described('When the newest message was posted; null without any', nullable_date_time),
      }),
    ),
  ),
  channels: described(
    'The lobby and tables in which you have a read position',
    Type.Array(Type.Object({ channel_id: fields.channel_id, ...channel_identity, unread: unread_count })),
  ),
})

// Presence

export const presence_status = described(
  `\`online\` for ${online_seconds} seconds after each call that says so`,
  decided('D-75', one_of(presence_statuses)),
)
const last_seen = described('The time of the last heartbeat', date_time)

export const presence_entry = Type.Object({
  user_id: fields.user_id,
  status: presence_status,
  last_seen,
  current_game: described('The current game; null if offline or not set', nullable_text),
  lobby: described('The current location; null if offline or not set', nullable_text),
})
export const table_presence = Type.Object({
  user_id: fields.user_id,
  username: fields.username,
  ...fields.look,
  status: presence_status,
  last_seen,
})

// Events

export const balance_event = Type.Object({
  app_id: described('The app whose balance it is; null for yours', nullable_uuid),
  points: described('The spendable points: the balance minus the held points', integer),
  held: described('Points of the person that apps hold, not included in `points`; 0 for an app', integer),
  total_earned: described('All points ever received', integer),
  total_spent: described('All points ever spent', integer),
})
export const deliveries_event = Type.Object({
  app_id: described('The app whose deliveries changed: read them again', uuid),
})
export const message_event = Type.Object({ channel_id: fields.channel_id, ...message_fields })
export const direct_message_event = Type.Object({
  user_id: described('The id of the other person of the conversation', uuid),
  ...message_fields,
})
export const friendship_event = Type.Object({
  friendship_id,
  status: friendship_status,
  requester_id: described('The id of the requester', uuid),
  user_id: described('The id of the other person', uuid),
  username: described('The name of the other person', text),
})
