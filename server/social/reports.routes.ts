import * as contract from '../../contract/moderation.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { listReports, report } from './reports.service.ts'

export function reportRoutes(http: Http, deps: { db: Database; clock: Clock }) {
  mount(http, contract.createReport, async ({ caller, body }) => {
    const { report: made, created } = await report(deps, caller.user_id, body)
    return answer(made, { status: created ? 201 : 200 })
  })
  mount(http, contract.listMyReports, ({ caller, query }) => listReports(deps, caller.user_id, query))
}
