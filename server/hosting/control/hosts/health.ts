import type { Database } from '../../../platform/postgres/database.ts'
import { probeHealth, probePort, type Answer } from '../reconcile/probe.ts'
import { saveHealth, type LiveDeployment } from './drift.store.ts'
import { openSilence } from './silence.ts'
import type { Timing } from '../timing.rules.ts'

export interface HealthDeps {
  db: Database
  timing: Timing
}

const probes_at_once = 32
/** Consecutive failed probes until an instance is unhealthy. */
const failure_threshold = 2

/** Probe results of deployments that this worker no longer observes are dropped after this time. */
const retention_ms = 3_600_000

/** The port of one instance. */
export interface Probe {
  id: string
  /** The port in the container. */
  port: number
  health_path: string | null
  number: number
  endpoint_host: string
  endpoint_port: number
  health_status: string | null
  host_server: string | null
  serving_generation: number | null
}

/** The engine's view of an instance. */
export interface EngineView {
  /** True if the health check of its image has failed. */
  isUnhealthy(instance: Probe): boolean
  /** True if its program listens on its port and accepts all connections; false if that cannot be read. */
  listens(instance: Probe): Promise<boolean>
}

interface Probed {
  at: number
  failures: number
  is_unreached: boolean
  /** The time since which all probes have failed without an answer. */
  failing_since: number
  /** True if it was examined since then. */
  is_examined: boolean
}

interface ProbeResult extends Pick<Probe, 'id' | 'number' | 'endpoint_port'> {
  health_status: string
}

/** The address is part of the key: an instance at a new address has not been probed yet. */
const keyOf = ({ id, number, endpoint_host, endpoint_port }: Probe) =>
  `${id} ${number} ${endpoint_host}:${endpoint_port}`

/** Probes the ports of running deployments every `health_seconds`, and saves the results of a batch in one statement. */
export function openHealth({ db, timing }: HealthDeps) {
  const last_probes = new Map<string, Probed>()
  const silence = openSilence(timing)
  const isUnsure = (failures: number) => failures > 0 && failures < failure_threshold
  const isDue = (probe: Probe) => {
    const last = last_probes.get(keyOf(probe))
    const { health_status } = probe
    if (!last || (health_status !== 'healthy' && health_status !== 'unhealthy') || isUnsure(last.failures)) return true
    return performance.now() - last.at >= timing.health_seconds * 1000
  }

  async function probeOne(probe: Probe, view: EngineView): Promise<ProbeResult[]> {
    const { id, number, endpoint_host: host, endpoint_port: port, health_path } = probe
    const last = last_probes.get(keyOf(probe))
    const is_unhealthy = view.isUnhealthy(probe)
    const answer: Answer = is_unhealthy ? 'refuses' : await probeHealth({ host, port }, health_path)
    const answers = answer === 'accepts'
    const failures = answers ? 0 : (last?.failures ?? 0) + 1
    let is_unreached = answer === 'silent'
    if (answer === 'refuses' && !is_unhealthy && failures >= failure_threshold)
      is_unreached = failures > failure_threshold ? (last?.is_unreached ?? false) : await isCutOff(probe, view)
    const at = performance.now()
    const { failing_since, is_examined } = last?.failures ? last : { failing_since: at, is_examined: false }
    last_probes.set(keyOf(probe), { at, failures, is_unreached, failing_since, is_examined })
    if (isUnsure(failures)) return []
    silence.record(keyOf(probe), probe.host_server, is_unreached)
    return [{ id, number, endpoint_port: port, health_status: answers ? 'healthy' : 'unhealthy' }]
  }

  return {
    /**
     * Probes the due instances of these deployments on observed hosts, a bounded number at a time. Returns the ids of
     * deployments to probe again immediately: their probes failed, but fewer times than the threshold.
     */
    async probe(
      rows: readonly LiveDeployment[],
      isObserved: (host_server: string | null) => boolean,
      view: EngineView,
    ) {
      for (const [key, { at }] of last_probes) if (performance.now() - at > retention_ms) last_probes.delete(key)
      const due = rows.flatMap((row) => probesOf(row, isObserved)).filter(isDue)
      for (let from = 0; from < due.length; from += probes_at_once) {
        const probes = due.slice(from, from + probes_at_once)
        const found = (await Promise.all(probes.map((probe) => probeOne(probe, view)))).flat()
        if (found.length > 0) await saveHealth(db, found)
      }
      return due.filter((probe) => isUnsure(last_probes.get(keyOf(probe))?.failures ?? 0)).map(({ id }) => id)
    },
    /**
     * Finds instances that cannot be reached although their programs listen and other ports of their hosts answer. Each
     * is examined once until it answers again. Programs that hang and instances on lost hosts are not included.
     */
    async findCutOff(
      rows: readonly LiveDeployment[],
      isObserved: (host_server: string | null) => boolean,
      view: EngineView,
    ) {
      const found: Probe[] = []
      for (const probe of rows.flatMap((row) => probesOf(row, isObserved))) {
        const last = last_probes.get(keyOf(probe))
        if (!last?.is_unreached || last.is_examined || last.failures < failure_threshold) continue
        if (!silence.hasAnsweredSince(probe.host_server, last.failing_since)) continue
        last.is_examined = true
        if (await isCutOff(probe, view)) found.push(probe)
      }
      return found
    },
    /** True if none of the recently probed ports of a host is reachable. Its engine may still answer. */
    isSilent: (host: string) => silence.of(host),
  }
}

/** True if a program is cut off from the network: it listens and accepts connections, but cannot be reached. */
const isCutOff = async (probe: Probe, view: EngineView) =>
  (await view.listens(probe)) &&
  (await probePort({ host: probe.endpoint_host, port: probe.endpoint_port })) !== 'accepts'

/** The ports of a deployment that no worker is working on. */
function probesOf(row: LiveDeployment, isObserved: (host_server: string | null) => boolean): Probe[] {
  if (row.is_leased) return []
  return row.instances.flatMap((instance) => {
    const { number, endpoint_host, endpoint_port, health_status, host_server, serving_generation } = instance
    if (endpoint_host === null || endpoint_port === null || !isObserved(host_server)) return []
    return [
      {
        id: row.id,
        port: row.port,
        health_path: row.health_path,
        number,
        endpoint_host,
        endpoint_port,
        health_status,
        host_server,
        serving_generation,
      },
    ]
  })
}
