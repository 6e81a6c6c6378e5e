import { expect, test } from 'vitest'
import type { Container, InstanceRow, PlanInput } from './plan.rules.ts'
import { upkeepStep } from './upkeep.rules.ts'

const serving: InstanceRow = {
  number: 1,
  host_server: 'a',
  generation: 2,
  serving_generation: 1,
  endpoint_host: 'h',
  endpoint_port: 7,
  health_status: 'starting',
  restarts_seen: 0,
  restart_times: [],
  attempts: 3,
  switched_seconds: null,
  starting_seconds: 5_000,
  due_seconds: 9,
}
/** The second generation waits, the first serves. */
const changing: PlanInput = {
  generation: 2,
  desired: 'running',
  suspended_by: null,
  billing_status: null,
  status: 'deploying',
  serving_generation: 1,
  failed_generation: null,
  retry_seconds: null,
  replicas: 1,
  is_open: true,
  instances: [serving],
}
const up: Container = {
  generation: 1,
  phase: 'running',
  restarts: 0,
  oom_killed: false,
  reason: null,
  endpoint: { host: 'h', port: 7 },
}
const moved = { host: 'h', port: 9 }

const of = (serving_generation: number | null): PlanInput => ({
  ...changing,
  instances: [{ ...serving, serving_generation }],
})

test.each<[string, PlanInput, Container[], object | undefined]>([
  ['it is up: nothing', changing, [up], undefined],
  ['it is gone: made again', changing, [], { do: 'start', generation: 1, why: 'missing' }],
  ['it was stopped: started', changing, [{ ...up, phase: 'exited' }], { do: 'start', generation: 1, why: 'stopped' }],
  ['another port: routed', changing, [{ ...up, endpoint: moved }], { do: 'update_endpoint', endpoint: moved }],
  // They would count for its successor.
  ['its restarts are not counted', changing, [{ ...up, restarts: 9 }], undefined],
  ['its successor is there: it is left alone', changing, [up, { ...up, generation: 2 }], undefined],
  ['nothing serves: nothing', of(null), [], undefined],
  ['the latest serves: nothing', of(2), [], undefined],
  ['to be stopped: nothing', { ...changing, desired: 'stopped' }, [], undefined],
  ['suspended: nothing', { ...changing, suspended_by: 'admin' }, [], undefined],
  ['its state is not known: nothing', changing, [{ ...up, phase: 'unknown' }], undefined],
])('D-104, what serves while its successor waits: %s', (_, row, observed, expected) => {
  const step = upkeepStep(row, row.instances[0]!, observed)
  if (expected) expect(step).toMatchObject(expected)
  else expect(step).toBeUndefined()
})
