import type { AppActor } from '../../../contract/caller.ts'
import { secondsAfter, type Clock } from '../../platform/clock.ts'
import { inBatches } from '../../platform/in-batches.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { byReplica, intervalsOf, requestsPoint, type Period } from './metrics.rules.ts'
import {
  addUpRequests,
  addUpSamples,
  findLastHour,
  listRequests,
  listUsage,
  purgeRequestHours,
  purgeRequests,
  purgeSampleHours,
  purgeSamples,
} from './metrics.store.ts'
import { getDeployment, type DeploymentsDeps } from './service.ts'
import type { DeploymentRow } from './store.ts'

export type { Period } from './metrics.rules.ts'

const hour_seconds = 3_600
/** One hour more than the API shows, so that each hour is aggregated before it is deleted. */
const slots_kept_seconds = 25 * hour_seconds
const hours_kept_seconds = (30 * 24 + 3) * hour_seconds
/** Routers that cannot reach the database write their counts up to ten minutes late. */
const hours_repeated = 2

/** The resource use and requests of a deployment, as data points over a period (D-104). Fails as `getDeployment`. */
export async function readMetrics(deps: DeploymentsDeps, caller: AppActor, deployment_id: string, asked?: Period) {
  return metricsOf(deps, await getDeployment(deps, caller, deployment_id), asked)
}

type Measured = Pick<DeploymentRow, 'id' | 'memory_limit_mb' | 'cpu_limit_millicores'>

/** The metrics of a deployment, as `readMetrics`, for any reader. */
export async function metricsOf(
  deps: { db: Database; clock: Clock },
  { id, memory_limit_mb, cpu_limit_millicores }: Measured,
  asked?: Period,
) {
  const period = asked ?? '24h'
  const { from, to, step_seconds } = intervalsOf(period, deps.clock())
  const span = { id, from, step_seconds, hourly: period === '30d' }
  const [usage, requests] = await Promise.all([listUsage(deps.db.adHoc, span), listRequests(deps.db.adHoc, span)])
  return {
    period,
    from,
    to,
    step_seconds,
    memory_limit_mb,
    cpu_limit_millicores,
    replicas: byReplica(usage),
    requests: requests.map(requestsPoint),
  }
}

/** Aggregates complete hours: all since the last run, and the last two again. Safe to repeat and to run concurrently. */
export async function addUpHours({ db, clock }: { db: Database; clock: Clock }) {
  const now = clock()
  const this_hour = secondsAfter(now, -((now.getTime() / 1000) % hour_seconds))
  const last = await findLastHour(db)
  const oldest = secondsAfter(this_hour, -24 * hour_seconds).getTime()
  const repeated = secondsAfter(this_hour, -hours_repeated * hour_seconds).getTime()
  const first = Math.max(oldest, Math.min(last?.getTime() ?? oldest, repeated))
  for (let from = new Date(first); from < this_hour; from = secondsAfter(from, hour_seconds)) {
    const to = secondsAfter(from, hour_seconds)
    await addUpSamples(db.adHoc, from, to)
    await addUpRequests(db.adHoc, from, to)
  }
}

/** Deletes expired rows, in batches of `rows_max`. */
export async function purgeMetrics({ db, clock }: { db: Database; clock: Clock }, { rows_max }: { rows_max: number }) {
  const slots = { before: secondsAfter(clock(), -slots_kept_seconds), rows_max }
  const hours = { before: secondsAfter(clock(), -hours_kept_seconds), rows_max }
  await inBatches(rows_max, () => purgeSamples(db.adHoc, slots))
  await inBatches(rows_max, () => purgeRequests(db.adHoc, slots))
  await inBatches(rows_max, () => purgeSampleHours(db.adHoc, hours))
  await inBatches(rows_max, () => purgeRequestHours(db.adHoc, hours))
}
