import { randomBytes } from 'node:crypto'
import { EngineError, type ProbeFinding, type ProbeTarget, type ProbedMachine } from '../engine.ts'
import { hasStatus, orUndefined, type EngineClient } from '../docker/http-client.ts'
import { ensureNetwork, removeNetwork, type Networks } from '../docker/network.ts'
import { probe_label, probe_workload } from '../docker/probe.ts'
import { readLog } from '../docker/streams.ts'
import { networkLabelsOf } from '../names.ts'
import { loadProbeImage, probeImageName } from '../probe/image.ts'
import {
  abandoned_seconds,
  listen_port,
  probe_apps,
  probed,
  reachArguments,
  readFindings,
  textsOf,
  usualTargets,
} from '../probe/targets.ts'
import { addressOf, nodeNames, serviceSpec, type Node, type Task } from './services.ts'

interface ProbedSwarm {
  client: EngineClient
  /** Managers with a known socket. The probe's image is loaded there. */
  managers: readonly EngineClient[]
  installation_id: string
  networks: Networks
  denies_privileges: boolean
  /** The nodes that run apps. */
  nodes: readonly Node[]
}

/** Maximum time for services of one kind to start on every node; later ones are not probed. */
const start_ms = 20_000
const end_ms = 15_000
const nodes_max = 50

/**
 * Tests from a container on every node if it can reach targets that apps must not reach. A node without a known socket
 * must already have the probe's image (`npm run admin -- probe-image`): a Swarm pulls images only from registries.
 */
export async function probeSwarm(
  swarm: ProbedSwarm,
  targets: readonly ProbeTarget[],
  signal: AbortSignal,
): Promise<ProbedMachine[]> {
  const names = nodeNames(swarm.nodes)
  const images = new Map(swarm.nodes.map((node) => [node.ID, probeImageName(node.Description?.Platform?.Architecture)]))
  await Promise.all(swarm.managers.map((manager) => loadOnManager(manager, signal)))
  await removeAbandoned(swarm, signal)
  const started: string[] = []
  /** Each node with a program for its processor runs one task of a service. */
  const probed_nodes = swarm.nodes.filter(({ ID }) => images.get(ID) !== undefined).length
  const run = openStarter(swarm, new Set([...images.values()].filter((name) => name !== undefined)), started, signal)
  try {
    const others = await run(probe_apps.other, ['listen', String(listen_port)])
    const siblings = await run(probe_apps.own, ['listen', String(listen_port)])
    const listening = await waitForTasks(
      swarm.client,
      { services: [...others, ...siblings], count: 2 * probed_nodes, is: isSettled, ms: start_ms },
      signal,
    )
    const sibling =
      listening.flatMap((task) =>
        siblings.includes(task.ServiceID ?? '') && task.Status?.State === 'running' ? overlayAddresses(task) : [],
      )[0] ?? ''
    const listeners = await listenersOf(
      swarm,
      listening.filter((task) => others.includes(task.ServiceID ?? '')),
      signal,
    )
    const usual = usualTargets(swarm.nodes.slice(0, nodes_max).map(addressOf))
    const all = [...targets, ...usual, ...listeners.targets]
    const probes = await run(probe_apps.own, reachArguments(all, sibling))
    const tasks = await waitForTasks(
      swarm.client,
      { services: probes, count: probed_nodes, is: hasEnded, ms: end_ms },
      signal,
    )
    return await Promise.all(
      swarm.nodes.map((node) =>
        probed(names.get(node.ID)!, async () => {
          const task = tasks.find(({ NodeID }) => NodeID === node.ID)
          const has_program = images.get(node.ID) !== undefined
          const found = await findingsOf(swarm.client, { task, has_program, targets: all, sibling }, signal)
          return found.filter((finding) => !isOfOtherNode(finding, node.ID, listeners.on_bridges))
        }),
      ),
    )
  } finally {
    await cleanUp(swarm, started)
  }
}

/** Loads the image on a manager. A manager that does not answer is still probed if its node runs apps. */
async function loadOnManager(manager: EngineClient, signal: AbortSignal) {
  try {
    const { Architecture } = await manager.call<{ Architecture?: string }>('GET', '/info', { signal })
    const name = probeImageName(Architecture)
    if (name !== undefined) await loadProbeImage(manager, name, signal)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
  }
}

/** Starts a service for each processor, and adds the ids of all services to `started`. */
function openStarter(swarm: ProbedSwarm, images: ReadonlySet<string>, started: string[], signal: AbortSignal) {
  const start = async (app_id: string, command: readonly string[], image: string) => {
    const network = await ensureNetwork(swarm.client, swarm.networks, app_id, signal)
    return createService(swarm, { image, app_id, network, command }, signal)
  }
  return async (app_id: string, command: readonly string[]) => {
    const services: string[] = []
    for (const image of images) {
      services.push(await again(() => start(app_id, command, image)))
      started.push(...services.slice(-1))
    }
    return services
  }
}

/** A Swarm removes a network some time after it reports the removal: the previous probe's network may disappear while it is used. */
async function again<Result>(work: () => Promise<Result>) {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= 3 || !hasStatus(error, 404)) throw error
      await new Promise((next) => setTimeout(next, 500))
    }
  }
}

interface FindingsQuery {
  task: Task | undefined
  has_program: boolean
  targets: readonly ProbeTarget[]
  sibling: string
}

async function findingsOf(
  client: EngineClient,
  { task, has_program, targets, sibling }: FindingsQuery,
  signal: AbortSignal,
): Promise<ProbeFinding[]> {
  if (!has_program) throw new EngineError('refused', 'The probe has no program for its processor.')
  if (task?.Status?.State !== 'complete') throw new EngineError('refused', whyNot(task))
  const query = { stdout: '1', stderr: '1', timestamps: '1', tail: 'all', follow: '0' }
  const lines = await textsOf(readLog(await client.stream('GET', `/tasks/${task.ID}/logs`, { signal, query })))
  return readFindings(lines, targets, sibling)
}

function whyNot(task: Task | undefined) {
  const error = task?.Status?.Err ?? ''
  return /no such image/i.test(error)
    ? 'It does not have the probe’s image: load it with npm run admin -- probe-image.'
    : `The probe did not run: ${error === '' ? 'it did not start in time' : error}.`
}

const overlayAddresses = ({ NetworksAttachments }: Task) =>
  (NetworksAttachments ?? [])
    .filter(({ Network }) => !Network?.Spec?.Ingress)
    .flatMap(({ Addresses }) => Addresses ?? [])
    .map((address) => address.split('/')[0]!)

/** An address on the bridge of a node. */
export interface BridgeAddress {
  node_id: string
  address: string
}

/**
 * True if a finding is at the address of another node's bridge. The bridges of all nodes have the same addresses, so on
 * this node the address belongs to something else, such as the probe itself, which refuses connections.
 */
export const isOfOtherNode = (
  { what, address, port }: Pick<ProbeFinding, 'what' | 'address' | 'port'>,
  node_id: string,
  on_bridges: readonly BridgeAddress[],
) => {
  const owners = on_bridges.filter((on_bridge) => on_bridge.address === address)
  return (
    what === 'app' && port === listen_port && owners.length > 0 && !owners.some((owner) => owner.node_id === node_id)
  )
}

/** The addresses of containers of another app: in their network, on the bridge of their node, and at their published ports. */
async function listenersOf({ client, nodes }: ProbedSwarm, tasks: readonly Task[], signal: AbortSignal) {
  const running = tasks.filter(({ Status }) => Status?.State === 'running').slice(0, nodes_max)
  const own = await Promise.all(
    running.map(async (task) => {
      const query = { stdout: '1', timestamps: '1', tail: 'all', follow: '0' }
      const lines = await textsOf(readLog(await client.stream('GET', `/tasks/${task.ID}/logs`, { signal, query })))
      const addresses = lines.flatMap((line) => (line.startsWith('address ') ? [line.slice('address '.length)] : []))
      const in_networks = overlayAddresses(task)
      const on_bridge = addresses.filter((address) => !in_networks.includes(address))
      return { addresses, on_bridges: on_bridge.map((address) => ({ node_id: task.NodeID ?? '', address })) }
    }),
  )
  const published = running.flatMap(({ NodeID, Status }) => {
    const node = nodes.find(({ ID }) => ID === NodeID)
    const ports = (Status?.PortStatus?.Ports ?? []).flatMap(({ PublishedPort }) => PublishedPort ?? [])
    return node ? ports.map((port) => ({ address: addressOf(node), port })) : []
  })
  const listening = own.flatMap(({ addresses }) => addresses.map((address) => ({ address, port: listen_port })))
  const targets = [...listening, ...published].map((at): ProbeTarget => ({ what: 'app', ...at }))
  return { targets, on_bridges: own.flatMap(({ on_bridges }) => on_bridges) }
}

interface ProbeService {
  image: string
  app_id: string
  network: string
  command: readonly string[]
}

async function createService(
  { client, installation_id, denies_privileges }: ProbedSwarm,
  { image, app_id, network, command }: ProbeService,
  signal: AbortSignal,
) {
  const plan = { installation_id, network, denies_privileges, other_nodes: [] }
  const spec = serviceSpec({ ...probe_workload, app_id }, image, plan)
  const { TaskTemplate, EndpointSpec } = spec
  const arch = image.includes(':arm64-') ? 'aarch64' : 'x86_64'
  const constraints = (TaskTemplate.Placement as { Constraints?: string[] }).Constraints ?? []
  const body = {
    Name: `plaza-probe-${randomBytes(8).toString('hex')}`,
    Labels: { ...networkLabelsOf(installation_id, app_id), [probe_label]: installation_id },
    TaskTemplate: {
      ...TaskTemplate,
      ContainerSpec: { ...TaskTemplate.ContainerSpec, Args: command, StopGracePeriod: 1e9 },
      Resources: { Limits: TaskTemplate.Resources.Limits },
      RestartPolicy: { Condition: 'none', MaxAttempts: 0 },
      Placement: { Constraints: [...constraints, `node.platform.arch==${arch}`] },
    },
    Mode: { Global: {} },
    EndpointSpec: command[0] === 'listen' ? EndpointSpec : { Mode: 'dnsrr' },
  }
  const { ID } = await client.call<{ ID: string }>('POST', '/services/create', { signal, body })
  return ID
}

const ended_states = ['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned']
const hasEnded = ({ Status }: Task) => ended_states.includes(Status?.State ?? '')
const isSettled = (task: Task) =>
  hasEnded(task) || (task.Status?.State === 'running' && (task.Status.PortStatus?.Ports ?? []).length > 0)

interface TaskWait {
  services: readonly string[]
  count: number
  is: (task: Task) => boolean
  ms: number
}

/** The tasks of these services, once the expected number has reached the state, or after the timeout. */
async function waitForTasks(client: EngineClient, { services, count, is, ms }: TaskWait, signal: AbortSignal) {
  for (const deadline = performance.now() + ms; ;) {
    const query = { filters: JSON.stringify({ service: services }) }
    const tasks = await client.call<Task[]>('GET', '/tasks', { signal, query })
    if (performance.now() > deadline || (tasks.length >= count && tasks.every(is))) return tasks
    await new Promise((next) => setTimeout(next, 200))
  }
}

async function removeAbandoned({ client, installation_id }: ProbedSwarm, signal: AbortSignal) {
  const query = { filters: JSON.stringify({ label: [`${probe_label}=${installation_id}`] }) }
  const all = await client.call<{ ID: string; CreatedAt?: string }[]>('GET', '/services', { signal, query })
  for (const { ID, CreatedAt } of all)
    if (Date.now() - Date.parse(CreatedAt ?? '') > abandoned_seconds * 1000) await removeOne(client, ID, signal)
}

const removeOne = (client: EngineClient, id: string, signal: AbortSignal) =>
  client.call('DELETE', `/services/${id}`, { signal }).catch(orUndefined(404))

const cleanup_ms = 20_000

/** Also runs after the probe's signal. The next probe removes or reuses anything left over. */
async function cleanUp({ client, networks }: ProbedSwarm, started: readonly string[]) {
  const signal = AbortSignal.timeout(cleanup_ms)
  await Promise.all(started.map((id) => removeOne(client, id, signal).catch(() => {})))
  for (const app_id of Object.values(probe_apps)) await removeNetwork(client, networks, app_id, signal).catch(() => {})
}
