import { randomBytes } from 'node:crypto'
import type { ContainerEngine, Endpoint, Observed, Removable, Workload } from '../../server/hosting/engine/engine.ts'

/** An instance that a simulated host runs from the start. */
export interface Running {
  id: string
  app_id: string
  generation: number
}

export interface SimulatedHost {
  name: string
  running: readonly Running[]
  /** The address of every workload of the host. */
  endpoint: Endpoint
  memory_mb: number
}

const keyOf = ({ id, generation, replica }: Pick<Observed, 'id' | 'generation' | 'replica'>) =>
  `${id} ${generation} ${replica}`

/** The instances on a simulated host. */
function openInstances({ name, endpoint }: SimulatedHost) {
  const image = `registry.test/fleet/web@sha256:${randomBytes(32).toString('hex')}`
  const all = new Map<string, Observed>()
  const by_deployment = new Map<string, Set<string>>()
  return {
    image,
    put(
      { id, app_id, generation, replica }: Pick<Workload, 'id' | 'app_id' | 'generation' | 'replica'>,
      is_running: boolean,
    ) {
      const now = new Date()
      const key = keyOf({ id, generation, replica })
      all.set(key, {
        id,
        app_id,
        generation,
        replica,
        image,
        host: name,
        restarts: 0,
        oom_killed: false,
        reason: null,
        phase: is_running ? 'running' : 'exited',
        exit_code: is_running ? null : 0,
        endpoint: is_running ? endpoint : null,
        created_at: all.get(key)?.created_at ?? now,
        started_at: is_running ? now : null,
      })
      by_deployment.set(id, (by_deployment.get(id) ?? new Set()).add(key))
    },
    remove(what: Extract<Removable, { workload: string }>) {
      const keys = by_deployment.get(what.workload)
      for (const key of keys ?? [])
        if (isMeant(what, all.get(key)!)) {
          all.delete(key)
          keys?.delete(key)
        }
      if (keys?.size === 0) by_deployment.delete(what.workload)
    },
    observe(deployment: string | undefined) {
      const keys = deployment === undefined ? all.keys() : (by_deployment.get(deployment) ?? [])
      return Array.from(keys, (key) => ({ ...all.get(key)! }))
    },
  }
}

const isMeant = (
  { generation, replica }: Extract<Removable, { workload: string }>,
  instance: Pick<Observed, 'generation' | 'replica'>,
) =>
  (generation === undefined || generation === instance.generation) &&
  (replica === undefined || replica === instance.replica)

/**
 * An engine driver without an engine: it performs every request immediately, in memory. Each observation consists of new objects, as a
 * driver builds it from an engine's answer.
 */
export function simulatedEngine(host: SimulatedHost): ContainerEngine {
  const instances = openInstances(host)
  for (const each of host.running) instances.put({ ...each, replica: 1 }, true)
  const info = { kind: 'docker', version: 'simulated', api_version: '1.41', millicores: 64_000, hosts: 1 } as const
  return {
    info: () => Promise.resolve({ ...info, memory_mb: host.memory_mb, advice: [], limits: [] }),
    probe: () => Promise.resolve([{ node: null, failure: null, found: [] }]),
    ensure(workload) {
      instances.put(workload, workload.running)
      return Promise.resolve({ image: instances.image, pulled: false })
    },
    remove(what) {
      if ('workload' in what) instances.remove(what)
      return Promise.resolve('gone')
    },
    observe: (_signal, deployment) => Promise.resolve(instances.observe(deployment)),
    // eslint-disable-next-line require-yield
    async *logs() {
      await Promise.resolve()
    },
    // A program without output.
    // eslint-disable-next-line require-yield
    async *output(_instance, _start, signal) {
      await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
    },
    listeners: () => Promise.resolve(undefined),
    usage: () =>
      Promise.resolve({ memory_bytes: 30_000_000, processor_ns: 0, received_bytes: 1_000, sent_bytes: 1_000 }),
  }
}
