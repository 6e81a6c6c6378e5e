import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  bounded_text,
  constant,
  date_time,
  decided,
  email,
  patterned_text,
  nullable_text,
  one_of,
  page_of,
  page_query,
  text,
  uuid,
} from './schema.ts'
import { friendship_statuses } from './states.ts'

const { ref_id_max } = decisions['D-72'].value
const { body_max, page_max, page_default } = decisions['D-73'].value
const { name_max, user_ids_max } = decisions['D-75'].value
const { query_max } = decisions['D-76'].value
const { channels_max } = decisions['D-80'].value

const social = { tag: 'Social', auth: 'user' } as const

/** Fixed by the specification (Limits). */
export const user_search_min = 2
export const user_search_results_max = 20

export const channel_types = ['lobby', 'table'] as const
export const presence_statuses = ['online', 'offline'] as const
export const friend_actions = ['accept', 'reject'] as const

const id_param = Type.Object({ id: uuid })
const channel_param = Type.Object({ channel_id: uuid })
const presence_status = decided('D-75', one_of(presence_statuses))
const ok = Type.Object({ status: constant('ok') })

// Friends

export const listFriends = endpoint({
  ...social,
  method: 'GET',
  path: '/api/social/friends',
  summary: 'Your friends',
  response: Type.Array(Type.Object({ id: uuid, username: text, email })),
})

export const requestFriend = endpoint({
  ...social,
  method: 'POST',
  path: '/api/social/friends',
  summary: 'Ask somebody to be your friend',
  description:
    'A new request answers 201. Repeating it gives the same friendship with 200, ' +
    'and so does asking somebody who has asked you: that accepts.',
  decision: 'D-70',
  body: Type.Object({ friend_id: uuid }),
  status: [200, 201],
  response: Type.Object({ friendship_id: uuid, status: one_of(friendship_statuses) }),
  fails: ['user_not_found', 'blocked'],
})

export const listPendingFriends = endpoint({
  ...social,
  method: 'GET',
  path: '/api/social/friends/pending',
  summary: 'Requests that wait for your answer; `id` is the one who asks',
  response: Type.Array(Type.Object({ friendship_id: uuid, id: uuid, username: text, sent_at: date_time })),
})

export const answerFriend = endpoint({
  ...social,
  method: 'PUT',
  path: '/api/social/friends/{id}',
  summary: 'Accept or reject a request; `id` is the friendship',
  decision: 'D-70',
  params: id_param,
  body: Type.Object({ action: one_of(friend_actions) }),
  response: Type.Object({ status: one_of(['accepted', 'rejected']) }),
  fails: ['not_found', 'forbidden', 'not_allowed_now'],
})

export const removeFriend = endpoint({
  ...social,
  method: 'DELETE',
  path: '/api/social/friends/{id}',
  summary: 'End a friendship or take a request back; `id` is the friendship',
  decision: 'D-70',
  params: id_param,
  response: Type.Object({ status: constant('removed') }),
  fails: ['not_found'],
})

// Blocks

export const blockUser = endpoint({
  ...social,
  method: 'POST',
  path: '/api/social/block',
  summary: 'Block a user, which also ends a friendship',
  decision: 'D-71',
  body: Type.Object({ user_id: uuid }),
  response: Type.Object({ status: constant('blocked') }),
  fails: ['user_not_found'],
})

export const unblockUser = endpoint({
  ...social,
  method: 'DELETE',
  path: '/api/social/block/{user_id}',
  summary: 'Lift a block; without one the answer is the same',
  decision: 'D-71',
  params: Type.Object({ user_id: uuid }),
  response: Type.Object({ status: constant('unblocked') }),
})

export const listBlocks = endpoint({
  ...social,
  method: 'GET',
  path: '/api/social/blocks',
  summary: 'The users you have blocked, newest first',
  origin: 'extension',
  decision: 'D-71',
  query: page_query({}),
  response: page_of(Type.Object({ user_id: uuid, username: text, blocked_at: date_time })),
})

// Chat

const ref_id = decided('D-72', bounded_text(1, ref_id_max))
const message_fields = {
  id: uuid,
  sender_id: uuid,
  sender_username: nullable_text,
  filtered_body: decided('D-74', text),
  sent_at: decided('D-73', date_time),
}
export const message = Type.Object(message_fields)

export const openChannel = endpoint({
  ...social,
  method: 'POST',
  path: '/api/social/chat/channels',
  summary: 'Open a channel: 201 for a new one, 200 for the one that is there',
  decision: 'D-72',
  body: Type.Object({ type: one_of(channel_types), ref_id: Type.Optional(ref_id) }),
  status: [200, 201],
  response: Type.Object({ id: uuid, type: one_of(channel_types), ref_id: nullable_text }),
})

export const listMessages = endpoint({
  ...social,
  method: 'GET',
  path: '/api/social/chat/{channel_id}/messages',
  summary: 'Messages of a channel, newest first',
  description: 'For the page before this one, send the `sent_at` of its last message as `before`.',
  decision: 'D-73',
  params: channel_param,
  query: Type.Object({
    limit: Type.Optional(decided('D-73', Type.Integer({ minimum: 1, maximum: page_max, default: page_default }))),
    before: Type.Optional(Type.String({ format: 'date-time' })),
  }),
  response: Type.Array(message),
  fails: ['not_found'],
})

export const sendMessage = endpoint({
  ...social,
  method: 'POST',
  path: '/api/social/chat/{channel_id}/messages',
  summary: 'Say something in a channel',
  description: 'With an `Idempotency-Key` the call may be repeated safely: the message is posted once.',
  decision: 'D-73',
  params: channel_param,
  headers: Type.Object({
    'idempotency-key': Type.Optional(decided('D-92', bounded_text(1, decisions['D-09'].value.key_max))),
  }),
  body: Type.Object({ body: decided('D-73', bounded_text(1, body_max)) }),
  status: [201],
  response: message,
  fails: ['not_found', 'idempotency_key_reused'],
})

// Presence

const name = decided('D-75', bounded_text(0, name_max))
const uuid_pattern = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'
const uuid_list = (max: number) =>
  patterned_text(`^${uuid_pattern}(?:,${uuid_pattern}){0,${max - 1}}$`, `be 1 to ${max} ids with commas between`)
export const presence_entry = Type.Object({
  user_id: uuid,
  status: presence_status,
  last_seen: date_time,
  current_game: nullable_text,
  lobby: nullable_text,
})

export const listPresence = endpoint({
  ...social,
  method: 'GET',
  path: '/api/social/presence',
  summary: 'Which of your friends are online, and where',
  description: '`user_ids`, separated by commas, picks some of them.',
  decision: 'D-75',
  query: Type.Object({ user_ids: Type.Optional(decided('D-75', uuid_list(user_ids_max))) }),
  response: Type.Object({ presence: Type.Array(presence_entry) }),
})

export const announcePresence = endpoint({
  ...social,
  method: 'POST',
  path: '/api/social/presence',
  summary: 'Say that you are online; repeat it to stay so',
  decision: 'D-75',
  body: Type.Object({ game: Type.Optional(name), lobby: Type.Optional(name) }),
  response: ok,
})

export const leavePresence = endpoint({
  ...social,
  method: 'DELETE',
  path: '/api/social/presence',
  summary: 'Leave at once, and leave no presence record behind',
  response: ok,
})

export const listTablePresence = endpoint({
  ...social,
  method: 'GET',
  path: '/api/social/presence/table',
  summary: 'Who is at a table of a game',
  decision: 'D-75',
  query: Type.Object({ game: name, ref_id: name }),
  response: Type.Object({
    users: Type.Array(Type.Object({ user_id: uuid, status: presence_status, last_seen: date_time })),
  }),
})

// Search

export const searchUsers = endpoint({
  ...social,
  method: 'GET',
  path: '/api/social/users/search',
  summary: 'Find users by username',
  decision: 'D-76',
  query: Type.Object({ q: decided('D-76', bounded_text(user_search_min, query_max)) }),
  response: Type.Object({
    users: Type.Array(Type.Object({ id: uuid, username: text }), { maxItems: user_search_results_max }),
  }),
})

// Real time

const event_id = patterned_text('^(?:[0-9]{1,16}-[0-9]{1,16})?$', 'be the id of an event')

export const readEvents = endpoint({
  ...social,
  method: 'GET',
  path: '/api/events',
  summary: 'Be told of messages, friendships and presence as they happen',
  description:
    'Server-sent events, without end: `message` of the channels named in `channels` (ids, separated by commas), ' +
    '`friendship` and `presence` of your own. To go on where a broken stream ended, send the id of the last event as ' +
    '`Last-Event-ID` or `last_event_id`. After `reset` read the lists again: what came in between is no longer kept. ' +
    '`session_ended` is the last event of a session.',
  origin: 'extension',
  decision: 'D-80',
  query: Type.Object({
    channels: Type.Optional(uuid_list(channels_max)),
    last_event_id: Type.Optional(event_id),
  }),
  headers: Type.Object({ 'last-event-id': Type.Optional(event_id) }),
  response: text,
  events: {
    message: Type.Object({ channel_id: uuid, ...message_fields }),
    friendship: Type.Object({
      friendship_id: uuid,
      status: one_of(friendship_statuses),
      requester_id: uuid,
      user_id: uuid,
      username: text,
    }),
    presence: presence_entry,
    reset: Type.Object({}),
    session_ended: Type.Object({}),
  },
  fails: ['not_found', 'rate_limited'],
})
