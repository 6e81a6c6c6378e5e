import * as contract from '../../contract/sending.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import {
  cancelRequest,
  declineRequest,
  pageOfRequests,
  payRequest,
  requestPoints,
  send,
  type SendingDeps,
} from './sending.service.ts'

export function sendingRoutes(http: Http, deps: SendingDeps) {
  mount(http, contract.sendPoints, async ({ caller, body, headers }) => {
    const { points, transfer_id, replayed } = await send(deps, caller, body, headers['idempotency-key'])
    const sent = { success: true, points, amount_transferred: body.amount, transfer_id }
    return answer(sent, { headers: replayedHeader(replayed) })
  })
  mount(http, contract.requestPoints, ({ caller, body }) => requestPoints(deps, caller.user_id, body))
  mount(http, contract.listPointRequests, ({ caller, query }) => pageOfRequests(deps, caller.user_id, query))
  mount(http, contract.payPointRequest, ({ caller, params }) => payRequest(deps, caller, params.id))
  mount(http, contract.declinePointRequest, ({ caller, params }) => declineRequest(deps, caller.user_id, params.id))
  mount(http, contract.cancelPointRequest, ({ caller, params }) => cancelRequest(deps, caller.user_id, params.id))
}
