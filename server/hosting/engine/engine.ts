import type { EngineKind } from '../../../contract/kinds/engines.ts'
import type { Listener } from './probe/listeners.ts'

/**
 * The interface to a container engine, with one driver for hosts with Docker or Podman and one for a Swarm. Types of an
 * engine's API stay inside the drivers. Deployment, generation and replica identify an instance. A new generation is a
 * new instance beside the old one, never a change of it, so that a replacement is ready before the old one is removed.
 */
export interface ContainerEngine {
  /**
   * Version and resources of the engine. Fails with `isolation` if it cannot enforce the isolation profile, and with
   * `unreachable` or `too_old`.
   */
  info(signal: AbortSignal): Promise<EngineInfo>
  /**
   * Makes the instance of (id, generation, replica) exist, running or stopped. Pulls the image if it is absent. A tag is resolved to a
   * digest once; the result contains the digest. Idempotent: an instance whose creation lost its answer is adopted. Reads the created
   * object back: if it differs from the isolation profile, fails with `isolation` and leaves nothing running.
   */
  ensure(workload: Workload, signal: AbortSignal): Promise<EnsureResult>
  /** Removes an object. An absent object counts as removed; an image or network in use stays. */
  remove(what: Removable, signal: AbortSignal): Promise<Removal>
  /**
   * All instances of this installation, or of one deployment. For one deployment every instance is inspected, and a
   * failed inspection fails the call. For all, a container that has been up since its last inspection may come from a
   * cache, for at most half a minute; a container that the engine lists but fails to inspect is in phase `unknown`.
   */
  observe(signal: AbortSignal, deployment?: string): Promise<Observed[]>
  /** The last output lines of an instance, oldest first. */
  logs(instance: InstanceName, query: LogQuery, signal: AbortSignal): AsyncIterable<LogLine>
  /**
   * The output of an instance from known positions on, in batches as it arrives, until the signal aborts or the instance ends. Lines before
   * a position may be repeated; the line at the position is repeated while the engine has it. Fails if the engine cannot read the rest.
   */
  output(instance: InstanceName, start: OutputStart, signal: AbortSignal): AsyncIterable<SourceLine[]>
  /**
   * The current resource use of an instance; undefined if it does not run or the engine cannot measure it. A Swarm measures only
   * containers on the node of its socket.
   */
  usage(instance: InstanceName, signal: AbortSignal): Promise<Usage | undefined>
  /** The listeners of the programs of a running instance; undefined if they cannot be read, as on a Swarm. */
  listeners(instance: InstanceName, signal: AbortSignal): Promise<Listener[] | undefined>
  /**
   * Tests from probe containers with the settings of apps if they can reach what apps must not reach: these targets, another app, the host,
   * the engine's API and the metadata address of clouds. Returns one result per machine. Removes its containers; needs no registry.
   */
  probe(targets: readonly ProbeTarget[], signal: AbortSignal): Promise<ProbedMachine[]>
}

export interface InstanceName {
  /** The deployment's id. */
  id: string
  generation: number
  /** From 1. All replicas of a deployment run the same release (D-105). */
  replica: number
}

export interface EngineInfo {
  kind: EngineKind
  /** The engine's own text, for display. */
  version: string
  api_version: string
  /** Totals over all hosts of the engine. */
  memory_mb: number
  millicores: number
  hosts: number
  /** Recommendations for its operator, as sentences. */
  advice: string[]
  /** Limitations of this kind of engine, as sentences. */
  limits: string[]
}

export interface Workload extends InstanceName {
  /** The owning app. Workloads of one app share a network; workloads of different apps never do. */
  app_id: string
  /** A canonical reference: `host/path:tag`, or `host/path@sha256:…` once it is resolved. */
  image: string
  /** The platform's credentials, for images that need them. Never logged. */
  registry_auth: RegistryAuth | undefined
  /** In clear text, including `PORT`. Never logged. */
  env: Record<string, string>
  port: number
  memory_mb: number
  millicores: number
  /** False: stopped, with file system and output kept. */
  running: boolean
}

export interface RegistryAuth {
  serveraddress: string
  username: string
  password: string
}

export interface EnsureResult {
  /** The image by digest, `host/path@sha256:…`: every later start of this generation uses it. */
  image: string
  /** True if this call pulled it. Only such images are removed as unused. */
  pulled: boolean
}

export type Removable =
  | { workload: string; generation?: number; replica?: number }
  /** An image that the platform pulled, by digest. */
  | { image: string }
  /** The network of an app without workloads on the host. */
  | { network_of_app: string }

export type Removal = 'gone' | 'in_use'

/**
 * `waiting`: accepted, but not running yet. `restarting`: it ended by itself, and the engine starts it again.
 * `unknown`: it exists, but the engine fails to inspect it, or a new leader of a Swarm has no report from its node yet.
 */
export type Phase = 'waiting' | 'running' | 'restarting' | 'exited' | 'failed' | 'unknown'

export interface Observed extends InstanceName {
  app_id: string
  phase: Phase
  /** Restarts by the engine, over the instance's life. */
  restarts: number
  exit_code: number | null
  /** True only where the engine reports it. */
  oom_killed: boolean
  /** The engine's message for a failed start, with environment values redacted. */
  reason: string | null
  /** The last result of the image's health check; absent if the image has none or the engine does not run it. */
  health?: 'starting' | 'healthy' | 'unhealthy' | undefined
  /** The address of the workload's port for the router; null while it does not run. */
  endpoint: Endpoint | null
  /** True if it runs without its network or its published port. Absent if the engine itself maintains both. */
  is_cut_off?: boolean | undefined
  /** The node, on an engine with several. */
  host: string | null
  image: string | null
  created_at: Date
  started_at: Date | null
}

export interface Endpoint {
  host: string
  port: number
}

/** Targets that apps must not reach. */
export type ProtectedThing = 'app' | 'host' | 'engine' | 'metadata' | 'registry' | 'database'

export interface ProbeTarget {
  what: ProtectedThing
  /** An IPv4 address, or `gateway` for the machine that the container runs on. */
  address: string
  port: number
}

/** A target that answered: it accepted a connection, or refused it, which shows that only a listener is missing. */
export interface ProbeFinding extends ProbeTarget {
  answer: 'connected' | 'refused'
}

export interface ProbedMachine {
  /** The node, on an engine with several. */
  node: string | null
  /** The reason why the machine could not be probed, if any. */
  failure: string | null
  found: ProbeFinding[]
}

export interface Usage {
  /** Without the file cache, which the kernel frees when memory is needed. */
  memory_bytes: number
  /** Counted since its start, like the bytes: the difference of two measurements is the usage between them. */
  processor_ns: number
  received_bytes: number
  sent_bytes: number
}

export interface LogQuery {
  /** The number of last lines. */
  tail: number
}

export interface LogLine {
  stream: 'stdout' | 'stderr'
  at: Date
  /** The same time in nanoseconds since 1970. */
  at_ns: bigint
  text: string
}

/** A line with the container or Swarm task that wrote it: an instance is a sequence of these. */
export interface SourceLine extends LogLine {
  source: string
}

/** The position at which reading begins. */
export interface OutputStart {
  /** The time of the last known line of each source, in nanoseconds. Other sources are read from their beginning. */
  positions: ReadonlyMap<string, bigint>
  /** The number of newest existing lines to read. */
  tail?: number
  /** False: existing lines only. */
  follow: boolean
}

/**
 * The overlap to read before a position, in nanoseconds. A container writes two streams in parallel, so lines are not
 * in order of their times.
 */
export const position_overlap_ns = 2_000_000_000n

/** A time in nanoseconds in the format of engines: seconds with a fraction. */
export const engineTime = (at_ns: bigint) =>
  `${at_ns / 1_000_000_000n}.${String(at_ns % 1_000_000_000n).padStart(9, '0')}`

/**
 * The reason why a call failed. After `unreachable` (including an engine's internal error) and `timeout`, the state of
 * the workload is unknown. `registry_unreachable` and `no_capacity` (memory, disk, ports, networks) are transient;
 * `image_not_found`, `registry_auth_failed`, `refused` and `isolation` are final.
 */
export type EngineErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'too_old'
  | 'isolation'
  | 'image_not_found'
  | 'registry_auth_failed'
  | 'registry_unreachable'
  | 'no_capacity'
  | 'refused'

/** Owners and admins read the message, so it contains no credential and no environment value. */
export class EngineError extends Error {
  readonly fault: EngineErrorCode
  constructor(fault: EngineErrorCode, message: string) {
    super(message)
    this.name = 'EngineError'
    this.fault = fault
  }
}
