import { requireEnforcement, type DaemonInfo } from '../docker/daemon.ts'
import {
  engineTime,
  EngineError,
  position_overlap_ns,
  type ContainerEngine,
  type InstanceName,
  type LogLine,
  type LogQuery,
  type OutputStart,
  type Workload,
} from '../engine.ts'
import { hasStatus, orUndefined, type EngineClient } from '../docker/http-client.ts'
import { credential, resolveImage } from '../docker/images.ts'
import { filterFor, isMeant, nameOf, ownedBy } from '../names.ts'
import { dockerNetworks, ensureNetwork, removeNetwork, type Networks } from '../docker/network.ts'
import { profile, redactSecrets } from '../docker/profile.ts'
import { probeSwarm } from './probe.ts'
import {
  failedTasks,
  isUnplaceable,
  isWithoutPort,
  nodeNames,
  observedService,
  requireIsolatingNode,
  serviceDifferences,
  serviceSpec,
  withoutOtherNodes,
  type Node,
  type Service,
  type ServicePlan,
  type Task,
} from './services.ts'
import { keepPorts, withKnownPorts } from './published-ports.ts'
import { readLog } from '../docker/streams.ts'
import { readUsage } from '../docker/usage.ts'

export interface Swarm {
  /** Client of a manager. */
  client: EngineClient
  /** Clients of each manager. */
  managers: readonly EngineClient[]
  installation_id: string
  network_range: string
}

/**
 * The driver of a Docker Swarm: every instance is a service with at most one task. Limitations of a Swarm: a stopped
 * instance keeps neither file system nor output, out-of-memory is not reported, a workload may use as much swap as
 * memory, and ports are published on every address of a node. Its nodes pull and remove images themselves. Usage covers
 * only containers on the node of the socket, because a manager does not report that of other nodes.
 */
export function swarmEngine(swarm: Swarm): ContainerEngine {
  const { client, installation_id } = swarm
  const networks: Networks = {
    installation_id,
    range: swarm.network_range,
    kind: dockerNetworks({ driver: 'overlay', scope: 'swarm', options: {} }),
  }
  const countRestarts = restartCounter()
  return {
    info: (signal) => readInfo(client, signal),
    async ensure(workload, signal) {
      try {
        return await ensureService(swarm, networks, workload, signal)
      } catch (error) {
        throw redactSecrets(error, workload)
      }
    },
    async remove(what, signal) {
      if ('image' in what) return 'gone'
      if ('network_of_app' in what) return removeNetwork(client, networks, what.network_of_app, signal)
      const all = await listOwn(swarm, what.workload, signal)
      const named = all.filter((instance) => isMeant(what, instance))
      await Promise.all(named.map(({ service }) => removeService(client, service.ID, signal)))
      return 'gone'
    },
    async observe(signal, deployment) {
      const filters = filterFor(installation_id, deployment === undefined ? {} : { deployment })
      const [own, tasks, nodes] = await Promise.all([
        listOwn(swarm, deployment, signal),
        client.call<Task[]>('GET', '/tasks', { signal, query: { filters } }),
        client.call<Node[]>('GET', '/nodes', { signal }),
      ])
      const known = { nodes: new Map(nodes.map((node) => [node.ID, node])), names: nodeNames(nodes) }
      const tasks_of = groupByService(tasks)
      const restarts = countRestarts(tasks_of, deployment === undefined)
      const all = own.map(({ service }) => ({
        service,
        tasks: withKnownPorts(service, tasks_of.get(service.ID) ?? []),
      }))
      // Before a port is served: a leader that changes right afterwards would forget it.
      await keepPorts(client, all, signal)
      const observed_all = all.map(({ service, tasks: service_tasks }) => {
        return observedService(installation_id, service, service_tasks, known, restarts.get(service.ID) ?? 0)
      })
      return observed_all.filter((observed) => observed !== undefined)
    },
    logs: (instance, query, signal) => readLogs(swarm, instance, query, signal),
    output: (instance, start, signal) => readOutput(swarm, instance, start, signal),
    listeners: async () => undefined,
    async usage(instance, signal) {
      const container = await findLocalContainer(client, instance, signal)
      return container && readUsage(client, container.Id, signal)
    },
    async probe(targets, signal) {
      const denies_privileges = await deniesPrivileges(client, signal)
      const nodes = requireIsolatingNode(await listActiveNodes(client, signal), denies_privileges)
      return probeSwarm({ ...swarm, networks, denies_privileges, nodes }, targets, signal)
    },
  }
}

function groupByService(tasks: readonly Task[]) {
  const groups = new Map<string, Task[]>()
  for (const task of tasks) groups.set(task.ServiceID ?? '', [...(groups.get(task.ServiceID ?? '') ?? []), task])
  return groups
}

/** A Swarm keeps only the last few tasks of a service, so failed tasks are counted as they are observed. */
function restartCounter() {
  const failed_of = new Map<string, Set<string>>()
  return (tasks_of: ReadonlyMap<string, readonly Task[]>, are_all: boolean) => {
    for (const [service, tasks] of tasks_of)
      failed_of.set(service, new Set([...(failed_of.get(service) ?? []), ...failedTasks(tasks)]))
    if (are_all) for (const service of failed_of.keys()) if (!tasks_of.has(service)) failed_of.delete(service)
    return new Map([...failed_of].map(([service, failed]) => [service, failed.size]))
  }
}

async function deniesPrivileges(client: EngineClient, signal: AbortSignal) {
  return Number((await client.apiVersion(signal)).split('.')[1]) >= 44
}

const listActiveNodes = async (client: EngineClient, signal: AbortSignal) =>
  (await client.call<Node[]>('GET', '/nodes', { signal })).filter(
    ({ Status, Spec }) => Status?.State === 'ready' && Spec?.Availability === 'active',
  )

async function readInfo(client: EngineClient, signal: AbortSignal) {
  const api_version = await client.negotiate(signal)
  const info = await client.call<DaemonInfo & { Swarm?: { ControlAvailable?: boolean } }>('GET', '/info', { signal })
  if (!info.Swarm?.ControlAvailable) throw new EngineError('refused', 'The engine is not a manager of a Swarm.')
  requireEnforcement(info)
  const nodes = await listActiveNodes(client, signal)
  const eligible = requireIsolatingNode(nodes, await deniesPrivileges(client, signal))
  const sum = (amounts: (number | undefined)[]) => amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0)
  return {
    kind: 'swarm' as const,
    version: info.ServerVersion ?? '',
    api_version,
    memory_mb: Math.floor(sum(eligible.map((node) => node.Description?.Resources?.MemoryBytes)) / 1024 / 1024),
    millicores: Math.floor(sum(eligible.map((node) => node.Description?.Resources?.NanoCPUs)) / 1_000_000),
    hosts: eligible.length,
    advice: [],
    limits: [
      'When the daemon of a node ends or restarts, the containers on it end too: live-restore does not go with a Swarm. Replicas ' +
        'on other nodes serve meanwhile.',
      'Swap is not limited, and a container that runs out of memory looks like one that was killed.',
      'A stopped deployment keeps neither its files nor its output.',
      'The use of containers is measured on the manager’s own node only.',
    ],
  }
}

async function ensureService(swarm: Swarm, networks: Networks, workload: Workload, signal: AbortSignal) {
  const { client, installation_id } = swarm
  const network = await ensureNetwork(client, networks, workload.app_id, signal)
  const plan = {
    installation_id,
    network,
    denies_privileges: await deniesPrivileges(client, signal),
    other_nodes: await nodesOfOtherReplicas(swarm, workload, signal),
  }
  let service = await findOwn(swarm, workload, signal)
  if (service && serviceDifferences(workload, plan, service).length > 0) {
    await removeService(client, service.ID, signal)
    service = undefined
  }
  service ??= await createService(swarm, workload, plan, signal)
  await scale(client, service, workload, signal)
  if (workload.running) {
    await replaceTaskWithoutPort(client, service.ID, workload, signal)
    await placeBesideOthers(client, service.ID, workload, signal)
  }
  return { image: service.Spec.TaskTemplate.ContainerSpec.Image, pulled: false }
}

/**
 * The nodes that run other replicas of the deployment (D-105). Empty if no other node is left: a replica beside another
 * one is better than none.
 */
async function nodesOfOtherReplicas(swarm: Swarm, { id, replica }: Workload, signal: AbortSignal) {
  const others = (await listOwn(swarm, id, signal)).filter((each) => each.replica !== replica)
  if (others.length === 0) return []
  const filters = JSON.stringify({ service: others.map(({ service }) => service.ID), 'desired-state': ['running'] })
  const [tasks, ready] = await Promise.all([
    swarm.client.call<Task[]>('GET', '/tasks', { signal, query: { filters } }),
    listActiveNodes(swarm.client, signal),
  ])
  const used = new Set(tasks.map(({ NodeID }) => NodeID ?? ''))
  return ready.some(({ ID }) => !used.has(ID)) ? [...used].filter((node) => node !== '') : []
}

/** The service of this instance. Fails with `refused` if a service of another owner has its name. */
async function findOwn({ client, installation_id }: Swarm, workload: Workload, signal: AbortSignal) {
  const service = await inspect(client, nameOf(workload), signal)
  if (!service) return undefined
  if (ownedBy(installation_id, service.Spec.Name, service.Spec.Labels)?.app_id === workload.app_id) return service
  throw new EngineError('refused', `The name ${nameOf(workload)} is taken by a service that is not this deployment's.`)
}

async function createService(swarm: Swarm, workload: Workload, plan: ServicePlan, signal: AbortSignal) {
  const { client } = swarm
  const image = await resolveImage(client, workload, signal)
  try {
    const body = serviceSpec(workload, image, plan)
    await client.call('POST', '/services/create', { signal, body, ...credential(workload.registry_auth) })
  } catch (error) {
    // 409: the service exists, from a call whose answer was lost or from another worker. It is adopted if it belongs to this installation.
    if (!hasStatus(error, 409)) throw error
  }
  const service = await findOwn(swarm, workload, signal)
  if (!service) throw new EngineError('unreachable', 'The service was gone as soon as it was made.')
  const differences = serviceDifferences(workload, plan, service)
  if (differences.length === 0) return service
  await removeService(client, service.ID, signal)
  throw new EngineError('isolation', `The engine did not apply: ${differences.join(', ')}.`)
}

/** Sets the number of replicas to 0 or 1. A Swarm accepts an update only with the service's latest version. */
async function scale(client: EngineClient, first: Service, workload: Workload, signal: AbortSignal) {
  const replicas = workload.running ? 1 : 0
  let service: Service | undefined = first
  for (let tries = 0; service && (service.Spec.Mode.Replicated.Replicas ?? 0) !== replicas; tries++) {
    const body = { ...service.Spec, Mode: { Replicated: { Replicas: replicas } } }
    const query = { version: String(service.Version.Index) }
    try {
      const auth = credential(workload.registry_auth)
      await client.call('POST', `/services/${service.ID}/update`, { signal, query, body, ...auth })
      return
    } catch (error) {
      if (tries >= 5 || !hasStatus(error, 400, 409, 500) || !/out of sequence/i.test(error.message)) throw error
    }
    service = await inspect(client, service.ID, signal)
  }
}

/** A new task reports its port again. */
async function replaceTaskWithoutPort(client: EngineClient, id: string, workload: Workload, signal: AbortSignal) {
  const service = await inspect(client, id, signal)
  if (!service || !withKnownPorts(service, await listWantedTasks(client, id, signal)).some(isWithoutPort)) return
  await changeTask(client, id, workload, signal, (task) => ({ ...task, ForceUpdate: (task.ForceUpdate ?? 0) + 1 }))
}

const scheduling_ms_max = 3_000

/**
 * Lets a service that avoids the nodes of other replicas run beside another replica if no other node exists or has
 * room: that is better than not running (D-105).
 */
async function placeBesideOthers(client: EngineClient, id: string, workload: Workload, signal: AbortSignal) {
  const keepsAway = (service: Service | undefined) => withoutOtherNodes(service?.Spec.TaskTemplate) !== undefined
  if (!keepsAway(await inspect(client, id, signal))) return
  for (const deadline = performance.now() + scheduling_ms_max; performance.now() < deadline;) {
    const tasks = await listWantedTasks(client, id, signal)
    if (tasks.some(({ NodeID }) => NodeID)) return
    if (tasks.some(isUnplaceable)) return changeTask(client, id, workload, signal, withoutOtherNodes)
    await new Promise((next) => setTimeout(next, 100))
  }
}

const listWantedTasks = (client: EngineClient, id: string, signal: AbortSignal) =>
  client.call<Task[]>('GET', '/tasks', {
    signal,
    query: { filters: JSON.stringify({ service: [id], 'desired-state': ['running'] }) },
  })

/** Changes the template of a service's tasks, which replaces its task. */
async function changeTask(
  client: EngineClient,
  id: string,
  workload: Workload,
  signal: AbortSignal,
  change: (task: Service['Spec']['TaskTemplate']) => Service['Spec']['TaskTemplate'] | undefined,
) {
  const service = await inspect(client, id, signal)
  const TaskTemplate = service && change(service.Spec.TaskTemplate)
  if (!service || !TaskTemplate) return
  const query = { version: String(service.Version.Index) }
  const body = { ...service.Spec, TaskTemplate }
  await client.call('POST', `/services/${id}/update`, { signal, query, body, ...credential(workload.registry_auth) })
}

/** Removes a service and waits for its tasks to end, at most the stop time plus 5 s: tasks on a lost node never end. */
async function removeService(client: EngineClient, id: string, signal: AbortSignal) {
  await client.call('DELETE', `/services/${id}`, { signal }).catch(orUndefined(404))
  const query = { filters: JSON.stringify({ service: [id] }) }
  for (const deadline = performance.now() + (profile.stop_seconds + 5) * 1000; performance.now() < deadline;) {
    const tasks = await client.call<Task[]>('GET', '/tasks', { signal, query }).catch(orUndefined(404))
    if (!tasks || tasks.length === 0) return
    await new Promise((next) => setTimeout(next, 100))
  }
}

async function listOwn({ client, installation_id }: Swarm, deployment: string | undefined, signal: AbortSignal) {
  const query = { filters: filterFor(installation_id, deployment === undefined ? {} : { deployment }) }
  const all = await client.call<Service[]>('GET', '/services', { signal, query })
  return all.flatMap((service) => {
    const owned = ownedBy(installation_id, service.Spec.Name, service.Spec.Labels)
    return owned ? [{ ...owned, service }] : []
  })
}

const inspect = (client: EngineClient, name: string, signal: AbortSignal) =>
  client.call<Service>('GET', `/services/${name}`, { signal }).catch(orUndefined(404))

async function* readLogs(swarm: Swarm, instance: InstanceName, { tail }: LogQuery, signal: AbortSignal) {
  const service = await inspectOwn(swarm, instance, signal)
  if (!service) return
  const query = { stdout: '1', stderr: '1', timestamps: '1', tail: String(tail), follow: '0' }
  const batches = readLog(await swarm.client.stream('GET', `/services/${service.ID}/logs`, { signal, query }))
  const all: LogLine[] = []
  for await (const lines of batches) all.push(...lines)
  yield* lastLines(all, tail)
}

/** A stream of a service covers all its tasks, including later ones. */
async function* readOutput(
  swarm: Swarm,
  instance: InstanceName,
  { positions, tail, follow }: OutputStart,
  signal: AbortSignal,
) {
  const { client } = swarm
  const service = await inspectOwn(swarm, instance, signal)
  if (!service) return
  const filters = JSON.stringify({ service: [service.ID] })
  const tasks = await client.call<Task[]>('GET', '/tasks', { signal, query: { filters } })
  const since = oldestPosition(tasks, positions)
  const query = {
    stdout: '1',
    stderr: '1',
    timestamps: '1',
    details: '1',
    follow: follow ? '1' : '0',
    ...(since !== undefined && { since: engineTime(since - position_overlap_ns) }),
    ...(tail !== undefined && { tail: String(tail) }),
  }
  const path = `/services/${service.ID}/logs`
  const batches = readLog(await client.stream('GET', path, { signal, query, is_kept_open: true }), true)
  for await (const lines of batches) yield lines.map((line) => ({ ...line, source: taskOf(line.details) }))
}

/** The position from which all tasks known to the Swarm can be read; undefined if one of them has none. */
function oldestPosition(tasks: readonly Task[], positions: ReadonlyMap<string, bigint>) {
  let oldest: bigint | undefined
  for (const { ID } of tasks) {
    const position = positions.get(ID)
    if (position === undefined) return undefined
    if (oldest === undefined || position < oldest) oldest = position
  }
  return oldest
}

/** The task in the details of a line: `com.docker.swarm.node.id=…,com.docker.swarm.task.id=…`. */
const taskOf = (details: string) => /com\.docker\.swarm\.task\.id=([a-z0-9]+)/.exec(details)?.[1] ?? ''

/** The service of an instance; undefined if there is none or it belongs to another owner. */
async function inspectOwn({ client, installation_id }: Swarm, instance: InstanceName, signal: AbortSignal) {
  const service = await inspect(client, nameOf(instance), signal)
  return service && ownedBy(installation_id, service.Spec.Name, service.Spec.Labels) ? service : undefined
}

/** The engine returns the last lines of each task, unsorted. */
const lastLines = (lines: LogLine[], count: number) =>
  lines.sort((left, right) => left.at.getTime() - right.at.getTime()).slice(-count)

/** The running container of a service on the node of the socket. Swarm itself labels it. */
async function findLocalContainer(client: EngineClient, instance: InstanceName, signal: AbortSignal) {
  const filters = JSON.stringify({ label: [`com.docker.swarm.service.name=${nameOf(instance)}`], status: ['running'] })
  const [container] = await client.call<{ Id: string }[]>('GET', '/containers/json', { signal, query: { filters } })
  return container
}
