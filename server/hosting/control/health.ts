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
/** Consecutive failed probes until a deployment is unhealthy. */
const failure_threshold = 2

/** Probe results of deployments that this worker no longer observes are dropped after this time. */
const retention_ms = 3_600_000

/** Probes the ports of running deployments, each every `health_seconds`, and saves the results of a batch in one statement. */
export function openHealth({ db, clock, timing }: HealthDeps) {
  const last_probes = new Map<string, { at: number; failures: number }>()
  const isDue = ({ id, health_status }: LiveDeployment) => {
    const last = last_probes.get(id)
    if (
      !last ||
      (health_status !== 'healthy' && health_status !== 'unhealthy') ||
      (last.failures > 0 && last.failures < failure_threshold)
    )
      return true
    return performance.now() - last.at >= timing.health_seconds * 1000
  }

  async function probeOne(row: LiveDeployment): Promise<HealthResult[]> {
    const { id, endpoint_host: host, endpoint_port: port } = row
    if (host === null || port === null) return []
    const answers = await acceptsConnections({ host, port })
    const failures = answers ? 0 : (last_probes.get(id)?.failures ?? 0) + 1
    last_probes.set(id, { at: performance.now(), failures })
    if (failures > 0 && failures < failure_threshold) return []
    return [{ id, endpoint_port: port, health_status: answers ? 'healthy' : 'unhealthy' }]
  }

  return {
    /**
     * Probes those of these deployments that are due, a bounded number at once. Returns the ids whose next probe is due at once:
     * they failed fewer times than the threshold.
     */
    async probe(rows: readonly LiveDeployment[]) {
      const running = rows.filter((row) => row.status === 'running' && row.endpoint_port !== null && !row.is_leased)
      for (const [id, { at }] of last_probes) if (performance.now() - at > retention_ms) last_probes.delete(id)
      const due = running.filter(isDue)
      for (let from = 0; from < due.length; from += probes_at_once) {
        const found = await Promise.all(due.slice(from, from + probes_at_once).map(probeOne))
        if (found.flat().length > 0) await saveHealth(db, found.flat(), clock())
      }
      const isUnsure = ({ failures }: { failures: number }) => failures > 0 && failures < failure_threshold
      return due.map(({ id }) => id).filter((id) => isUnsure(last_probes.get(id) ?? { failures: 0 }))
    },
  }
}
