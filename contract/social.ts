import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { channel_id, friendship_id, user_id } from './fields.ts'
import {
  boolean,
  bounded_text,
  constant,
  decided,
  described,
  one_of,
  page_of,
  page_query,
  text,
  uuid,
} from './schema.ts'
import { notices_event } from './notice-reads.ts'
import * as fields from './social-fields.ts'
import { while_muted } from './moderation-fields.ts'

const { query_max } = decisions.user_search

const social = { tag: 'Social', auth: 'user' } as const

/** Fixed by the specification (Limits). */
export const user_search_min = 2
export const user_search_results_max = 20

export const friend_actions = ['accept', 'reject'] as const

const friendship_param = Type.Object({ id: friendship_id })
const channel_param = Type.Object({ channel_id })
const always = <const Word extends string>(word: Word) =>
  Type.Object({ status: described('A constant', constant(word)) })
const ok = always('ok')

// Friends

export const listFriends = endpoint('GET /api/social/friends', {
  ...social,
  summary: 'Your friends',
  description: 'All of them, by name. Excludes pending requests.',
  response: Type.Array(fields.friend),
})

export const requestFriend = endpoint('POST /api/social/friends', {
  ...social,
  summary: 'Send a friend request',
  description:
    'A new request gets 201. Repeating it gets 200 with the same friendship. A request to somebody who has asked you accepts their ' +
    'request, also with 200.',
  decision: 'D-70',
  body: Type.Object({ friend_id: described('The id of the person to ask', uuid) }),
  status: [200, 201],
  response: fields.friendship,
  fails: ['user_not_found', 'blocked'],
})

export const listPendingFriends = endpoint('GET /api/social/friends/pending', {
  ...social,
  summary: 'Pending requests to you; `id` is the requester',
  description: 'Newest first. Answer with the `friendship_id`.',
  response: Type.Array(fields.friend_request),
})

export const answerFriend = endpoint('PUT /api/social/friends/{id}', {
  ...social,
  summary: 'Accept or reject a request; `id` is the friendship',
  description: 'Only the addressee may answer, and only once.',
  decision: 'D-70',
  params: friendship_param,
  body: Type.Object({ action: described('The answer', one_of(friend_actions)) }),
  response: Type.Object({ status: described('The new status of the friendship', one_of(['accepted', 'rejected'])) }),
  fails: ['not_found', 'forbidden', 'not_allowed_now'],
})

export const removeFriend = endpoint('DELETE /api/social/friends/{id}', {
  ...social,
  summary: 'End a friendship or withdraw a request; `id` is the friendship',
  description: 'Both people can call it, and it can be repeated. A new request makes the friendship pending again.',
  decision: 'D-70',
  params: friendship_param,
  response: always('removed'),
  fails: ['not_found'],
})

// Blocks

export const blockUser = endpoint('POST /api/social/block', {
  ...social,
  summary: 'Block a user, which also ends a friendship',
  description: 'You no longer see each other in search and presence. The blocked user is not notified.',
  decision: 'D-71',
  body: Type.Object({ user_id }),
  response: always('blocked'),
  fails: ['user_not_found'],
})

export const unblockUser = endpoint('DELETE /api/social/block/{user_id}', {
  ...social,
  summary: 'Remove a block; repeatable',
  description: 'A friendship that the block ended is not restored.',
  decision: 'D-71',
  params: Type.Object({ user_id }),
  response: always('unblocked'),
})

export const listBlocks = endpoint('GET /api/social/blocks', {
  ...social,
  summary: 'The users you have blocked, newest first',
  description: 'Only you see the list.',
  origin: 'extension',
  decision: 'D-71',
  query: page_query({}),
  response: page_of(fields.blocked_user),
})

// Chat

export const openChannel = endpoint('POST /api/social/chat/channels', {
  ...social,
  summary: 'Open a channel: 201 for a new one, 200 for an existing one',
  description:
    'Type and `ref_id` together identify the channel. Every signed-in person can read and write in it. Bad words of `ref_id` are ' +
    'masked in responses; a muted person can open existing channels only.',
  decision: 'D-72',
  body: Type.Object({ type: fields.channel_type, ref_id: Type.Optional(fields.ref_id) }),
  status: [200, 201],
  response: fields.channel,
  fails: ['muted'],
  failure_fields: while_muted,
})

export const listMessages = endpoint('GET /api/social/chat/{channel_id}/messages', {
  ...social,
  summary: 'Messages of a channel, newest first',
  description: 'To get the next page, send the `sent_at` of the last message as `before`.',
  decision: 'D-73',
  params: channel_param,
  query: fields.message_page,
  response: Type.Array(fields.message),
  fails: ['not_found'],
})

export const sendMessage = endpoint('POST /api/social/chat/{channel_id}/messages', {
  ...social,
  summary: 'Send a message to a channel',
  description: 'With an `Idempotency-Key`, the call can be repeated safely: the message is posted once.',
  decision: 'D-73',
  params: channel_param,
  ...fields.new_message,
  status: [201],
  response: fields.message,
  fails: ['not_found', 'idempotency_key_reused', 'muted'],
  failure_fields: while_muted,
})

// Presence

export const listPresence = endpoint('GET /api/social/presence', {
  ...social,
  summary: 'The presence of your friends',
  description: '`user_ids`, separated by commas, selects some of them. Friends who were never online are excluded.',
  decision: 'D-75',
  query: Type.Object({ user_ids: Type.Optional(fields.user_ids) }),
  response: Type.Object({
    presence: described('One entry for each friend who has been online', Type.Array(fields.presence_entry)),
  }),
})

export const announcePresence = endpoint('POST /api/social/presence', {
  ...social,
  summary: 'Mark yourself online; repeat it to stay online',
  description:
    'One call every 30 seconds is enough. Each call replaces game and lobby; their bad words are masked for others. A muted person ' +
    'cannot send either.',
  decision: 'D-75',
  body: Type.Object({ game: Type.Optional(fields.played_game), lobby: Type.Optional(fields.lobby) }),
  response: ok,
  fails: ['muted'],
  failure_fields: while_muted,
})

export const leavePresence = endpoint('DELETE /api/social/presence', {
  ...social,
  summary: 'Go offline immediately, and delete your presence record',
  description: 'Notifies friends that you left. Without this call, you count as offline after a while.',
  response: ok,
})

export const listTablePresence = endpoint('GET /api/social/presence/table', {
  ...social,
  summary: 'The people at a table of a game',
  description:
    'Everybody who is online in this game with this table as the lobby, including people who are not friends.',
  decision: 'D-75',
  query: Type.Object({ game: fields.game, ref_id: fields.table }),
  response: Type.Object({
    users: described('The people at the table', Type.Array(fields.table_presence)),
  }),
})

// Search

export const searchUsers = endpoint('GET /api/social/users/search', {
  ...social,
  summary: 'Find users by username',
  description: 'Excludes yourself, people who have blocked you, and people you have blocked.',
  decision: 'D-76',
  query: Type.Object({
    q: described('The prefix of a username, ignoring case', decided('D-76', bounded_text(user_search_min, query_max))),
  }),
  response: Type.Object({
    users: described(
      'The results: an exact match first, then in alphabetical order',
      Type.Array(fields.found_user, { maxItems: user_search_results_max }),
    ),
  }),
})

// Real time

export const readEvents = endpoint('GET /api/events', {
  ...social,
  summary: 'Follow messages, friendships and presence as they change',
  description:
    'An endless stream of server-sent events: `message` of the channels named in `channels` (ids, separated by commas), ' +
    '`message_removed` where the text of one was removed, `message_changed` where it was edited or its reactions changed; ' +
    'your direct messages as `direct_message`, and as `direct_message_changed` after any of these changes; ' +
    'your `friendship` and `presence` events; with `notices=true` also `notices`, with how many are unread; with `balances=true` ' +
    'also `balance`, of you and of each app that you own, within two seconds of a change, and `webhook_deliveries` when deliveries ' +
    'of an app of yours were added or attempted. To resume a broken stream, send the id of the last event as ' +
    '`Last-Event-ID` or `last_event_id`. After `reset`, read the lists again: the events in between are no longer stored. ' +
    '`session_ended` is the last event of a session.',
  origin: 'extension',
  decision: 'D-80',
  query: Type.Object({
    channels: Type.Optional(fields.channels),
    last_event_id: Type.Optional(fields.event_id),
    notices: Type.Optional(
      decided(
        'D-119',
        described('Whether the stream includes the number of unread notices, at its start and at each change', boolean),
      ),
    ),
    balances: Type.Optional(
      described(
        'Whether the stream includes balances of yours and of your apps, and changes of webhook deliveries, at its start and at each ' +
          'change',
        boolean,
      ),
    ),
  }),
  headers: Type.Object({ 'last-event-id': Type.Optional(fields.event_id) }),
  response: text,
  events: {
    message: fields.message_event,
    message_removed: decided('D-109', fields.message_event),
    message_changed: decided('D-162', fields.message_event),
    direct_message: decided('D-161', fields.direct_message_event),
    direct_message_changed: decided('D-162', fields.direct_message_event),
    friendship: fields.friendship_event,
    presence: fields.presence_entry,
    notices: decided('D-119', notices_event),
    balance: fields.balance_event,
    webhook_deliveries: decided('D-101', fields.deliveries_event),
    reset: Type.Object({}),
    session_ended: Type.Object({}),
  },
  fails: ['not_found', 'rate_limited'],
})
