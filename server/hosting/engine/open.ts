import { dockerEngine } from './docker/docker.ts'
import type { ContainerEngine } from './engine.ts'
import { openEngineClient } from './docker/http-client.ts'
import { swarmEngine } from './swarm/swarm.ts'

/** One item of CONTAINER_HOSTS. */
export interface EngineSpec {
  name: string
  kind: 'docker' | 'swarm'
  socket_path: string
  /** Docker: where ports are published. Swarm: ports are published on every node, and reached at the node's own address. */
  address: string
}

export interface OpenedEngine {
  name: string
  kind: EngineSpec['kind']
  engine: ContainerEngine
  /** Ends all open calls and streams. */
  close(): Promise<void>
}

/** Parses `name=docker+unix:///path?address=127.0.0.1` or `name=swarm+unix:///path`; undefined for anything else. */
export function parseEngineSpec(item: string): EngineSpec | undefined {
  const [, name, kind, socket_path, options] =
    /^([a-z0-9][a-z0-9-]{0,31})=(docker|swarm)\+unix:\/\/(\/[^?]+)(?:\?(.*))?$/.exec(item.trim()) ?? []
  if (name === undefined || socket_path === undefined || (kind !== 'docker' && kind !== 'swarm')) return undefined
  const query = new URLSearchParams(options)
  const address = query.get('address') ?? '127.0.0.1'
  const known = [...query.keys()].every((key) => key === 'address')
  return known && /^[0-9a-f.:]+$/.test(address) ? { name, kind, socket_path, address } : undefined
}

/** Opens the driver of one engine. Makes no call: `info` shows whether the engine answers. */
export function openEngine(
  { name, kind, socket_path, address }: EngineSpec,
  { installation_id, network_range }: { installation_id: string; network_range: string },
): OpenedEngine {
  const client = openEngineClient(socket_path)
  const engine =
    kind === 'docker'
      ? dockerEngine({ client, installation_id, address, network_range })
      : swarmEngine({ client, installation_id, network_range })
  return { name, kind, engine, close: () => client.close() }
}
