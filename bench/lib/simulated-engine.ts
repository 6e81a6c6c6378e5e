import { randomBytes } from 'node:crypto'
import type { ContainerEngine, Endpoint, Observed, Removable, Workload } from '../../server/hosting/engine/engine.ts'

/** An instance that a simulated host runs from the beginning. */
export interface Running {
  id: string
  app_id: string
  generation: number
}

export interface SimulatedHost {
  name: string
  running: readonly Running[]
  /** Where every workload of the host answers. */
  endpoint: Endpoint
  memory_mb: number
}

const keyOf = ({ id, generation, replica }: Pick<Observed, 'id' | 'generation' | 'replica'>) =>
  `${id} ${generation} ${replica}`

/**
 * The engine port without an engine: it keeps what it was asked to run in memory, and does it at once. An observation is made of new
 * objects, as a driver makes it from an engine's answer.
 */
export function simulatedEngine({ name, running, endpoint, memory_mb }: SimulatedHost): ContainerEngine {
  const image = `registry.test/fleet/web@sha256:${randomBytes(32).toString('hex')}`
  const all = new Map<string, Observed>()
  const by_deployment = new Map<string, Set<string>>()

  function put(instance: Pick<Workload, 'id' | 'app_id' | 'generation' | 'replica'>, is_running: boolean) {
    const now = new Date()
    const key = keyOf(instance)
    const { id, app_id, generation, replica } = instance
    all.set(key, {
      id,
      app_id,
      generation,
      replica,
      phase: is_running ? 'running' : 'exited',
      restarts: 0,
      exit_code: is_running ? null : 0,
      oom_killed: false,
      reason: null,
      endpoint: is_running ? endpoint : null,
      host: name,
      image,
      created_at: all.get(key)?.created_at ?? now,
      started_at: is_running ? now : null,
    })
    by_deployment.set(id, (by_deployment.get(id) ?? new Set()).add(key))
  }

  function drop(key: string, { id }: Observed) {
    all.delete(key)
    const keys = by_deployment.get(id)
    keys?.delete(key)
    if (keys?.size === 0) by_deployment.delete(id)
  }

  const isMeant = (what: Extract<Removable, { workload: string }>, { id, generation, replica }: Observed) =>
    id === what.workload &&
    (what.generation === undefined || generation === what.generation) &&
    (what.replica === undefined || replica === what.replica)

  for (const each of running) put({ ...each, replica: 1 }, true)
  return {
    info: () =>
      Promise.resolve({
        kind: 'docker',
        version: 'simulated',
        api_version: '1.41',
        memory_mb,
        millicores: 64_000,
        hosts: 1,
      }),
    ensure(workload) {
      put(workload, workload.running)
      return Promise.resolve({ image, pulled: false })
    },
    remove(what) {
      if ('workload' in what)
        for (const key of [...(by_deployment.get(what.workload) ?? [])]) {
          const instance = all.get(key)!
          if (isMeant(what, instance)) drop(key, instance)
        }
      return Promise.resolve('gone')
    },
    observe(_signal, deployment) {
      const keys = deployment === undefined ? all.keys() : (by_deployment.get(deployment) ?? [])
      return Promise.resolve(Array.from(keys, (key) => ({ ...all.get(key)! })))
    },
    // eslint-disable-next-line require-yield
    async *logs() {
      await Promise.resolve()
    },
    usage: () =>
      Promise.resolve({ memory_bytes: 30_000_000, processor_ns: 0, received_bytes: 1_000, sent_bytes: 1_000 }),
  }
}
