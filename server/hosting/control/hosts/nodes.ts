import type { Database } from '../../../platform/postgres/database.ts'
import type { HostObservations } from './drift-scan.ts'
import type { LiveDeployment } from './drift.store.ts'
import { saveNodes, type ReplicaNode } from './nodes.store.ts'

/** Saves which Swarm nodes run the serving instances. Writes only nodes that differ from those this process saved last. */
export function openNodeNotes(db: Database) {
  let noted = new Map<string, string>()
  return async (rows: readonly LiveDeployment[], observations: HostObservations) => {
    const found = rows.flatMap((row) => nodesOf(row, observations))
    const changed = found.filter((each) => noted.get(keyOf(each)) !== placeOf(each))
    if (changed.length === 0) return
    await saveNodes(db, changed)
    // A check that reads all rows also forgets removed instances.
    if (noted.size > entries_max) noted = new Map()
    for (const each of changed) noted.set(keyOf(each), placeOf(each))
  }
}

const entries_max = 100_000
const keyOf = ({ id, replica }: ReplicaNode) => `${id} ${replica}`
const placeOf = ({ host, node }: ReplicaNode) => `${host}/${node}`

/** The nodes of the serving instances; empty for hosts that are a single machine. */
function nodesOf(row: LiveDeployment, observations: HostObservations): ReplicaNode[] {
  return row.instances.flatMap(({ number, host_server, serving_generation }) => {
    const observation = host_server === null ? undefined : observations.get(host_server)
    const instance = observation?.by_deployment
      .get(row.id)
      ?.find((each) => each.replica === number && each.generation === serving_generation && each.phase === 'running')
    if (host_server === null || !instance || instance.host === null) return []
    return [{ id: row.id, replica: number, host: host_server, node: instance.host }]
  })
}
