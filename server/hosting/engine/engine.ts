import type { EngineKind } from '../../../contract/kinds/engines.ts'
import type { InstanceName, Listener, Observed, ProbedMachine, ProbeTarget, Usage } from '../containers.rules.ts'

export type {
  Endpoint,
  InstanceName,
  Observed,
  Phase,
  ProbedMachine,
  ProbeFinding,
  ProbeTarget,
  Usage,
} from '../containers.rules.ts'

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
