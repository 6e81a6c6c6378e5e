import { expect, test } from 'vitest'
import type { Instance, PlanInput } from './plan.rules.ts'
import { default_timing as timing } from './timing.rules.ts'
import { upkeepStep } from './upkeep.rules.ts'

const now = new Date('2030-01-01T12:00:00Z')
/** The second generation waits, the first serves. */
const changing: PlanInput = {
  generation: 2,
  desired: 'running',
  suspended_by: null,
  billing_status: null,
  status: 'deploying',
  health_status: 'starting',
  host_server: 'a',
  serving_generation: 1,
  endpoint_host: 'h',
  endpoint_port: 7,
  failed_generation: null,
  restarts_seen: 0,
  restart_times: [],
  transient_seconds: 5_000,
  attempts: 3,
  is_open: true,
}
const up: Instance = {
  generation: 1,
  phase: 'running',
  restarts: 0,
  oom_killed: false,
  reason: null,
  endpoint: { host: 'h', port: 7 },
}
const moved = { host: 'h', port: 9 }

test.each<[string, PlanInput, Instance[], object | undefined]>([
  ['it is up: nothing', changing, [up], undefined],
  ['it is gone: made again', changing, [], { do: 'start', generation: 1, why: 'missing' }],
  ['it was stopped: started', changing, [{ ...up, phase: 'exited' }], { do: 'start', generation: 1, why: 'stopped' }],
  ['another port: routed', changing, [{ ...up, endpoint: moved }], { do: 'update_endpoint', endpoint: moved }],
  // They would count for its successor.
  ['its restarts are not counted', changing, [{ ...up, restarts: 9 }], undefined],
  ['its successor is there: it is left alone', changing, [up, { ...up, generation: 2 }], undefined],
  ['nothing serves: nothing', { ...changing, serving_generation: null }, [], undefined],
  ['the latest serves: nothing', { ...changing, serving_generation: 2 }, [], undefined],
  ['to be stopped: nothing', { ...changing, desired: 'stopped' }, [], undefined],
  ['suspended: nothing', { ...changing, suspended_by: 'admin' }, [], undefined],
  ['its state is not known: nothing', changing, [{ ...up, phase: 'unknown' }], undefined],
])('D-104, what serves while its successor waits: %s', (_, row, observed, expected) => {
  const step = upkeepStep(row, observed, { now, timing })
  if (expected) expect(step).toMatchObject(expected)
  else expect(step).toBeUndefined()
})
