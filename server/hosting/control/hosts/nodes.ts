import type { Database } from '../../../platform/postgres/database.ts'
import type { HostObservations } from './drift-scan.ts'
import type { LiveDeployment } from './drift.store.ts'
import { saveNodes, type ReplicaNode } from './nodes.store.ts'

/** Saves which Swarm nodes run the serving instances, where they differ from those of the rows. */
export async function noteNodes(db: Database, rows: readonly LiveDeployment[], observations: HostObservations) {
  const changed = rows.flatMap((row) => changedNodes(row, observations))
  if (changed.length > 0) await saveNodes(db, changed)
}

/** Empty for hosts that are a single machine. */
const changedNodes = (row: LiveDeployment, observations: HostObservations): ReplicaNode[] =>
  row.instances.flatMap(({ number, host_server, node: known, serving_generation }) => {
    const observation = host_server === null ? undefined : observations.get(host_server)
    const instance = observation?.by_deployment
      .get(row.id)
      ?.find((each) => each.replica === number && each.generation === serving_generation && each.phase === 'running')
    const node = instance?.host
    if (host_server === null || !node || node === known) return []
    return [{ id: row.id, replica: number, host: host_server, node }]
  })
