import { EngineError, type Observed, type Phase, type Workload } from '../engine.ts'
import { shorten } from '../docker/http-client.ts'
import { labelsOf, nameOf, ownedBy } from '../names.ts'
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

/** What a host's daemon says of itself when all its containers are begun without a way to gain privileges. */
export const no_new_privileges_label = 'plaza.no-new-privileges'

export interface Service {
  ID: string
  Version: { Index: number }
  CreatedAt?: string
  Spec: ReturnType<typeof serviceSpec>
}

export interface Task {
  ID: string
  ServiceID?: string
  NodeID?: string
  CreatedAt?: string
  DesiredState?: string
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
    Resources?: { NanoCPUs?: number; MemoryBytes?: number }
    Engine?: { Labels?: Record<string, string> | null }
  }
  Status?: { State?: string; Addr?: string }
  ManagerStatus?: { Addr?: string }
}

export interface ServicePlan {
  installation_id: string
  network: string
  /** Engines since API 1.44 deny new privileges to a service; before, only to all that a host runs. */
  denies_privileges: boolean
}

/** A service of one task at most, reached at a port of the host it runs on. */
export function serviceSpec(
  workload: Workload,
  image: string,
  { installation_id, network, denies_privileges }: ServicePlan,
) {
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
      Placement: denies_privileges ? {} : { Constraints: [`engine.labels.${no_new_privileges_label}==true`] },
      Networks: [{ Target: network }],
      LogDriver: { Name: logDriver.type, Options: logDriver.options },
    },
    Mode: { Replicated: { Replicas: workload.running ? 1 : 0 } },
    EndpointSpec: { Mode: 'dnsrr', Ports: [{ Protocol: 'tcp', TargetPort: workload.port, PublishMode: 'host' }] },
  }
}

/** Compares a service with what was asked for: each field that shuts the workload in and did not stick. */
export function serviceDifferences(workload: Workload, plan: ServicePlan, { Spec: got }: Service): string[] {
  const asked = serviceSpec(workload, '', plan)
  const { CapabilityDrop, CapabilityAdd, Ulimits, Privileges } = asked.TaskTemplate.ContainerSpec
  const container: Record<string, unknown> = got.TaskTemplate.ContainerSpec
  const { Limits } = asked.TaskTemplate.Resources
  const { Placement, LogDriver, Networks } = asked.TaskTemplate
  return [
    ...differences({ CapabilityDrop, CapabilityAdd, Ulimits }, container),
    ...(Privileges ? differences(Privileges, { ...got.TaskTemplate.ContainerSpec.Privileges }) : []),
    ...differences(Limits, { ...got.TaskTemplate.Resources?.Limits }),
    ...differences({ LogDriver, Networks }, { ...got.TaskTemplate }),
    ...(Placement.Constraints
      ? differences({ Constraints: Placement.Constraints }, { ...got.TaskTemplate.Placement })
      : []),
    ...differences({ Ports: asked.EndpointSpec.Ports }, { ...got.EndpointSpec }),
    ...['Mounts', 'Configs', 'Secrets', 'Sysctls', 'Hosts'].filter((field) => !isEmpty(container[field])),
  ]
}

const ended_states = ['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned']
const hasEnded = ({ Status }: Task) => ended_states.includes(Status?.State ?? '')
const hasFailed = ({ Status }: Task) => ['complete', 'failed', 'rejected'].includes(Status?.State ?? '')

/** What is seen of one service; undefined for one that is not ours. `restarts` is counted by the caller over time. */
export function observedService(
  installation_id: string,
  { Spec, CreatedAt }: Service,
  tasks: readonly Task[],
  nodes: ReadonlyMap<string, Node>,
  restarts: number,
): Observed | undefined {
  const owned = ownedBy(installation_id, Spec.Name, Spec.Labels)
  if (!owned) return undefined
  const newest_first = [...tasks].sort((left, right) => ((left.CreatedAt ?? '') < (right.CreatedAt ?? '') ? 1 : -1))
  const last_ended = newest_first.find(hasFailed)
  const wanted = newest_first.filter((task) => !hasEnded(task))
  const current = wanted.find((task) => isRunning(task, nodes)) ?? wanted[0]
  const node = nodes.get(current?.NodeID ?? '')
  const phase = phaseOf(Spec.Mode.Replicated.Replicas, current, last_ended, nodes)
  const running = phase === 'running'
  const words = running ? undefined : (current?.Status?.Err ?? last_ended?.Status?.Err)
  const port = current?.Status?.PortStatus?.Ports?.[0]?.PublishedPort
  const values = (Spec.TaskTemplate.ContainerSpec.Env ?? []).map((entry) => entry.slice(entry.indexOf('=') + 1))
  return {
    id: owned.id,
    generation: owned.generation,
    app_id: owned.app_id,
    phase,
    restarts,
    exit_code: running || phase === 'waiting' ? null : (last_ended?.Status?.ContainerStatus?.ExitCode ?? null),
    // A Swarm does not pass this on.
    oom_killed: false,
    reason: words ? shorten(redactValues(words, values)) : null,
    endpoint: running && port && node ? { host: addressOf(node), port } : null,
    host: node?.Description?.Hostname ?? null,
    image: Spec.TaskTemplate.ContainerSpec.Image,
    created_at: new Date(CreatedAt ?? 0),
    started_at: running ? new Date(current?.Status?.Timestamp ?? 0) : null,
  }
}

export const failedTasks = (tasks: readonly Task[]) => tasks.filter(hasFailed).map(({ ID }) => ID)

const isRunning = ({ Status, NodeID }: Task, nodes: ReadonlyMap<string, Node>) =>
  Status?.State === 'running' && nodes.get(NodeID ?? '')?.Status?.State === 'ready'

/** Swarm replaces a task that ended by a new one: what shows as one instance is a row of tasks. */
function phaseOf(
  replicas: number | undefined,
  current: Task | undefined,
  last_ended: Task | undefined,
  nodes: ReadonlyMap<string, Node>,
): Phase {
  if (current && isRunning(current, nodes)) return 'running'
  if (!replicas) return current ? 'running' : 'exited'
  // The host refused it, or could not fetch its image: that happens to the next one too.
  if (last_ended?.Status?.State === 'rejected') return 'failed'
  return last_ended ? 'restarting' : 'waiting'
}

/** Where the router reaches a node; a manager of a single node may have no address but the one it manages at. */
function addressOf({ Status, ManagerStatus }: Node) {
  const own = Status?.Addr ?? ''
  if (own !== '' && own !== '0.0.0.0') return own
  return (ManagerStatus?.Addr ?? '').replace(/:\d+$/, '')
}

/** Fails with `isolation` unless some host can run a workload without a way to gain privileges. */
export function requireIsolatingNode(nodes: readonly Node[], denies_privileges: boolean) {
  const fit = nodes.filter(
    ({ Description }) => denies_privileges || Description?.Engine?.Labels?.[no_new_privileges_label] === 'true',
  )
  if (fit.length > 0) return fit
  const remedy = `set "no-new-privileges": true and the label ${no_new_privileges_label}=true in the configuration of its daemon`
  throw new EngineError(
    'isolation',
    `No host of the Swarm denies new privileges to its containers: on each, ${remedy}.`,
  )
}
