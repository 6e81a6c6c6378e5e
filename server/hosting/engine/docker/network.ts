import { createHash } from 'node:crypto'
import { EngineError, type Removal } from '../engine.ts'
import { hasStatus, type EngineClient } from './http-client.ts'
import { filterFor, isNetworkOf, networkLabelsOf, newNetworkName } from '../names.ts'

/** Sixteen addresses for each app: engines' own pools end after some thirty networks. */
const prefix_length = 28
const tries_max = 64
const allocation_ms_max = 5_000
const race_ms_max = 1_000

export interface NetworkKind {
  driver: 'bridge' | 'overlay'
  /** Options of the driver that the network is made with, and must still have when it is found again. */
  options: Record<string, string>
  scope: 'local' | 'swarm'
}

interface Network {
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

export interface Networks {
  installation_id: string
  /** The range that networks are cut from, as `10.240.0.0/14`. */
  range: string
  kind: NetworkKind
}

/**
 * The id of the app's own network, made on first use. Two may arise when two callers race: the older one counts for
 * both, and the younger goes. Fails with `isolation` when one that bears our labels was made differently, with
 * `no_capacity` when the range holds no free part.
 */
export async function ensureNetwork(client: EngineClient, networks: Networks, app_id: string, signal: AbortSignal) {
  const found = await findNetwork(client, networks, app_id, signal)
  if (found) return found.Id
  const made = await createNetwork(client, networks, app_id, signal)
  const kept = await findNetwork(client, networks, app_id, signal)
  if (!kept) throw new EngineError('unreachable', 'The network was gone as soon as it was made.')
  if (kept.Id !== made) await deleteNetwork(client, made, signal)
  return kept.Id
}

/** Removes the app's network unless something still hangs on it. */
export async function removeNetwork(
  client: EngineClient,
  networks: Networks,
  app_id: string,
  signal: AbortSignal,
): Promise<Removal> {
  const ours = await listOwn(client, networks, app_id, signal)
  if (ours.length === 0) return 'gone'
  const filters = filterFor(networks.installation_id, { app: app_id })
  const query = { all: 'true', filters }
  const holders = networks.kind.scope === 'local' ? '/containers/json' : '/services'
  // A container at rest hangs on its network too, and engines do not count it.
  if ((await client.call<unknown[]>('GET', holders, { signal, query })).length > 0) return 'in_use'
  for (const { Id } of ours) await deleteNetwork(client, Id, signal)
  return 'gone'
}

async function deleteNetwork(client: EngineClient, id: string, signal: AbortSignal) {
  try {
    await client.call('DELETE', `/networks/${id}`, { signal })
  } catch (error) {
    if (hasStatus(error, 403, 404, 409)) return
    // Something was put on it in the meantime, or has not left it yet.
    if (!hasStatus(error, 400, 500) || !/in use|not found/i.test(error.message)) throw error
  }
}

const listNetworks = (client: EngineClient, signal: AbortSignal) =>
  client.call<Network[]>('GET', '/networks', { signal })

async function listOwn(client: EngineClient, { installation_id }: Networks, app_id: string, signal: AbortSignal) {
  return (await listNetworks(client, signal)).filter((network) => isNetworkOf({ installation_id, app_id }, network))
}

async function findNetwork(client: EngineClient, networks: Networks, app_id: string, signal: AbortSignal) {
  let own = await listOwn(client, networks, app_id, signal)
  const unfinished = networks.kind.scope === 'swarm' ? own.filter(({ Driver }) => !Driver) : []
  for (const { Id } of unfinished) if (!(await isAllocated(client, Id, signal))) await deleteNetwork(client, Id, signal)
  if (unfinished.length > 0) own = await listOwn(client, networks, app_id, signal)
  for (const network of own) requireIsolated(network, networks.kind)
  return own.sort((left, right) => (ageKey(left) < ageKey(right) ? -1 : 1))[0]
}

const ageKey = ({ Created = '', Id }: Network) => `${Created} ${Id}`

function requireIsolated(network: Network, kind: NetworkKind) {
  const options = network.Options ?? {}
  const faults = [
    network.Driver === kind.driver && network.Scope === kind.scope ? '' : 'its driver is another',
    network.Attachable || network.Ingress || network.EnableIPv6 ? 'it is open to others' : '',
    Object.entries(kind.options).every(([name, value]) => options[name] === value) ? '' : 'its options are others',
    // An overlay gets a number of its own from the engine; nothing else may be added.
    Object.keys(options).every((name) => name in kind.options || name.endsWith('vxlanid_list'))
      ? ''
      : 'it has more options',
  ].filter((fault) => fault !== '')
  if (faults.length > 0)
    throw new EngineError('isolation', `The network ${network.Name} cannot be used: ${faults.join(', ')}.`)
}

async function createNetwork(client: EngineClient, networks: Networks, app_id: string, signal: AbortSignal) {
  const taken = (await listNetworks(client, signal)).flatMap(({ IPAM }) =>
    (IPAM?.Config ?? []).flatMap(({ Subnet = '' }) => blockOf(Subnet) ?? []),
  )
  for (const subnet of freeSubnets(networks.range, app_id, taken)) {
    try {
      const { Id } = await client.call<{ Id: string }>('POST', '/networks/create', {
        signal,
        body: {
          Name: newNetworkName({ installation_id: networks.installation_id, app_id, scope: networks.kind.scope }),
          Driver: networks.kind.driver,
          Options: networks.kind.options,
          Labels: networkLabelsOf(networks.installation_id, app_id),
          IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
          Internal: false,
          Attachable: false,
          EnableIPv6: false,
        },
      })
      if (networks.kind.scope === 'local' || (await isAllocated(client, Id, signal))) return Id
      await deleteNetwork(client, Id, signal)
    } catch (error) {
      if (!hasStatus(error, 400, 403, 409, 500) || !/overlap|conflict|exists/i.test(error.message)) throw error
      // Callers for one app want the same part: the one who comes second finds the network of the first.
      const theirs = await waitForNetwork(client, networks, app_id, signal)
      if (theirs) return theirs.Id
      if (hasStatus(error, 409)) throw new EngineError('isolation', 'The name of the network is taken by another.')
    }
  }
  throw new EngineError('no_capacity', `No part of ${networks.range} is free for another network.`)
}

/** A Swarm accepts any network and allocates it afterwards, or never when its addresses are taken. */
async function isAllocated(client: EngineClient, id: string, signal: AbortSignal) {
  for (const deadline = Date.now() + allocation_ms_max; Date.now() < deadline;) {
    const network = (await listNetworks(client, signal)).find(({ Id }) => Id === id)
    if (!network) return false
    if (network.Driver) return true
    await new Promise((next) => setTimeout(next, 50))
  }
  return false
}

async function waitForNetwork(client: EngineClient, networks: Networks, app_id: string, signal: AbortSignal) {
  for (const deadline = Date.now() + race_ms_max; Date.now() < deadline;) {
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

/** Free parts of the range, beginning at a place of the app's own so that callers seldom want the same. */
function* freeSubnets(range: string, app_id: string, taken: readonly Block[]) {
  const whole = blockOf(range)
  if (!whole) return
  const size = 2 ** (32 - prefix_length)
  const count = Math.floor((whole.last - whole.first + 1) / size)
  const start = createHash('sha256').update(app_id).digest().readUInt32BE(0)
  for (let tried = 0, at = 0; tried < tries_max && at < count; at++) {
    const first = whole.first + ((start + at) % count) * size
    if (taken.some((block) => block.first < first + size && first <= block.last)) continue
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
