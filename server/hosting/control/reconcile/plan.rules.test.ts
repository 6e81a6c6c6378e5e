import { expect, test } from 'vitest'
import {
  backoffSeconds,
  crashBackoffSeconds,
  nextStep,
  no_history,
  type Container,
  type History,
  type InstanceRow,
  type PlanInput,
} from './plan.rules.ts'
import { countRestarts } from './restarts.rules.ts'
import { tailOf } from './tail.rules.ts'
import { upkeepStep } from './upkeep.rules.ts'
import { default_timing as timing } from '../timing.rules.ts'

const now = new Date('2030-01-01T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString()

const placed: InstanceRow = {
  number: 1,
  host_server: 'a',
  generation: null,
  serving_generation: null,
  endpoint_host: null,
  endpoint_port: null,
  health_status: null,
  restarts_seen: 0,
  restart_times: [],
  attempts: 0,
  last_error: null,
  switched_seconds: 60,
  starting_seconds: null,
  due_seconds: -1,
}
const at = (port: number) => ({ endpoint_host: 'h', endpoint_port: port })
const serving: InstanceRow = { ...placed, generation: 1, serving_generation: 1, ...at(7), health_status: 'healthy' }
/** An instance that gets no requests: its container is starting again. */
const left_out: InstanceRow = { ...serving, endpoint_host: null, endpoint_port: null }

const pending: PlanInput = {
  generation: 1,
  desired: 'running',
  suspended_by: null,
  billing_status: null,
  status: 'pending',
  serving_generation: null,
  failed_generation: null,
  retry_seconds: null,
  replicas: 1,
  is_open: true,
  instances: [placed],
}
const one = (row: PlanInput, instance: Partial<InstanceRow>): PlanInput => ({
  ...row,
  instances: [{ ...row.instances[0]!, ...instance }],
})
const running: PlanInput = {
  ...pending,
  status: 'running',
  serving_generation: 1,
  instances: [serving],
  is_open: false,
}
const replacing: PlanInput = one(
  { ...running, generation: 2, status: 'deploying', is_open: true },
  { generation: 2, starting_seconds: 5 },
)
const second_serves = one(
  { ...running, generation: 2, serving_generation: 2 },
  { generation: 2, serving_generation: 2, ...at(8) },
)
const replacement_failed: PlanInput = { ...running, generation: 2, failed_generation: 2 }
const stopped: PlanInput = { ...pending, desired: 'stopped', status: 'stopped', is_open: false }

const up: Container = {
  generation: 1,
  phase: 'running',
  restarts: 0,
  oom_killed: false,
  reason: null,
  endpoint: { host: 'h', port: 7 },
}
const second: Container = { ...up, generation: 2, endpoint: { host: 'h', port: 8 } }
const down: Container = { ...up, phase: 'exited', endpoint: null }
const restarting: Container = { ...up, phase: 'restarting', endpoint: null }

const memory = (facts: Partial<History>): History => ({ ...no_history, ...facts })
const begun = (generation: number, up_seconds = 1) =>
  memory({ ensured: generation, up_seconds: new Map([[generation, up_seconds]]) })

/** The containers of the only instance, or of each by number; undefined if its host is away. */
type Observed = Container[] | Record<number, Container[] | undefined>
type Case = [what: string, row: PlanInput, observed: Observed, expected: object, history?: History]

const stepOf = (row: PlanInput, observed: Observed, history = no_history) =>
  nextStep(row, {
    now,
    timing,
    observe: ({ number }) => (Array.isArray(observed) ? observed : observed[number]),
    historyOf: () => history,
  })

const crash_times = Array.from({ length: timing.crash_restarts }, () => ago(10))
const old_times = crash_times.map(() => ago(timing.crash_window_seconds + 1))

const cases: Case[] = [
  // planRollout
  ['no instance: add one', { ...pending, instances: [] }, [], { do: 'add', numbers: [1] }],
  ['no host: place', one(pending, { host_server: null }), [], { do: 'place' }],
  ['placed: start', pending, [], { do: 'start', generation: 1, why: 'rollout' }],
  ['an instance of another worker: ensure again', pending, [up], { do: 'start', generation: 1, why: 'rollout' }],
  ['started: probe its port', pending, [up], { do: 'probe', generation: 1 }, begun(1)],
  ['its health check has no result yet: wait', pending, [{ ...up, health: 'starting' }], { do: 'wait' }, begun(1)],
  [
    'its health check has no result for long: the port decides',
    pending,
    [{ ...up, health: 'starting' }],
    { do: 'probe' },
    begun(1, 46),
  ],
  ['its health check fails: wait', pending, [{ ...up, health: 'unhealthy' }], { do: 'wait' }, begun(1, 50)],
  [
    'its health check failed to the end: fail',
    pending,
    [{ ...up, health: 'unhealthy' }],
    { do: 'fail', cause: 'start_timeout', message: 'The health check of its image failed for 60 seconds.' },
    begun(1, 61),
  ],
  ['its health check succeeds: probe', pending, [{ ...up, health: 'healthy' }], { do: 'probe' }, begun(1)],
  ['not up yet: wait', pending, [{ ...up, phase: 'waiting', endpoint: null }], { do: 'wait' }, begun(1)],
  ['no answer within start_seconds: fail', pending, [up], { do: 'fail', cause: 'start_timeout' }, begun(1, 61)],
  [
    'not ready within rollout_seconds: fail',
    one(pending, { generation: 1, starting_seconds: 901 }),
    [],
    { do: 'fail', cause: 'start_timeout' },
  ],
  ['an instance in phase unknown: nothing', running, [{ ...up, phase: 'unknown', endpoint: null }], { do: 'nothing' }],
  [
    'uncounted restarts: count them first',
    pending,
    [{ ...restarting, restarts: 5 }],
    { do: 'count_restarts', restarts_seen: 5 },
    begun(1),
  ],
  [
    'five restarts: crash loop',
    one(pending, { generation: 1, restarts_seen: 5, restart_times: crash_times }),
    [{ ...restarting, restarts: 5 }],
    { do: 'fail', cause: 'crash_loop', generation: 1 },
    begun(1),
  ],
  [
    'out of memory, once observed, is the cause',
    one(pending, { generation: 1, restarts_seen: 5, restart_times: crash_times }),
    [{ ...restarting, restarts: 5 }],
    { do: 'fail', cause: 'oom_killed' },
    memory({ ensured: 1, oom: 1 }),
  ],
  ['a start that the engine failed: retry', pending, [{ ...down, phase: 'failed' }], { do: 'retry' }, begun(1)],
  [
    'start_failures of them: fail',
    pending,
    [{ ...down, phase: 'failed', reason: 'no such file' }],
    { do: 'fail', cause: 'start_failed', message: 'no such file' },
    memory({ ensured: 1, failed_starts: timing.start_failures - 1 }),
  ],
  ['awaiting payment: nothing', { ...pending, billing_status: 'awaiting_payment' }, [], { do: 'nothing' }],
  [
    'awaiting payment and suspended by an admin: complete',
    { ...pending, billing_status: 'awaiting_payment', suspended_by: 'admin', instances: [] },
    [],
    { do: 'complete', status: 'stopped' },
  ],

  // planRollout beside a serving generation, planSurplus
  ['a replacement: start it beside the old one', replacing, [up], { do: 'start', generation: 2, why: 'rollout' }],
  [
    'the new one is not ready: probe it, keep the old one',
    replacing,
    [up, second],
    { do: 'probe', generation: 2 },
    begun(2),
  ],
  [
    'the old one drains',
    one(second_serves, { switched_seconds: 4 }),
    [up, second],
    { do: 'wait', seconds: timing.drain_seconds - 4 },
  ],
  [
    'drained: remove',
    one(second_serves, { switched_seconds: timing.drain_seconds }),
    [up, second],
    { do: 'remove', generation: 1 },
  ],
  [
    'a start that failed waits for what the generations before it occupy: a drained one is removed first',
    one({ ...second_serves, generation: 3 }, { generation: 3, attempts: 1, switched_seconds: timing.drain_seconds }),
    [up, second],
    { do: 'remove', generation: 1 },
  ],
  [
    'one that drains is left to its requests, and the start is tried again',
    one(
      { ...second_serves, generation: 3 },
      { generation: 3, attempts: 1, switched_seconds: timing.drain_seconds - 1 },
    ),
    [up, second],
    { do: 'start', generation: 3 },
  ],
  [
    'a superseded generation does not delay the next',
    { ...replacing, generation: 3 },
    [up, second],
    { do: 'start', generation: 3 },
  ],
  [
    'a failed replacement is removed, the old one serves',
    replacement_failed,
    [up, second],
    { do: 'remove', generation: 2 },
  ],
  ['only the old one is left: nothing', replacement_failed, [up], { do: 'nothing' }],
  ['the old one is gone: start it again', one(replacement_failed, left_out), [], { do: 'start', generation: 1 }],

  // planServing
  ['running as desired: nothing', running, [up], { do: 'nothing' }],
  ['no container: no route', running, [], { do: 'update_endpoint', endpoint: null, health: 'restarting' }],
  ['no container, no route: start', one(running, left_out), [], { do: 'start', generation: 1, why: 'missing' }],
  ['stopped by hand: start', one(running, left_out), [down], { do: 'start', generation: 1, why: 'stopped' }],
  [
    'without its network or port: start, which makes it again',
    one(running, left_out),
    [{ ...up, endpoint: null, is_cut_off: true }],
    { do: 'start', generation: 1, why: 'cut_off' },
  ],
  [
    'paused by hand: start',
    one(running, left_out),
    [{ ...up, phase: 'waiting', endpoint: null }],
    { do: 'start', why: 'waiting' },
  ],
  [
    'another port: update the endpoint',
    running,
    [{ ...up, endpoint: { host: 'h', port: 9 } }],
    { do: 'update_endpoint', endpoint: { port: 9 } },
  ],
  ['restarting: no endpoint', running, [restarting], { do: 'update_endpoint', endpoint: null, health: 'restarting' }],
  ['restarting, already without endpoint: nothing', one(running, left_out), [restarting], { do: 'nothing' }],
  [
    'back after a restart by the engine: a route',
    one(running, left_out),
    [up],
    { do: 'update_endpoint', endpoint: { port: 7 } },
  ],
  [
    'started by the platform: its port must answer first',
    one(running, { ...left_out, starting_seconds: 1 }),
    [up],
    { do: 'probe' },
    begun(1),
  ],
  [
    'a crash loop of a serving generation: fail',
    one(running, { ...left_out, restart_times: crash_times }),
    [restarting],
    { do: 'fail', cause: 'crash_loop' },
  ],
  ['restarts before the window do not count', one(running, { restart_times: old_times }), [up], { do: 'nothing' }],
  [
    'start_seconds do not apply to a serving generation after a failed replacement',
    { ...replacement_failed, status: 'deploying' },
    [up],
    { do: 'probe', generation: 1 },
    memory({ up_seconds: new Map([[1, 9_999]]) }),
  ],
  [
    'a repair that another worker began: start again',
    one({ ...running, status: 'deploying' }, { ...left_out, starting_seconds: 3 }),
    [up],
    { do: 'start', why: 'waiting' },
  ],

  // planStop
  ['stop: unroute first', { ...running, desired: 'stopped' }, [up], { do: 'unroute' }],
  ['unrouted: stop', { ...stopped, status: 'running' }, [up], { do: 'stop', generation: 1 }],
  ['exited: complete', { ...stopped, status: 'running' }, [down], { do: 'complete', status: 'stopped' }],
  [
    'stopped before its first start: complete',
    { ...stopped, status: 'pending' },
    [],
    { do: 'complete', status: 'stopped' },
  ],
  [
    'a stop of a stopped deployment: complete its log entry',
    { ...stopped, is_open: true },
    [down],
    { do: 'complete', status: 'stopped' },
  ],
  ['remove older instances', stopped, [down, { ...down, generation: 2 }], { do: 'remove', generation: 1 }],
  ['started by hand: stop', stopped, [up], { do: 'stop', generation: 1 }],
  ['created and never started: remove', stopped, [{ ...up, phase: 'waiting' }], { do: 'remove', generation: 1 }],
  ['suspended: unroute', { ...running, suspended_by: 'billing' }, [up], { do: 'unroute' }],
  ['failed: stop and keep', { ...pending, failed_generation: 1 }, [restarting], { do: 'stop', generation: 1 }],
  ['failed and stopped: nothing', { ...stopped, desired: 'running', failed_generation: 1 }, [down], { do: 'nothing' }],
  [
    'H20, it had served and crashed: wait for the next try',
    { ...stopped, desired: 'running', failed_generation: 1, retry_seconds: 9 },
    [down],
    { do: 'wait', seconds: 9 },
  ],
  [
    'H20, its next try is due: try again',
    { ...stopped, desired: 'running', failed_generation: 1, retry_seconds: 0 },
    [down],
    { do: 'try_again' },
  ],
  [
    'H20, it was stopped meanwhile: nothing',
    { ...stopped, failed_generation: 1, retry_seconds: 0 },
    [down],
    { do: 'nothing' },
  ],

  // planDestroy
  ['destroy: unroute first', { ...running, desired: 'destroyed' }, [up], { do: 'unroute' }],
  ['unrouted: remove all', { ...stopped, desired: 'destroyed' }, [up, down], { do: 'remove', number: 1 }],
  ['no instance observed: complete', { ...stopped, desired: 'destroyed' }, [], { do: 'complete', status: 'destroyed' }],
  ['destroyed: nothing', { ...stopped, status: 'destroyed', desired: 'destroyed' }, [up], { do: 'nothing' }],
]

const two = { ...running, replicas: 2, instances: [serving, { ...serving, number: 2 }] }
const both = (first: InstanceRow, other: Partial<InstanceRow> = {}, row: PlanInput = two): PlanInput => ({
  ...row,
  instances: [first, { ...serving, number: 2, ...other }],
})
const second_at_first = { ...serving, generation: 2, serving_generation: 2, ...at(8), switched_seconds: 99 }

/** D-105: several instances. */
const replica_cases: Case[] = [
  ['both serve: nothing', two, [up], { do: 'nothing' }],
  ['one is missing: add', { ...two, replicas: 3 }, [up], { do: 'add', numbers: [3] }],
  [
    'numbers that are free are used',
    { ...two, replicas: 3, instances: [serving, { ...serving, number: 3 }] },
    [up],
    { do: 'add', numbers: [2] },
  ],
  ['nothing serves yet: none is added', { ...pending, replicas: 3 }, [], { do: 'start', number: 1 }],
  [
    'without a host: place',
    both(serving, { ...left_out, number: 2, host_server: null }),
    { 1: [up] },
    { do: 'place', number: 2 },
  ],
  ['its host is away, the other one serves: nothing', two, { 1: [up] }, { do: 'nothing' }],
  [
    'the only one that serves is on a host that is away: wait for it',
    both(serving, { ...left_out, number: 2, host_server: 'b' }),
    { 2: [restarting] },
    { do: 'await_host', number: 1 },
  ],
  ['its host is away: wait for it', running, {}, { do: 'await_host', number: 1 }],
  [
    'the host of all is away during a rollout: wait for it',
    { ...two, generation: 2 },
    {},
    { do: 'await_host', number: 1 },
  ],
  [
    'a route that goes astray comes before anything else',
    both({ ...left_out, starting_seconds: 1 }),
    { 1: [up], 2: [down] },
    { do: 'update_endpoint', number: 2, endpoint: null },
    begun(1),
  ],
  [
    'a rollout: the first one tries',
    { ...two, generation: 2 },
    [up],
    { do: 'start', number: 1, generation: 2, why: 'rollout' },
  ],
  [
    'a rollout: best one that serves nothing tries',
    both(serving, { ...left_out, number: 2, restarts_seen: 0 }, { ...two, generation: 2 }),
    { 1: [up], 2: [restarting] },
    { do: 'start', number: 2, generation: 2 },
  ],
  [
    'a rollout: one that began goes on',
    both({ ...left_out }, { generation: 2 }, { ...two, generation: 2 }),
    { 1: [restarting], 2: [up, second] },
    { do: 'probe', number: 2 },
    begun(2),
  ],
  [
    'a rollout: one whose host is away does not try',
    { ...two, generation: 2 },
    { 2: [up] },
    { do: 'start', number: 2, generation: 2 },
  ],
  [
    'the next serves on one: the others follow',
    both(second_at_first, {}, { ...two, generation: 2, serving_generation: 2 }),
    { 1: [second], 2: [up] },
    { do: 'start', number: 2, generation: 2 },
  ],
  ['the next failed: they serve on', { ...two, generation: 2, failed_generation: 2 }, [up], { do: 'nothing' }],
  [
    'one is on its way: the next is held up',
    both({ ...left_out, starting_seconds: 1 }, { ...left_out, number: 2 }),
    { 1: [restarting], 2: [] },
    { do: 'wait', seconds: 0.25 },
    begun(1),
  ],
  [
    'one waits for its next attempt: the next is not held up',
    both({ ...left_out, due_seconds: 30 }, { ...left_out, number: 2 }),
    [],
    { do: 'start', number: 2 },
  ],
  [
    'not due: wait',
    both(serving, { ...left_out, number: 2, due_seconds: 9 }),
    { 1: [up], 2: [] },
    { do: 'wait', seconds: 9 },
  ],
  [
    'an attempt at another generation does not delay',
    both(second_at_first, { due_seconds: 9 }, { ...two, generation: 2, serving_generation: 2 }),
    { 1: [second], 2: [up] },
    { do: 'start', number: 2 },
  ],
  [
    'more than wanted: the last one leaves',
    { ...two, replicas: 1 },
    [up],
    { do: 'update_endpoint', number: 2, endpoint: null, health: null },
  ],
  [
    'more than wanted: one that serves nothing leaves',
    both(left_out, {}, { ...two, replicas: 1 }),
    { 1: [], 2: [up] },
    { do: 'drop', number: 1 },
  ],
  [
    'more than wanted: one that serves the release before leaves',
    both(serving, { ...second_at_first, number: 2 }, { ...two, replicas: 1, generation: 2, serving_generation: 2 }),
    { 1: [up], 2: [second] },
    { do: 'update_endpoint', number: 1, endpoint: null },
  ],
  [
    'more than wanted: it drains',
    both(serving, { ...left_out, number: 2, switched_seconds: 4 }, { ...two, replicas: 1 }),
    [up],
    { do: 'wait', seconds: 6 },
  ],
  [
    'more than wanted, drained: remove',
    both(serving, { ...left_out, number: 2 }, { ...two, replicas: 1 }),
    [up],
    { do: 'remove', number: 2 },
  ],
  [
    'more than wanted, gone: drop',
    both(serving, { ...left_out, number: 2 }, { ...two, replicas: 1 }),
    { 1: [up], 2: [] },
    { do: 'drop', number: 2 },
  ],
  [
    'stopped: all but one are removed at once',
    both(placed, { ...placed, number: 2, switched_seconds: 0 }, stopped),
    { 1: [down], 2: [up] },
    { do: 'remove', number: 2 },
  ],
  [
    'stopped: and dropped',
    both(placed, { ...placed, number: 2 }, stopped),
    { 1: [down], 2: [] },
    { do: 'drop', number: 2 },
  ],
  [
    'stopped while a host is away: wait for it',
    both(placed, { ...placed, number: 2 }, { ...stopped, is_open: true }),
    { 1: [down] },
    { do: 'await_host', number: 2 },
  ],
  [
    'destroyed: all are removed',
    both(placed, { ...placed, number: 2 }, { ...stopped, desired: 'destroyed' }),
    { 1: [], 2: [up] },
    { do: 'remove', number: 2 },
  ],
]

test.each(replica_cases)('D-105: %s', (_, row, observed, expected, history = no_history) => {
  expect(stepOf(row, observed, history)).toMatchObject(expected)
})

test.each(cases)('%s', (_, row, observed, expected, history = no_history) => {
  expect(stepOf(row, observed, history)).toMatchObject(expected)
})

/** The second generation waits while the first serves. */
const changing = one(replacing, { health_status: 'starting', attempts: 3, starting_seconds: 5_000, due_seconds: 9 })
const moved = { host: 'h', port: 9 }

test.each<[string, PlanInput, Container[], object | undefined]>([
  ['it is up: nothing', changing, [up], undefined],
  ['it is gone: made again', changing, [], { do: 'start', generation: 1, why: 'missing' }],
  ['it was stopped: started', changing, [down], { do: 'start', generation: 1, why: 'stopped' }],
  ['another port: routed', changing, [{ ...up, endpoint: moved }], { do: 'update_endpoint', endpoint: moved }],
  // They would count for its successor.
  ['its restarts are not counted', changing, [{ ...up, restarts: 9 }], undefined],
  ['its successor is there: it is left alone', changing, [up, second], undefined],
  ['nothing serves: nothing', one(changing, { serving_generation: null }), [], undefined],
  ['the latest serves: nothing', one(changing, { serving_generation: 2 }), [], undefined],
  ['to be stopped: nothing', { ...changing, desired: 'stopped' }, [], undefined],
  ['suspended: nothing', { ...changing, suspended_by: 'admin' }, [], undefined],
  ['its state is not known: nothing', changing, [{ ...up, phase: 'unknown' }], undefined],
])('D-104, what serves while its successor waits: %s', (_, row, observed, expected) => {
  const step = upkeepStep(row, row.instances[0]!, observed)
  if (expected) expect(step).toMatchObject(expected)
  else expect(step).toBeUndefined()
})

test('the first count is the baseline; a lower count means a reset; the newest crash_restarts times are kept', () => {
  expect(countRestarts({ restarts_seen: null, restart_times: [] }, 12, now, timing)).toEqual({
    restarts_seen: 12,
    restart_times: [],
  })
  expect(countRestarts({ restarts_seen: 3, restart_times: [] }, 3, now, timing)).toBeUndefined()
  expect(countRestarts({ restarts_seen: 3, restart_times: [ago(9)] }, 4, now, timing)).toEqual({
    restarts_seen: 4,
    restart_times: [ago(9), now.toISOString()],
  })
  expect(countRestarts({ restarts_seen: 3, restart_times: [] }, 1, now, timing)).toEqual({
    restarts_seen: 1,
    restart_times: [now.toISOString()],
  })
  expect(countRestarts({ restarts_seen: 0, restart_times: old_times }, 50, now, timing)?.restart_times).toHaveLength(5)
})

test('H20: delays double up to a minute, with jitter; after crashes up to five minutes', () => {
  expect([0, 1, 2, 5, 6, 60].map((attempts) => backoffSeconds(attempts, 0))).toEqual([1, 2, 4, 32, 60, 60])
  expect(backoffSeconds(0, 1)).toBe(1.2)
  expect([0, 1, 4, 5, 60].map(crashBackoffSeconds)).toEqual([10, 20, 160, 300, 300])
})

test('an output tail has secrets of the environment masked and is bounded', () => {
  const env = {
    NODE_ENV: 'production',
    TOKEN: 'hunter22',
    LONG: 'hunter22 and more',
    KEY: 'first line\nsecond line',
    PORT: '3000',
    A: '1',
  }
  expect(tailOf(['hunter22 and more on 3000', 'x hunter22', 'second line 1'], env)).toEqual(['… on 3000', 'x …', '… 1'])
  expect(tailOf(['production on 3000'], env)).toEqual(['production on 3000'])
  const tail = tailOf(
    Array.from({ length: 50 }, (_, number) => `${number} ${'x'.repeat(200)}`),
    {},
  )
  expect(tail.join('\n').length).toBeLessThanOrEqual(4096)
  expect(tail.at(-1)).toMatch(/^49 /)
  expect(tailOf(['y'.repeat(9_000)], {})).toEqual(['y'.repeat(1024)])
})
