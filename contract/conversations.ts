import { Type, type TSchema } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import type { FailureCode } from './errors.ts'
import * as common from './fields.ts'
import { while_muted } from './moderation-fields.ts'
import { constant, described, uuid } from './schema.ts'
import * as fields from './social-fields.ts'

const social = { tag: 'Social', auth: 'user', origin: 'extension' } as const
const message_id = described('The id of the message', uuid)

const read_body = Type.Object({ message_id: described('The id of the last message you have read', uuid) })
const read_answer = Type.Object({ status: described('A constant', constant('read')) })
const changes = { ...social, decision: 'D-162' } as const

interface Words<Path extends string, Params extends Record<string, TSchema>> {
  path: Path
  params: Params
  /** The place, as in "a message …". */
  where: string
  fails: readonly FailureCode[]
}

/** The endpoints that change messages, the same for channels and direct conversations (D-162). */
const changesOf = <const Path extends string, Params extends Record<string, TSchema>>(words: Words<Path, Params>) => {
  const { path, params, where, fails } = words
  const of_one = { ...params, id: message_id }
  const one = { ...changes, params: Type.Object(of_one), response: fields.message }
  const reaction = { ...one, params: Type.Object({ ...of_one, name: fields.reaction_name }) }
  return {
    edit: endpoint(`PATCH ${path}/messages/{id}`, {
      ...one,
      summary: `Edit your message ${where}`,
      description: 'Possible for some minutes after it was sent. Bad words are masked as in a new message.',
      body: Type.Object({ body: fields.message_body }),
      fails: ['not_found', 'forbidden', 'message_removed', 'edit_window_over', 'muted', ...fails],
      failure_fields: while_muted,
    }),
    remove: endpoint(`DELETE ${path}/messages/{id}`, {
      ...one,
      summary: `Delete your message ${where}`,
      description: 'Possible at any time, and repeatable. The message keeps its place, without its text.',
      fails: ['not_found', 'forbidden'],
    }),
    react: endpoint(`PUT ${path}/messages/{id}/reactions/{name}`, {
      ...reaction,
      summary: `React to a message ${where}`,
      description: 'Repeating it changes nothing.',
      fails: ['not_found', 'message_removed', ...fails],
    }),
    unreact: endpoint(`DELETE ${path}/messages/{id}/reactions/{name}`, {
      ...reaction,
      summary: `Remove your reaction to a message ${where}`,
      description: 'Repeating it changes nothing.',
      fails: ['not_found'],
    }),
    read: endpoint(`PUT ${path}/read`, {
      ...changes,
      summary: `Mark the messages ${where} as read, up to one`,
      description: 'The position only moves forward. Only you see it.',
      params: Type.Object(params),
      body: read_body,
      response: read_answer,
      fails: ['not_found'],
    }),
  }
}

/** The endpoints that change messages in the lobby and at tables. */
export const channel_changes = changesOf({
  path: '/api/social/chat/{channel_id}',
  params: { channel_id: common.channel_id },
  where: 'in a channel',
  fails: [],
})
export const {
  edit: editMessage,
  remove: deleteMessage,
  react: addReaction,
  unreact: removeReaction,
  read: readChannel,
} = channel_changes

const direct_path = '/api/social/direct/{user_id}'
const direct_params = { user_id: described('The id of the other person', uuid) }

export const direct_changes = changesOf({
  path: direct_path,
  params: direct_params,
  where: 'to or from a friend',
  fails: ['not_friends'],
})
export const {
  edit: editDirectMessage,
  remove: deleteDirectMessage,
  react: addDirectReaction,
  unreact: removeDirectReaction,
  read: readDirectMessages,
} = direct_changes

export const listDirectMessages = endpoint(`GET ${direct_path}/messages`, {
  ...social,
  summary: 'Your messages with another person, newest first',
  description: 'Both people can still read them after the friendship has ended. Paged like a channel.',
  decision: 'D-161',
  params: Type.Object(direct_params),
  query: fields.message_page,
  response: Type.Array(fields.message),
  fails: ['not_friends'],
})

export const sendDirectMessage = endpoint(`POST ${direct_path}/messages`, {
  ...social,
  summary: 'Write to a friend',
  description: 'Nobody else can read it. With an `Idempotency-Key`, the call can be repeated safely.',
  decision: 'D-161',
  params: Type.Object(direct_params),
  ...fields.new_message,
  status: [201],
  response: fields.message,
  fails: ['not_friends', 'idempotency_key_reused', 'muted'],
  failure_fields: while_muted,
})

export const listUnread = endpoint('GET /api/social/unread', {
  ...social,
  summary: 'Your conversations, and the numbers of unread messages',
  description: `Direct messages count from the first one, channels from your first read position. Lists the ${decisions.message_changes.places_max} with the newest messages.`,
  decision: 'D-162',
  response: fields.unread,
})
