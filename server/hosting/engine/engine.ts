/**
 * The port to a container engine: five verbs, the same for one Docker host and for a Swarm. Nothing above it speaks an
 * engine's words. A workload's instance is named by deployment and generation: a new generation is a new instance beside
 * the old one, never a change of it, so that a replacement can be ready before the old one goes.
 */
export interface ContainerEngine {
  /**
   * What this engine is and what it can enforce. Fails with `isolation` when it cannot enforce what every workload
   * needs, with `unreachable` or `too_old`.
   */
  info(signal: AbortSignal): Promise<EngineInfo>
  /**
   * Makes the instance of (id, generation) exist and run, or exist at rest. Pulls the image where it is absent; a tag
   * is resolved once and the answer is what it stood for. Repeating is harmless; an instance left behind by a call
   * whose answer was lost is adopted. Reads the created object back: what did not stick is an `isolation` failure, and
   * nothing is left running.
   */
  ensure(workload: Workload, signal: AbortSignal): Promise<EnsureResult>
  /** Removes what is named; what is absent counts as removed. An image or network that is still used stays. */
  remove(what: Removable, signal: AbortSignal): Promise<Removal>
  /**
   * Every instance of this installation, or of one of its deployments alone; those of other installations are not shown.
   * What is asked of one deployment is seen anew. Of all, a container that has been up ever since it was looked at last
   * may be told as it was then, for half a minute at most; one that the engine lists and fails to describe is `unknown`.
   * Where one deployment is asked for, that fails.
   */
  observe(signal: AbortSignal, deployment?: string): Promise<Observed[]>
  /** Lines that an instance wrote, oldest first; with `follow` endless until the signal or the instance's end. */
  logs(instance: InstanceName, query: LogQuery, signal: AbortSignal): AsyncIterable<LogLine>
}

export interface InstanceName {
  /** The deployment's id. */
  id: string
  generation: number
}

export interface EngineInfo {
  kind: 'docker' | 'swarm'
  /** As the engine tells it, for people. */
  version: string
  api_version: string
  /** What is there in all, over every host. */
  memory_mb: number
  millicores: number
  hosts: number
}

export interface Workload extends InstanceName {
  /** The app it belongs to: workloads of one app share a network, those of two never. */
  app_id: string
  /** A reference in canonical form: `host/path:tag`, or `host/path@sha256:…` once it was resolved. */
  image: string
  /** Where the image must be fetched with credentials of the platform. Never logged. */
  registry_auth: RegistryAuth | undefined
  /** With `PORT` in it; in clear, so never logged. */
  env: Record<string, string>
  port: number
  memory_mb: number
  millicores: number
  /** At rest, an instance keeps its file system and its output, and answers nothing. */
  running: boolean
}

export interface RegistryAuth {
  serveraddress: string
  username: string
  password: string
}

export interface EnsureResult {
  /** The image by digest, `host/path@sha256:…`: what this generation runs from now on, wherever it is started. */
  image: string
  /** True when this call fetched it: only such images may be collected. */
  pulled: boolean
}

export type Removable =
  | { workload: string; generation?: number }
  /** An image that we pulled, by digest. */
  | { image: string }
  /** The network of an app that has no workload any more. */
  | { network_of_app: string }

export type Removal = 'gone' | 'in_use'

/**
 * `waiting`: accepted, not running yet. `restarting`: it ended by itself and the engine starts it again. `unknown`: it is
 * there, and the engine cannot tell more of it.
 */
export type Phase = 'waiting' | 'running' | 'restarting' | 'exited' | 'failed' | 'unknown'

export interface Observed extends InstanceName {
  app_id: string
  phase: Phase
  /** How often the engine started it again, over its life. */
  restarts: number
  exit_code: number | null
  /** True only where the engine says so. */
  oom_killed: boolean
  /** The engine's own words for a start that failed, without environment values. */
  reason: string | null
  /** Where the workload's port answers to the router; null while it does not run. */
  endpoint: Endpoint | null
  /** The host it was put on, where there are several. */
  host: string | null
  image: string | null
  created_at: Date
  started_at: Date | null
}

export interface Endpoint {
  host: string
  port: number
}

export interface LogQuery {
  /** The last so many lines. */
  tail: number
  follow: boolean
}

export interface LogLine {
  stream: 'stdout' | 'stderr'
  at: Date
  text: string
}

/**
 * Why an engine did not do it. `unreachable` (an engine in trouble of its own included) and `timeout` say nothing about
 * the workload: what happened is not known. `registry_unreachable` and `no_capacity` (memory, disk, ports, networks) may
 * pass by themselves; `image_not_found`, `registry_auth_failed`, `refused` and `isolation` do not.
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

/** The message is for owners and admins: it holds no credential and no environment value. */
export class EngineError extends Error {
  readonly fault: EngineErrorCode
  constructor(fault: EngineErrorCode, message: string) {
    super(message)
    this.name = 'EngineError'
    this.fault = fault
  }
}
