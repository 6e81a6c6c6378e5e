import * as conversations from '../../contract/conversations.ts'
import * as contract from '../../contract/social.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import { listMessages, openChannel, sendMessage, type ChatDeps } from './chat.service.ts'
import {
  addReaction,
  deleteMessage,
  editMessage,
  listDirectMessages,
  listUnread,
  markRead,
  removeReaction,
  sendDirectMessage,
} from './conversations.service.ts'

export function chatRoutes(http: Http, deps: ChatDeps) {
  mount(http, contract.openChannel, async ({ caller, body }) => {
    const { channel, created } = await openChannel(deps, caller.user_id, body)
    return answer(channel, { status: created ? 201 : 200 })
  })

  mount(http, contract.listMessages, ({ caller, params, query }) =>
    listMessages(deps, caller.user_id, params.channel_id, query),
  )

  mount(http, contract.sendMessage, async ({ caller, params, body, headers }) => {
    const sent = { channel_id: params.channel_id, body: body.body, idempotency_key: headers['idempotency-key'] }
    const { message, replayed } = await sendMessage(deps, caller.user_id, sent)
    return answer(message, { headers: replayedHeader(replayed) })
  })
  mount(http, conversations.listDirectMessages, ({ caller, params, query }) =>
    listDirectMessages(deps, caller.user_id, params.user_id, query),
  )

  mount(http, conversations.sendDirectMessage, async ({ caller, params, body, headers }) => {
    const sent = { user_id: params.user_id, body: body.body, idempotency_key: headers['idempotency-key'] }
    const { message, replayed } = await sendDirectMessage(deps, caller.user_id, sent)
    return answer(message, { headers: replayedHeader(replayed) })
  })

  mount(http, conversations.listUnread, ({ caller }) => listUnread(deps, caller.user_id))
  mountChanges(http, deps, conversations.channel_changes)
  mountChanges(http, deps, conversations.direct_changes)
}

type Changes = typeof conversations.channel_changes | typeof conversations.direct_changes

function mountChanges(http: Http, deps: ChatDeps, { edit, remove, react, unreact, read }: Changes) {
  mount(http, edit, ({ caller, params, body }) =>
    editMessage(deps, caller.user_id, params, { id: params.id, body: body.body }),
  )
  mount(http, remove, ({ caller, params }) => deleteMessage(deps, caller.user_id, params, params))
  mount(http, react, ({ caller, params }) => addReaction(deps, caller.user_id, params, params))
  mount(http, unreact, ({ caller, params }) => removeReaction(deps, caller.user_id, params, params))

  mount(http, read, async ({ caller, params, body }) => {
    await markRead(deps, caller.user_id, params, body.message_id)
    return { status: 'read' as const }
  })
}
