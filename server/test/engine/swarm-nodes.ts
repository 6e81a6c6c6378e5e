import { until } from './shell.ts'
import type { TestHost } from './engines.ts'

interface SwarmNode {
  ID: string
  Version: { Index: number }
  Spec: { Role: 'manager' | 'worker'; Availability: Availability }
  Status?: { State?: string; Addr?: string }
  ManagerStatus?: { Leader?: boolean; Reachability?: string; Addr?: string }
}
type Availability = 'active' | 'pause' | 'drain'

const signal = () => AbortSignal.timeout(25_000)

/** The nodes of a Swarm as one of its managers reports them; empty while it does not answer. */
export const nodesOf = ({ docker }: TestHost) =>
  docker.call<SwarmNode[]>('GET', '/nodes', { signal: signal() }).catch((): SwarmNode[] => [])

const nodeOf = async (manager: TestHost, { address }: TestHost) =>
  (await nodesOf(manager)).find(
    ({ Status, ManagerStatus }) => Status?.Addr === address || ManagerStatus?.Addr?.startsWith(`${address}:`),
  )

/** Changes a node. A Swarm accepts this only with the node's latest version. */
const changeNode = (manager: TestHost, host: TestHost, change: Partial<SwarmNode['Spec']>) =>
  until(`a change of ${host.name}`, async () => {
    const node = await nodeOf(manager, host)
    if (!node) return false
    const query = { version: String(node.Version.Index) }
    const body = { ...node.Spec, ...change }
    return manager.docker.call('POST', `/nodes/${node.ID}/update`, { signal: signal(), query, body }).then(
      () => true,
      () => false,
    )
  })

/** Sets if a node accepts containers: `pause` keeps its containers, `drain` moves them. */
export const setAvailability = (manager: TestHost, host: TestHost, Availability: Availability) =>
  changeNode(manager, host, { Availability })

/** Demotes a manager, removes it from its Swarm, and deletes it there, as an operator does who retires it. */
export async function leaveSwarm(manager: TestHost, host: TestHost) {
  await changeNode(manager, host, { Role: 'worker' })
  await until(`${host.name} outside of the Swarm`, () =>
    host.docker.call('POST', '/swarm/leave', { signal: signal() }).then(
      () => true,
      () => false,
    ),
  )
  await until(`${host.name} forgotten`, async () => {
    const node = await nodeOf(manager, host)
    if (!node) return true
    return manager.docker.call('DELETE', `/nodes/${node.ID}`, { signal: signal() }).then(
      () => true,
      () => false,
    )
  })
}
