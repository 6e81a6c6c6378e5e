import * as contract from '../../contract/payments.ts'
import { mountDownload } from '../http/mount-download.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import { payOut, payOutAll, type PayoutsDeps } from './payouts.service.ts'
import { refund } from './refunds.service.ts'
import { exportAppTransfers, getAppBalance, getAppTransfer, listAppTransfers } from './statements.service.ts'

export function statementRoutes(http: Http, deps: PayoutsDeps) {
  mount(http, contract.getOwnBalance, ({ caller }) => getAppBalance(deps, caller.app_id))
  mount(http, contract.listAppTransfers, ({ caller, query }) => listAppTransfers(deps, caller.app_id, query))
  mount(http, contract.getAppTransfer, ({ caller, params }) => getAppTransfer(deps, caller.app_id, params.id))

  mountDownload(http, contract.exportAppTransfers, ({ caller, query }) => ({
    file_name: 'transfers.csv',
    text: exportAppTransfers(deps, caller.app_id, query),
  }))

  mount(http, contract.createRefund, async ({ caller, body, headers }) => {
    const { replayed, ...made } = await refund(deps, caller, body, headers['idempotency-key'])
    return answer(made, { status: 201, headers: replayedHeader(replayed) })
  })

  mount(http, contract.createPayout, async ({ caller, body, headers }) => {
    const { replayed, ...made } = await payOut(deps, caller, body, headers['idempotency-key'])
    return answer(made, { status: 201, headers: replayedHeader(replayed) })
  })
  mount(http, contract.createPayouts, async ({ caller, body, headers }) => {
    const { outcomes, replayed } = await payOutAll(deps, caller, body.payouts, headers['idempotency-key'])
    return answer({ outcomes }, { headers: replayedHeader(replayed) })
  })
}
