import { createHash } from 'node:crypto'
import { EngineError, type Removal } from '../engine.ts'
import { hasStatus, type EngineClient } from './http-client.ts'
import { filterFor, isNetworkOf, networkLabelsOf, newNetworkName } from '../names.ts'

/** Sixteen addresses per app. The engines' default pools are exhausted after about thirty networks. */
const prefix_length = 28
const tries_max = 64
const allocation_ms_max = 5_000
const race_ms_max = 1_000

interface NetworkProperties {
  driver: 'bridge' | 'overlay'
  /** Driver options that the network is created with and that an existing one must have. */
  options: Record<string, string>
  scope: 'local' | 'swarm'
}

export interface NetworkKind extends NetworkProperties {
  list(client: EngineClient, signal: AbortSignal): Promise<Network[]>
  /** Creates a network; returns its id. */
  create(client: EngineClient, wanted: WantedNetwork, signal: AbortSignal): Promise<string>
}

export interface WantedNetwork {
  name: string
  labels: Record<string, string>
  subnet: string
}

export interface Network {
  /** The identifier in the engine's calls and containers. */
  Id: string
  Name: string
  Created?: string
  Driver?: string
  Scope?: string
  Internal?: boolean
  Attachable?: boolean
  Ingress?: boolean
  EnableIPv6?: boolean
  Options?: Record<string, string> | null
  Labels?: Record<string, string> | null
  IPAM?: { Config?: { Subnet?: string }[] | null }
}

/** Networks as Docker's own API creates them. */
export const dockerNetworks = (properties: NetworkProperties): NetworkKind => ({
  ...properties,
  list: (client, signal) => client.call<Network[]>('GET', '/networks', { signal }),
  async create(client, { name, labels, subnet }, signal) {
    const body = {
      Name: name,
      Driver: properties.driver,
      Options: properties.options,
      Labels: labels,
      IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
      Internal: false,
      Attachable: false,
      EnableIPv6: false,
    }
    return (await client.call<{ Id: string }>('POST', '/networks/create', { signal, body })).Id
  },
})

export interface Networks {
  installation_id: string
  /** The range that subnets are allocated from, as `10.240.0.0/14`. */
  range: string
  kind: NetworkKind
}

/**
 * The id of the app's network, created on first use. If two callers create one each, both use the older network and the younger is removed.
 * Fails with `isolation` if a network with the platform's labels has other options, and with `no_capacity` if the range has no free subnet.
 */
export async function ensureNetwork(client: EngineClient, networks: Networks, app_id: string, signal: AbortSignal) {
  const found = await findNetwork(client, networks, app_id, signal)
  if (found) return found.Id
  const created = await createNetwork(client, networks, app_id, signal)
  const oldest = await findNetwork(client, networks, app_id, signal)
  if (!oldest) throw new EngineError('unreachable', 'The network disappeared immediately after its creation.')
  if (oldest.Id !== created) await deleteNetwork(client, created, signal)
  return oldest.Id
}

/** Removes the app's network unless a container or service still uses it. */
export async function removeNetwork(
  client: EngineClient,
  networks: Networks,
  app_id: string,
  signal: AbortSignal,
): Promise<Removal> {
  const own = await listOwn(client, networks, app_id, signal)
  if (own.length === 0) return 'gone'
  const filters = filterFor(networks.installation_id, { app: app_id })
  const query = { all: 'true', filters }
  const users_path = networks.kind.scope === 'local' ? '/containers/json' : '/services'
  // Stopped containers use the network too; the engine's own check ignores them.
  if ((await client.call<unknown[]>('GET', users_path, { signal, query })).length > 0) return 'in_use'
  for (const { Id } of own) await deleteNetwork(client, Id, signal)
  return 'gone'
}

async function deleteNetwork(client: EngineClient, id: string, signal: AbortSignal) {
  try {
    await client.call('DELETE', `/networks/${id}`, { signal })
  } catch (error) {
    if (hasStatus(error, 403, 404, 409)) return
    // In use: something was attached meanwhile, or is not detached yet.
    if (!hasStatus(error, 400, 500) || !/in use|not found/i.test(error.message)) throw error
  }
}

async function listOwn(client: EngineClient, { installation_id, kind }: Networks, app_id: string, signal: AbortSignal) {
  return (await kind.list(client, signal)).filter((network) => isNetworkOf({ installation_id, app_id }, network))
}

async function findNetwork(client: EngineClient, networks: Networks, app_id: string, signal: AbortSignal) {
  let own = await listOwn(client, networks, app_id, signal)
  const unfinished = networks.kind.scope === 'swarm' ? own.filter(({ Driver }) => !Driver) : []
  for (const { Id } of unfinished)
    if (!(await isAllocated(client, networks.kind, Id, signal))) await deleteNetwork(client, Id, signal)
  if (unfinished.length > 0) own = await listOwn(client, networks, app_id, signal)
  for (const network of own) requireIsolated(network, networks.kind)
  return own.sort((left, right) => (ageKey(left) < ageKey(right) ? -1 : 1))[0]
}

const ageKey = ({ Created = '', Id }: Network) => `${Created} ${Id}`

function requireIsolated(network: Network, kind: NetworkKind) {
  const options = network.Options ?? {}
  const differences = [
    network.Driver === kind.driver && network.Scope === kind.scope ? '' : 'its driver is another',
    network.Attachable || network.Ingress || network.EnableIPv6 ? 'it is open to others' : '',
    Object.entries(kind.options).every(([name, value]) => options[name] === value) ? '' : 'its options are others',
    // The engine adds a VXLAN id to an overlay; no other option may be added.
    Object.keys(options).every((name) => name in kind.options || name.endsWith('vxlanid_list'))
      ? ''
      : 'it has more options',
  ].filter((difference) => difference !== '')
  if (differences.length > 0)
    throw new EngineError('isolation', `The network ${network.Name} cannot be used: ${differences.join(', ')}.`)
}

async function createNetwork(client: EngineClient, networks: Networks, app_id: string, signal: AbortSignal) {
  const { installation_id, kind } = networks
  const used = (await kind.list(client, signal)).flatMap(({ IPAM }) =>
    (IPAM?.Config ?? []).flatMap(({ Subnet = '' }) => blockOf(Subnet) ?? []),
  )
  for (const subnet of freeSubnets(networks.range, app_id, used)) {
    try {
      const name = newNetworkName({ installation_id, app_id, scope: kind.scope })
      const labels = networkLabelsOf(installation_id, app_id)
      const id = await kind.create(client, { name, labels, subnet }, signal)
      if (kind.scope === 'local' || (await isAllocated(client, kind, id, signal))) return id
      await deleteNetwork(client, id, signal)
    } catch (error) {
      if (!hasStatus(error, 400, 403, 409, 500) || !/overlap|conflict|exists|already used/i.test(error.message))
        throw error
      // Concurrent callers for one app try the same subnet: the second one finds the network of the first.
      const existing = await waitForNetwork(client, networks, app_id, signal)
      if (existing) return existing.Id
      if (hasStatus(error, 409)) throw new EngineError('isolation', 'Another network has the name of this one.')
    }
  }
  throw new EngineError('no_capacity', `No part of ${networks.range} is free for another network.`)
}

/** A Swarm accepts any network and allocates it asynchronously, or never when its addresses are in use. */
async function isAllocated(client: EngineClient, kind: NetworkKind, id: string, signal: AbortSignal) {
  for (const deadline = performance.now() + allocation_ms_max; performance.now() < deadline;) {
    const network = (await kind.list(client, signal)).find(({ Id }) => Id === id)
    if (!network) return false
    if (network.Driver) return true
    await new Promise((next) => setTimeout(next, 50))
  }
  return false
}

async function waitForNetwork(client: EngineClient, networks: Networks, app_id: string, signal: AbortSignal) {
  for (const deadline = performance.now() + race_ms_max; performance.now() < deadline;) {
    const found = await findNetwork(client, networks, app_id, signal)
    if (found) return found
    await new Promise((next) => setTimeout(next, 50))
  }
  return undefined
}

interface Block {
  first: number
  last: number
}

/** Free subnets of the range, starting at a hash of the app's id, so that callers for different apps seldom collide. */
function* freeSubnets(range: string, app_id: string, used: readonly Block[]) {
  const whole = blockOf(range)
  if (!whole) return
  const size = 2 ** (32 - prefix_length)
  const count = Math.floor((whole.last - whole.first + 1) / size)
  const start = createHash('sha256').update(app_id).digest().readUInt32BE(0)
  for (let tried = 0, at = 0; tried < tries_max && at < count; at++) {
    const first = whole.first + ((start + at) % count) * size
    if (used.some((block) => block.first < first + size && first <= block.last)) continue
    tried++
    yield `${addressOf(first)}/${prefix_length}`
  }
}

/** The addresses of a range written as `10.240.0.0/14`; undefined for anything else, IPv6 included. */
function blockOf(range: string): Block | undefined {
  const [, a, b, c, d, length] = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(range) ?? []
  if (length === undefined) return undefined
  const address = [a, b, c, d].reduce((number, part) => number * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(length))
  const first = address - (address % size)
  return { first, last: first + size - 1 }
}

const addressOf = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
