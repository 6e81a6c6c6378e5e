export interface InstanceName {
  /** The deployment's id. */
  id: string
  generation: number
  /** From 1. All replicas of a deployment run the same release (D-105). */
  replica: number
}

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

/** An address and port on which a program in a container listens. */
export interface Listener {
  /** `0.0.0.0` and `::` are all addresses. */
  address: string
  port: number
  /** Connections that the program has not accepted yet. A program that hangs accumulates them. */
  waiting: number
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
