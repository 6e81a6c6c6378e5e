import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { acceptsConnections } from './probe.ts'
import { saveHealth, type HealthResult, type LiveDeployment } from './drift.store.ts'
import type { Timing } from './timing.rules.ts'

export interface HealthDeps {
  db: Database
  clock: Clock
  timing: Timing
}

const probes_at_once = 32
/** One look that fails is repeated soon; so many in a row are believed. */
const failure_threshold = 2

/** What was not asked for by then runs no more, or elsewhere. */
const retention_ms = 3_600_000

/** Looks whether the ports of what runs still answer: each now and then, all that are due together, in one statement. */
export function openHealth({ db, clock, timing }: HealthDeps) {
  const looked = new Map<string, { at: number; failures: number }>()
  const isDue = ({ id, health_status }: LiveDeployment) => {
    const last = looked.get(id)
    if (
      !last ||
      (health_status !== 'healthy' && health_status !== 'unhealthy') ||
      (last.failures > 0 && last.failures < failure_threshold)
    )
      return true
    return performance.now() - last.at >= timing.health_seconds * 1000
  }

  async function probe(row: LiveDeployment): Promise<HealthResult[]> {
    const { id, endpoint_host: host, endpoint_port: port } = row
    if (host === null || port === null) return []
    const answers = await acceptsConnections({ host, port })
    const failures = answers ? 0 : (looked.get(id)?.failures ?? 0) + 1
    looked.set(id, { at: performance.now(), failures })
    if (failures > 0 && failures < failure_threshold) return []
    return [{ id, endpoint_port: port, health_status: answers ? 'healthy' : 'unhealthy' }]
  }

  return {
    /**
     * Looks at those of these that run and whose time it is; at no more at once than a moment allows. Answers those that
     * should be looked at again soon.
     */
    async look(rows: readonly LiveDeployment[]) {
      const running = rows.filter((row) => row.status === 'running' && row.endpoint_port !== null && !row.is_leased)
      for (const [id, { at }] of looked) if (performance.now() - at > retention_ms) looked.delete(id)
      const due = running.filter(isDue)
      for (let from = 0; from < due.length; from += probes_at_once) {
        const found = await Promise.all(due.slice(from, from + probes_at_once).map(probe))
        if (found.flat().length > 0) await saveHealth(db, found.flat(), clock())
      }
      const isUnsure = ({ failures }: { failures: number }) => failures > 0 && failures < failure_threshold
      return due.map(({ id }) => id).filter((id) => isUnsure(looked.get(id) ?? { failures: 0 }))
    },
  }
}
