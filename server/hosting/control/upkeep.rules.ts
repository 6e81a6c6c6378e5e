import { nextStep, no_history, type Instance, type PlanContext, type PlanInput, type Step } from './plan.rules.ts'

type Upkeep = Step & { do: 'start' | 'update_endpoint' }

/**
 * The step that keeps up what serves while its successor is on its way; undefined where nothing is to be done. Restarts are not counted:
 * the row counts those of the successor.
 */
export function upkeepStep(
  row: PlanInput,
  observed: readonly Instance[],
  { now, timing }: Pick<PlanContext, 'now' | 'timing'>,
): Upkeep | undefined {
  const { generation, serving_generation } = row
  if (serving_generation === null || serving_generation === generation) return undefined
  const serving: PlanInput = {
    ...row,
    status: 'running',
    failed_generation: generation,
    transient_seconds: null,
    restarts_seen: observed.find((instance) => instance.generation === serving_generation)?.restarts ?? 0,
    restart_times: [],
  }
  const step = nextStep(serving, observed, { now, timing, history: no_history })
  return step.do === 'start' || step.do === 'update_endpoint' ? step : undefined
}
