import * as contract from '../../contract/app-payments.ts'
import { mountDownload } from '../http/mount-download.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import * as payments from './payments.service.ts'
import { searchOwned } from './search.service.ts'
import { getAppSeries } from './series.service.ts'

export function paymentsRoutes(http: Http, deps: payments.PaymentsDeps) {
  mount(http, contract.getAppSeries, ({ caller, query }) => getAppSeries(deps, caller.app_id, query))

  mount(http, contract.searchMyApps, ({ caller, query }) => searchOwned(deps, caller.user_id, query.q))

  mount(http, contract.getBalanceOfMyApp, ({ caller, params }) =>
    payments.getBalanceOfMyApp(deps, caller.user_id, params.id),
  )
  mount(http, contract.getSeriesOfMyApp, ({ caller, params, query }) =>
    payments.getSeriesOfMyApp(deps, caller.user_id, params.id, query),
  )

  mount(http, contract.listTransfersOfMyApp, ({ caller, params, query }) =>
    payments.listTransfersOfMyApp(deps, caller.user_id, params.id, query),
  )
  mountDownload(http, contract.exportTransfersOfMyApp, ({ caller, params, query }) => ({
    file_name: 'transfers.csv',
    text: payments.exportTransfersOfMyApp(deps, caller.user_id, params.id, query),
  }))
  mount(http, contract.getTransferOfMyApp, ({ caller, params }) =>
    payments.getTransferOfMyApp(deps, caller.user_id, params.id, params.transfer_id),
  )

  mount(http, contract.refundOfMyApp, async ({ caller, params, body, headers }) => {
    const key = headers['idempotency-key']
    const { replayed, ...made } = await payments.refundOfMyApp(deps, caller.user_id, params.id, body, key)
    return answer(made, { status: 201, headers: replayedHeader(replayed) })
  })

  mount(http, contract.withdrawFromMyApp, async ({ caller, params, body, headers }) => {
    const key = headers['idempotency-key']
    const { replayed, ...made } = await payments.withdrawFromMyApp(deps, caller, params.id, body, key)
    return answer(made, { status: 201, headers: replayedHeader(replayed) })
  })

  mount(http, contract.listHoldsOfMyApp, ({ caller, params, query }) =>
    payments.listHoldsOfMyApp(deps, caller.user_id, params.id, query),
  )
  mount(http, contract.getHoldOfMyApp, async ({ caller, params }) => ({
    hold: await payments.getHoldOfMyApp(deps, caller.user_id, params.id, params.hold_id),
  }))
  mount(http, contract.voidHoldOfMyApp, async ({ caller, params, headers }) => {
    const key = headers['idempotency-key']
    const { hold, replayed } = await payments.voidHoldOfMyApp(deps, caller.user_id, params.id, params.hold_id, key)
    return answer({ hold }, { headers: replayedHeader(replayed) })
  })
}
