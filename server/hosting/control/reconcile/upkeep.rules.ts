import {
  planRoute,
  repairOf,
  type Container,
  type InstanceRow,
  type InstanceStep,
  type PlanInput,
} from './plan.rules.ts'

type Upkeep = InstanceStep & { do: 'start' | 'update_endpoint' }

/**
 * The step that keeps the serving container of an instance running while its successor starts; undefined if no step is
 * needed. Restarts are not counted, because the row counts those of the successor.
 */
export function upkeepStep(
  row: PlanInput,
  instance: InstanceRow,
  containers: readonly Container[] | undefined,
): Upkeep | undefined {
  const { number, serving_generation } = instance
  const is_wanted = row.desired === 'running' && row.suspended_by === null
  if (!is_wanted || !containers || serving_generation === null || serving_generation === row.generation)
    return undefined
  if (containers.some(({ phase }) => phase === 'unknown')) return undefined
  const why = repairOf(containers.find(({ generation }) => generation === serving_generation))
  if (why) return { do: 'start', number, generation: serving_generation, why }
  const step = planRoute(instance, { observe: () => containers })
  return step?.do === 'update_endpoint' ? step : undefined
}
