interface EngineFacts {
  /** Its usual name. */
  label: string
  /** Whether it counts the restarts of an instance; otherwise each worker counts those it observes. */
  counts_restarts: boolean
  /**
   * Whether it has several nodes, managed through any of several sockets; each node publishes ports at its own address.
   */
  has_nodes: boolean
}

export const engines = {
  docker: { label: 'Docker', counts_restarts: true, has_nodes: false },
  podman: { label: 'Podman', counts_restarts: true, has_nodes: false },
  swarm: { label: 'Docker Swarm', counts_restarts: false, has_nodes: true },
} as const satisfies Record<string, EngineFacts>

export type EngineKind = keyof typeof engines
export const engine_kinds = Object.keys(engines) as EngineKind[]

export const isEngineKind = (word: string): word is EngineKind => Object.hasOwn(engines, word)
