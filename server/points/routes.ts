import {
  exportMyHistory,
  getAppBalance,
  getPoints,
  myPointsHistory,
  pointsHistory,
  pointsSeries,
  spendPoints,
  transferPoints,
} from '../../contract/points.ts'
import { getReferral } from '../../contract/profiles.ts'
import { Failure } from '../platform/failure.ts'
import { mountDownload } from '../http/mount-download.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import { exportMovements, listMovements, listMovementsForApp } from './history.service.ts'
import { findInvitation, type Gifts } from './rewards.service.ts'
import { getBalance, readSeries, spend, transfer, type BetweenPeople, type PointsDeps } from './service.ts'

export function pointsRoutes(http: Http, deps: PointsDeps & { people: BetweenPeople; gifts: Gifts }) {
  mount(http, getPoints, ({ caller }) => getBalance(deps, caller.user_id))

  mount(http, getAppBalance, async ({ caller }) => ({ points: (await getBalance(deps, caller.app_id)).points }))

  mount(http, spendPoints, async ({ caller, body, headers }) => {
    const { points, transfer_id, replayed } = await spend(deps, caller, body, headers['idempotency-key'])
    return answer(
      { success: true, points, amount_spent: body.amount, transfer_id },
      { headers: replayedHeader(replayed) },
    )
  })

  mount(http, transferPoints, async ({ caller, body, headers }) => {
    const { points, transfer_id, replayed } = await transfer(deps, caller, body, headers['idempotency-key'])
    return answer(
      { success: true, points, amount_transferred: body.amount, transfer_id },
      { headers: replayedHeader(replayed) },
    )
  })

  mount(http, pointsHistory, ({ caller, query }) => listMovementsForApp(deps, caller, query))
  mount(http, pointsSeries, ({ caller, query }) => readSeries(deps, caller.user_id, query))
  mount(http, myPointsHistory, ({ caller, query }) => listMovements(deps, caller.user_id, query))
  mountDownload(http, exportMyHistory, ({ caller, query }) => ({
    file_name: 'points.csv',
    text: exportMovements(deps, caller.user_id, query),
  }))

  mount(http, getReferral, async ({ params }) => {
    const invitation = await findInvitation(deps.db, deps.gifts, params.code)
    if (!invitation) throw new Failure('not_found')
    return invitation
  })
}
