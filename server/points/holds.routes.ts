import * as contract from '../../contract/payments.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import { listHoldsForApp, listHoldsForUser } from './hold-lists.service.ts'
import { captureHold, createHold, getHold, voidHold, type HoldsDeps } from './holds.service.ts'

export function holdRoutes(http: Http, deps: HoldsDeps) {
  mount(http, contract.createHold, async ({ caller, body, headers }) => {
    const { replayed, ...made } = await createHold(deps, caller, body, headers['idempotency-key'])
    return answer(made, { status: 201, headers: replayedHeader(replayed) })
  })

  mount(http, contract.listHolds, ({ caller, query }) => listHoldsForApp(deps, caller.app_id, query))
  mount(http, contract.getHold, async ({ caller, params }) => ({ hold: await getHold(deps, caller, params.id) }))

  mount(http, contract.captureHold, async ({ caller, params, body, headers }) => {
    const { hold, replayed } = await captureHold(deps, caller, params.id, body, headers['idempotency-key'])
    return answer({ hold }, { headers: replayedHeader(replayed) })
  })

  mount(http, contract.voidHold, async ({ caller, params, headers }) => {
    const { hold, replayed } = await voidHold(deps, caller, params.id, headers['idempotency-key'])
    return answer({ hold }, { headers: replayedHeader(replayed) })
  })

  mount(http, contract.listMyHolds, ({ caller, query }) => listHoldsForUser(deps, caller.user_id, query))
}
