import * as contract from '../../contract/app-payments.ts'
import { mountDownload } from '../http/mount-download.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import { getAppBalance } from '../points/statements.service.ts'
import * as payments from './payments.service.ts'
import { searchOwned } from './search.service.ts'
import { getAppSeries } from './series.service.ts'

export function paymentsRoutes(http: Http, deps: payments.PaymentsDeps) {
  mount(http, contract.getAppSeries, ({ caller, query }) => getAppSeries(deps, caller.app_id, query))

  mount(http, contract.searchMyApps, ({ caller, query }) => searchOwned(deps, caller.user_id, query.q))

  mount(http, contract.getBalanceOfMyApp, ({ params }) => getAppBalance(deps, params.id))
  mount(http, contract.getSeriesOfMyApp, ({ params, query }) => getAppSeries(deps, params.id, query))

  mount(http, contract.listTransfersOfMyApp, ({ params, query }) =>
    payments.listTransfersOfMyApp(deps, params.id, query),
  )
  mountDownload(http, contract.exportTransfersOfMyApp, ({ params, query }) => ({
    file_name: 'transfers.csv',
    text: payments.exportTransfersOfMyApp(deps, params.id, query),
  }))
  mount(http, contract.getTransferOfMyApp, ({ params }) =>
    payments.getTransferOfMyApp(deps, params.id, params.transfer_id),
  )

  mount(http, contract.refundOfMyApp, async ({ caller, params, body, headers }) => {
    const key = headers['idempotency-key']
    const { replayed, ...made } = await payments.refundInMyApp(deps, caller, params.id, body, key)
    return answer(made, { status: 201, headers: replayedHeader(replayed) })
  })

  mount(http, contract.withdrawFromMyApp, async ({ caller, params, body, headers }) => {
    const key = headers['idempotency-key']
    const { replayed, ...made } = await payments.withdrawFromMyApp(deps, caller, params.id, body, key)
    return answer(made, { status: 201, headers: replayedHeader(replayed) })
  })

  mount(http, contract.listHoldsOfMyApp, ({ params, query }) => payments.listHoldsOfMyApp(deps, params.id, query))
  mount(http, contract.getHoldOfMyApp, async ({ params }) => ({
    hold: await payments.getHoldOfMyApp(deps, params.id, params.hold_id),
  }))
  mount(http, contract.voidHoldOfMyApp, async ({ caller, params, headers }) => {
    const key = headers['idempotency-key']
    const { hold, replayed } = await payments.voidHoldOfMyApp(deps, caller, params.id, params.hold_id, key)
    return answer({ hold }, { headers: replayedHeader(replayed) })
  })
}
