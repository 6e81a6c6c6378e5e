import type { Network, NetworkKind } from '../docker/network.ts'
import { libpod } from './libpod.ts'

interface PodmanNetwork {
  name: string
  created?: string
  driver?: string
  internal?: boolean
  ipv6_enabled?: boolean
  dns_enabled?: boolean
  options?: Record<string, string> | null
  labels?: Record<string, string> | null
  subnets?: { subnet?: string }[] | null
}

/** Without `isolate` Podman's bridges forward to each other. */
const options = { isolate: 'true' }

/**
 * Networks created through Docker's API are open to each other in Podman. These networks do not use Podman's name server either: it would
 * listen on the host, which containers must not reach. Containers use the name servers of the host's resolv.conf.
 */
export const podmanNetworks: NetworkKind = {
  driver: 'bridge',
  scope: 'local',
  options,
  async list(client, signal) {
    const all = await libpod<PodmanNetwork[]>(client, 'GET', '/networks/json', { signal })
    return all.map(asDockerTells)
  },
  async create(client, { name, labels, subnet }, signal) {
    const body = {
      name,
      labels,
      options,
      driver: 'bridge',
      subnets: [{ subnet }],
      internal: false,
      ipv6_enabled: false,
      dns_enabled: false,
    }
    await libpod(client, 'POST', '/networks/create', { signal, body })
    return name
  },
}

/** Names are unique in Podman, and containers refer to networks by name. */
const asDockerTells = ({ name, subnets, ...network }: PodmanNetwork): Network => ({
  Id: name,
  Name: name,
  ...(network.created !== undefined && { Created: network.created }),
  ...(network.driver !== undefined && { Driver: network.driver }),
  Scope: 'local',
  Internal: network.internal ?? false,
  EnableIPv6: network.ipv6_enabled ?? false,
  Options: { ...network.options, ...(network.dns_enabled && { dns_enabled: 'true' }) },
  Labels: network.labels ?? {},
  IPAM: { Config: (subnets ?? []).map(({ subnet = '' }) => ({ Subnet: subnet })) },
})
