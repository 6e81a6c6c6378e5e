import type { Observed } from '../engine/engine.ts'
import type { History, Step } from './plan.rules.ts'

interface DeploymentKey {
  id: string
  generation: number
  serving_generation: number | null
}

interface DeploymentHistory {
  ensured: number | undefined
  up_since: Map<number, number>
  beside_since: Map<number, number>
  oom: number | undefined
  failed_starts: number
  generation: number
  last_step: string
  last_at: number
  repeats: number
}

/** What this process has observed of the deployments that it works on. Times are of its monotonic clock. */
export interface ObservationHistory {
  /** Adds an observation; returns the history with it. */
  record(row: DeploymentKey, observed: readonly Observed[]): History
  ensured(row: DeploymentKey, generation: number): void
  startFailed(row: DeploymentKey): void
  /** Seconds to wait before a step. The same step again has had no effect yet: its delay doubles up to 5 s. */
  delayBefore(row: DeploymentKey, step: Step): number
  delete(id: string): void
}

export function openObservationHistory(): ObservationHistory {
  const all = new Map<string, DeploymentHistory>()
  const of = ({ id, generation }: DeploymentKey) => {
    let known = all.get(id)
    if (known?.generation !== generation) {
      known = {
        ensured: undefined,
        up_since: known?.up_since ?? new Map<number, number>(),
        beside_since: known?.beside_since ?? new Map<number, number>(),
        oom: undefined,
        failed_starts: 0,
        generation,
        last_step: '',
        last_at: 0,
        repeats: 0,
      }
      all.set(id, known)
    }
    return known
  }
  return {
    record(row, observed) {
      const known = of(row)
      const isUp = ({ phase }: Observed) => phase === 'running' || phase === 'restarting' || phase === 'exited'
      const isBeside = ({ generation }: Observed) => generation !== row.serving_generation
      trackSince(known.up_since, observed.filter(isUp))
      trackSince(known.beside_since, row.serving_generation === null ? [] : observed.filter(isBeside))
      for (const { generation, oom_killed } of observed) if (oom_killed) known.oom = generation
      return {
        ensured: known.ensured,
        up_seconds: secondsSince(known.up_since),
        beside_seconds: secondsSince(known.beside_since),
        oom: known.oom,
        failed_starts: known.failed_starts,
      }
    },
    ensured(row, generation) {
      const known = of(row)
      known.ensured = generation
      known.up_since.delete(generation)
    },
    startFailed(row) {
      const known = of(row)
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

function trackSince(since: Map<number, number>, observed: readonly Observed[]) {
  const generations = new Set(observed.map(({ generation }) => generation))
  for (const generation of since.keys()) if (!generations.has(generation)) since.delete(generation)
  for (const generation of generations) if (!since.has(generation)) since.set(generation, performance.now())
}

const secondsSince = (since: ReadonlyMap<number, number>) =>
  new Map([...since].map(([generation, at]) => [generation, (performance.now() - at) / 1000]))
