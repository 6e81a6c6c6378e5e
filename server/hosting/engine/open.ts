import { engines, isEngineKind, type EngineKind } from '../../../contract/kinds/engines.ts'
import { docker } from './docker/dialect.ts'
import { dockerEngine } from './docker/docker.ts'
import type { ContainerEngine } from './engine.ts'
import { openEngineClient } from './docker/http-client.ts'
import { podman } from './podman/podman.ts'
import { managersClient } from './swarm/managers.ts'
import { swarmEngine } from './swarm/swarm.ts'

/** One item of CONTAINER_HOSTS. */
export interface EngineSpec {
  name: string
  kind: EngineKind
  socket_path: string
  /** Sockets of further managers of the Swarm. Any of them can serve calls. */
  more_managers?: string[]
  /**
   * Docker and Podman: the address where ports are published. Swarm: unused, because ports are published on every node
   * and reached at the node's address.
   */
  address: string
}

export interface OpenedEngine {
  name: string
  kind: EngineKind
  engine: ContainerEngine
  /** Ends all open calls and streams. */
  close(): Promise<void>
}

/**
 * Parses `name=docker+unix:///path?address=127.0.0.1`, the same with `podman`, or
 * `name=swarm+unix:///path?manager=/other/path&manager=/third/path`; undefined for anything else.
 */
export function parseEngineSpec(item: string): EngineSpec | undefined {
  const [, name, kind, socket_path, options] =
    /^([a-z0-9][a-z0-9-]{0,31})=([a-z]+)\+unix:\/\/(\/[^?]+)(?:\?(.*))?$/.exec(item.trim()) ?? []
  if (name === undefined || kind === undefined || socket_path === undefined || !isEngineKind(kind)) return undefined
  const query = new URLSearchParams(options)
  const address = query.get('address') ?? '127.0.0.1'
  const more_managers = query.getAll('manager')
  const known = [...query.keys()].every((key) => key === 'address' || (key === 'manager' && engines[kind].has_nodes))
  if (!known || !/^[0-9a-f.:]+$/.test(address) || !more_managers.every((path) => path.startsWith('/'))) return undefined
  return { name, kind, socket_path, address, ...(more_managers.length > 0 ? { more_managers } : {}) }
}

type Opening = Parameters<typeof swarmEngine>[0] & Pick<EngineSpec, 'address'>

const drivers: Record<EngineKind, (opening: Opening) => ContainerEngine> = {
  docker: (opening) => dockerEngine({ ...opening, dialect: docker }),
  podman: (opening) => dockerEngine({ ...opening, dialect: podman }),
  swarm: swarmEngine,
}

/** Opens the driver of one engine. Makes no call: `info` shows whether the engine answers. */
export function openEngine(
  { name, kind, socket_path, more_managers = [], address }: EngineSpec,
  { installation_id, network_range }: { installation_id: string; network_range: string },
): OpenedEngine {
  const first = openEngineClient(socket_path)
  const managers = [first, ...more_managers.map(openEngineClient)] as const
  const client = managers.length === 1 ? first : managersClient(managers)
  const engine = drivers[kind]({ client, managers, installation_id, address, network_range })
  return { name, kind, engine, close: () => client.close() }
}
