import type { Observed } from '../../engine/engine.ts'
import type { History, Step } from './plan.rules.ts'

interface DeploymentKey {
  id: string
  generation: number
}

interface InstanceHistory {
  ensured: { generation: number; at: number } | undefined
  up_since: Map<number, number>
  oom: number | undefined
  failed_starts: number
}

interface DeploymentHistory {
  generation: number
  instances: Map<number, InstanceHistory>
  last_step: string
  last_at: number
  repeats: number
}

/** This process's observations of the deployments that it works on. Times are of its monotonic clock. */
export interface ObservationHistory {
  /** Adds an observation of an instance; returns the history with it. */
  record(row: DeploymentKey, number: number, observed: readonly Observed[]): History
  ensured(row: DeploymentKey, number: number, generation: number): void
  startFailed(row: DeploymentKey, number: number): void
  /** The delay in seconds before a step. Repeating a step means that it had no effect yet: its delay doubles up to 5 s. */
  delayBefore(row: DeploymentKey, step: Step): number
  delete(id: string): void
}

/** After this time the engine is called again for an instance that does not start: a Swarm node may have been lost. */
const waiting_ms = 10_000

export function openObservationHistory(): ObservationHistory {
  const all = new Map<string, DeploymentHistory>()
  const of = ({ id, generation }: DeploymentKey) => {
    let known = all.get(id)
    if (known?.generation !== generation) {
      const instances = new Map(
        [...(known?.instances ?? [])].map(([number, { up_since }]) => [number, { ...newInstance(), up_since }]),
      )
      known = { generation, instances, last_step: '', last_at: 0, repeats: 0 }
      all.set(id, known)
    }
    return known
  }
  const instanceOf = (row: DeploymentKey, number: number) => {
    const { instances } = of(row)
    const known = instances.get(number) ?? newInstance()
    instances.set(number, known)
    return known
  }
  return {
    record(row, number, observed) {
      const known = instanceOf(row, number)
      trackUp(known.up_since, observed)
      for (const { generation, oom_killed } of observed) if (oom_killed) known.oom = generation
      const { ensured, oom, failed_starts } = known
      const is_waiting = observed.some(
        ({ generation, phase }) => generation === ensured?.generation && phase === 'waiting',
      )
      if (ensured && is_waiting && performance.now() - ensured.at > waiting_ms) known.ensured = undefined
      return { ensured: known.ensured?.generation, up_seconds: secondsSince(known.up_since), oom, failed_starts }
    },
    ensured(row, number, generation) {
      const known = instanceOf(row, number)
      known.ensured = { generation, at: performance.now() }
      known.up_since.delete(generation)
    },
    startFailed(row, number) {
      const known = instanceOf(row, number)
      known.failed_starts++
      known.ensured = undefined
    },
    delayBefore(row, step) {
      const known = of(row)
      const step_json = JSON.stringify(step)
      const repeats = known.last_step === step_json && step.do !== 'probe' ? known.repeats + 1 : 0
      const delay = repeats === 0 ? 0 : Math.min(5, 0.1 * 2 ** repeats) - (performance.now() - known.last_at) / 1000
      if (delay > 0) return delay
      Object.assign(known, { last_step: step_json, last_at: performance.now(), repeats })
      return 0
    },
    delete(id) {
      all.delete(id)
    },
  }
}

const newInstance = (): InstanceHistory => ({
  ensured: undefined,
  up_since: new Map<number, number>(),
  oom: undefined,
  failed_starts: 0,
})

function trackUp(since: Map<number, number>, observed: readonly Observed[]) {
  const is_up = observed.filter(({ phase }) => phase === 'running' || phase === 'restarting' || phase === 'exited')
  const generations = new Set(is_up.map(({ generation }) => generation))
  for (const generation of since.keys()) if (!generations.has(generation)) since.delete(generation)
  for (const generation of generations) if (!since.has(generation)) since.set(generation, performance.now())
}

const secondsSince = (since: ReadonlyMap<number, number>) =>
  new Map([...since].map(([generation, at]) => [generation, (performance.now() - at) / 1000]))
