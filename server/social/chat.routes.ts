import * as contract from '../../contract/social.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import { listMessages, openChannel, sendMessage, type ChatDeps } from './chat.service.ts'

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
}
