import { EngineError, type Observed, type Phase, type Workload } from '../engine.ts'
import { shorten } from '../docker/http-client.ts'
import { labelsOf, nameOf, ownedBy } from '../names.ts'
import { environmentEntries, secretValues } from '../../secrets.rules.ts'
import {
  differences,
  environment,
  isEmpty,
  logDriver,
  memoryBytes,
  nanoCpus,
  profile,
  ulimits,
  redactValues,
} from '../docker/profile.ts'

/** The label of a daemon that denies new privileges to all its containers. */
export const no_new_privileges_label = 'plaza.no-new-privileges'

type CreatedSpec = ReturnType<typeof serviceSpec>
type ServiceSpec = CreatedSpec & { TaskTemplate: CreatedSpec['TaskTemplate'] & { ForceUpdate?: number } }

export interface Service {
  ID: string
  Version: { Index: number }
  CreatedAt?: string
  Spec: ServiceSpec
}

export interface Task {
  ID: string
  ServiceID?: string
  NodeID?: string
  CreatedAt?: string
  DesiredState?: string
  NetworksAttachments?: { Network?: { Spec?: { Ingress?: boolean } }; Addresses?: string[] | null }[] | null
  Status?: {
    State?: string
    Err?: string
    Timestamp?: string
    ContainerStatus?: { ExitCode?: number }
    PortStatus?: { Ports?: { PublishedPort?: number }[] | null }
  }
}

export interface Node {
  ID: string
  Spec?: { Availability?: string }
  Description?: {
    Hostname?: string
    Platform?: { Architecture?: string }
    Resources?: { NanoCPUs?: number; MemoryBytes?: number }
    Engine?: { Labels?: Record<string, string> | null }
  }
  Status?: { State?: string; Addr?: string }
  ManagerStatus?: { Addr?: string }
}

export interface ServicePlan {
  installation_id: string
  network: string
  /** Since API 1.44 a service can deny new privileges. Before, only the daemon can, for all its containers. */
  denies_privileges: boolean
  /** Nodes that a newly created service must avoid. */
  other_nodes: readonly string[]
}

const privilegeConstraints = (denies_privileges: boolean) =>
  denies_privileges ? [] : [`engine.labels.${no_new_privileges_label}==true`]

const other_node_constraint = 'node.id!='

/** A task template without its avoided nodes; undefined if it avoids none. */
export function withoutOtherNodes(task: ServiceSpec['TaskTemplate'] | undefined) {
  const constraints = task?.Placement?.Constraints ?? []
  const others = constraints.filter((constraint) => !constraint.startsWith(other_node_constraint))
  return task && others.length < constraints.length ? { ...task, Placement: { Constraints: others } } : undefined
}

/** The spec of a service with at most one task, published at a port of its node. */
export function serviceSpec(
  workload: Workload,
  image: string,
  { installation_id, network, denies_privileges, other_nodes }: ServicePlan,
) {
  const constraints = [
    ...privilegeConstraints(denies_privileges),
    ...other_nodes.map((node) => `${other_node_constraint}${node}`),
  ]
  return {
    Name: nameOf(workload),
    Labels: labelsOf(installation_id, workload, false),
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Env: environment(workload),
        CapabilityDrop: ['ALL'],
        CapabilityAdd: profile.capabilities,
        Ulimits: ulimits,
        StopGracePeriod: profile.stop_seconds * 1e9,
        ...(denies_privileges ? { Privileges: { NoNewPrivileges: true, Seccomp: { Mode: 'default' } } } : {}),
      },
      Resources: {
        Limits: { NanoCPUs: nanoCpus(workload), MemoryBytes: memoryBytes(workload), Pids: profile.processes_max },
        Reservations: { MemoryBytes: memoryBytes(workload) },
      },
      RestartPolicy: { Condition: 'any', Delay: 1e9, MaxAttempts: 0 },
      Placement: constraints.length === 0 ? {} : { Constraints: constraints },
      Networks: [{ Target: network }],
      LogDriver: { Name: logDriver.type, Options: logDriver.options },
    },
    Mode: { Replicated: { Replicas: workload.running ? 1 : 0 } },
    EndpointSpec: { Mode: 'dnsrr', Ports: [{ Protocol: 'tcp', TargetPort: workload.port, PublishMode: 'host' }] },
  }
}

/** The isolation fields of a service that differ from the spec, by name. */
export function serviceDifferences(workload: Workload, plan: ServicePlan, { Spec: actual }: Service): string[] {
  const expected = serviceSpec(workload, '', plan)
  const { CapabilityDrop, CapabilityAdd, Ulimits, Privileges } = expected.TaskTemplate.ContainerSpec
  const container: Record<string, unknown> = actual.TaskTemplate.ContainerSpec
  const { Limits } = expected.TaskTemplate.Resources
  const { LogDriver, Networks } = expected.TaskTemplate
  const constraints: readonly string[] = actual.TaskTemplate.Placement?.Constraints ?? []
  return [
    ...differences({ CapabilityDrop, CapabilityAdd, Ulimits }, container),
    ...(Privileges ? differences(Privileges, { ...actual.TaskTemplate.ContainerSpec.Privileges }) : []),
    ...differences(Limits, { ...actual.TaskTemplate.Resources?.Limits }),
    ...differences({ LogDriver, Networks }, { ...actual.TaskTemplate }),
    ...privilegeConstraints(plan.denies_privileges).filter((needed) => !constraints.includes(needed)),
    ...differences({ Ports: expected.EndpointSpec.Ports }, { ...actual.EndpointSpec }),
    ...['Mounts', 'Configs', 'Secrets', 'Sysctls', 'Hosts'].filter((field) => !isEmpty(container[field])),
  ]
}

const ended_states = ['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned']
const hasEnded = ({ Status }: Task) => ended_states.includes(Status?.State ?? '')
const hasFailed = ({ Status }: Task) => ['complete', 'failed', 'rejected'].includes(Status?.State ?? '')

/** The observation of one service; undefined for one of another owner. The caller counts `restarts`. */
export function observedService(
  installation_id: string,
  { Spec, CreatedAt }: Service,
  tasks: readonly Task[],
  { nodes, names }: { nodes: ReadonlyMap<string, Node>; names: ReadonlyMap<string, string> },
  restarts: number,
): Observed | undefined {
  const owned = ownedBy(installation_id, Spec.Name, Spec.Labels)
  if (!owned) return undefined
  const newest_first = [...tasks].sort((left, right) => ((left.CreatedAt ?? '') < (right.CreatedAt ?? '') ? 1 : -1))
  const last_ended = newest_first.find(hasFailed)
  const active = newest_first.filter((task) => !hasEnded(task))
  const current = active.find((task) => isRunning(task, nodes)) ?? active[0]
  const node = nodes.get(current?.NodeID ?? '')
  const is_uncertain = !(current && isRunning(current, nodes)) && active.some((task) => isUncertain(task, nodes))
  const phase = is_uncertain ? 'unknown' : phaseOf(Spec.Mode.Replicated.Replicas, current, last_ended, nodes)
  const running = phase === 'running'
  const message = running ? undefined : (current?.Status?.Err ?? last_ended?.Status?.Err)
  const port = current?.Status?.PortStatus?.Ports?.[0]?.PublishedPort
  const secrets = secretValues(environmentEntries(Spec.TaskTemplate.ContainerSpec.Env ?? []))
  return {
    id: owned.id,
    generation: owned.generation,
    replica: owned.replica,
    app_id: owned.app_id,
    phase,
    restarts,
    exit_code: running || phase === 'waiting' ? null : (last_ended?.Status?.ContainerStatus?.ExitCode ?? null),
    // A Swarm does not report it.
    oom_killed: false,
    reason: message ? shorten(redactValues(message, secrets)) : null,
    endpoint: running && port && node ? { host: addressOf(node), port } : null,
    host: (node && names.get(node.ID)) ?? null,
    image: Spec.TaskTemplate.ContainerSpec.Image,
    created_at: new Date(CreatedAt ?? 0),
    started_at: running ? new Date(current?.Status?.Timestamp ?? 0) : null,
  }
}

export const failedTasks = (tasks: readonly Task[]) => tasks.filter(hasFailed).map(({ ID }) => ID)

const isRunning = ({ Status, NodeID }: Task, nodes: ReadonlyMap<string, Node>) =>
  Status?.State === 'running' && nodes.get(NodeID ?? '')?.Status?.State === 'ready'

/**
 * A new leader does not know the state of a node until the node has reported, which takes half a minute at most. Its
 * containers keep running.
 */
const isUncertain = ({ Status, NodeID }: Task, nodes: ReadonlyMap<string, Node>) =>
  Status?.State === 'running' && nodes.get(NodeID ?? '')?.Status?.State === 'unknown'

const port_report_ms_max = 10_000

/**
 * True if the Swarm lost the report of the task's port, as around a change of its leader, before the port was saved
 * (published-ports.ts). The report is not repeated.
 */
export const isWithoutPort = ({ Status }: Task) =>
  Status?.State === 'running' &&
  !Status.PortStatus?.Ports?.length &&
  Date.now() - Date.parse(Status.Timestamp ?? '') > port_report_ms_max

/** True if the scheduler has searched for a node and found none. */
export const isUnplaceable = ({ NodeID, Status }: Task) => !NodeID && /no suitable node/.test(Status?.Err ?? '')

/** A Swarm replaces an ended task with a new one, so an instance is a sequence of tasks. */
function phaseOf(
  replicas: number | undefined,
  current: Task | undefined,
  last_ended: Task | undefined,
  nodes: ReadonlyMap<string, Node>,
): Phase {
  if (current && isRunning(current, nodes)) return isWithoutPort(current) ? 'waiting' : 'running'
  if (!replicas) return current ? 'running' : 'exited'
  // The node refused the task or could not pull the image: the next task fails the same way.
  if (last_ended?.Status?.State === 'rejected') return 'failed'
  return last_ended ? 'restarting' : 'waiting'
}

/** The names of a Swarm's nodes by id: their host names, with a part of the id if several have the same name. */
export function nodeNames(nodes: readonly Node[]): ReadonlyMap<string, string> {
  const nameOf = ({ Description, ID }: Node) => Description?.Hostname ?? ID
  const count = (name: string) => nodes.filter((node) => nameOf(node) === name).length
  return new Map(
    nodes.map((node) => [node.ID, count(nameOf(node)) === 1 ? nameOf(node) : `${nameOf(node)}-${node.ID.slice(0, 6)}`]),
  )
}

/** The address at which the router reaches a node. The manager of a single-node Swarm may have a management address only. */
export function addressOf({ Status, ManagerStatus }: Node) {
  const own = Status?.Addr ?? ''
  if (own !== '' && own !== '0.0.0.0') return own
  return (ManagerStatus?.Addr ?? '').replace(/:\d+$/, '')
}

/** The nodes that deny new privileges. Fails with `isolation` if no node does. */
export function requireIsolatingNode(nodes: readonly Node[], denies_privileges: boolean) {
  const eligible = nodes.filter(
    ({ Description }) => denies_privileges || Description?.Engine?.Labels?.[no_new_privileges_label] === 'true',
  )
  if (eligible.length > 0) return eligible
  const remedy = `set "no-new-privileges": true and the label ${no_new_privileges_label}=true in the configuration of its daemon`
  throw new EngineError(
    'isolation',
    `No host of the Swarm denies new privileges to its containers: on each, ${remedy}.`,
  )
}
