import { expect, test } from 'vitest'
import { backoffSeconds, nextStep, no_history, type Instance, type History, type PlanInput } from './plan.rules.ts'
import { countRestarts } from './restarts.rules.ts'
import { tailOf } from './tail.rules.ts'
import { default_timing as timing } from './timing.rules.ts'

const now = new Date('2030-01-01T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)

const pending: PlanInput = {
  generation: 1,
  desired: 'running',
  suspended_by: null,
  billing_status: null,
  status: 'pending',
  health_status: null,
  host_server: 'a',
  serving_generation: null,
  endpoint_host: null,
  endpoint_port: null,
  failed_generation: null,
  restarts_seen: 0,
  restart_times: [],
  transient_seconds: null,
  attempts: 0,
  is_open: true,
}
const at = (port: number) => ({ endpoint_host: 'h', endpoint_port: port })
const running: PlanInput = { ...pending, status: 'running', serving_generation: 1, ...at(7), is_open: false }
const replacing: PlanInput = { ...running, generation: 2, status: 'deploying', transient_seconds: 5, is_open: true }
const replacement_failed: PlanInput = { ...running, generation: 2, failed_generation: 2 }
const stopped: PlanInput = { ...pending, desired: 'stopped', status: 'stopped', is_open: false }

const up: Instance = {
  generation: 1,
  phase: 'running',
  restarts: 0,
  oom_killed: false,
  reason: null,
  endpoint: { host: 'h', port: 7 },
}
const second: Instance = { ...up, generation: 2, endpoint: { host: 'h', port: 8 } }
const down: Instance = { ...up, phase: 'exited', endpoint: null }
const restarting: Instance = { ...up, phase: 'restarting', endpoint: null }

const memory = (facts: Partial<History>): History => ({ ...no_history, ...facts })
const begun = (generation: number, up_seconds = 1) =>
  memory({ ensured: generation, up_seconds: new Map([[generation, up_seconds]]) })
const beside = (generation: number, seconds: number) =>
  memory({ ensured: 2, beside_seconds: new Map([[generation, seconds]]) })

type Case = [what: string, row: PlanInput, observed: Instance[], expected: object, history?: History]

const crash_times = Array.from({ length: timing.crash_restarts }, () => ago(10))
const old_times = crash_times.map(() => ago(timing.crash_window_seconds + 1))

const cases: Case[] = [
  // planRollout
  ['no host: place', { ...pending, host_server: null }, [], { do: 'place' }],
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
    { ...pending, transient_seconds: 901 },
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
    { ...pending, restarts_seen: 5, restart_times: crash_times },
    [{ ...restarting, restarts: 5 }],
    { do: 'fail', cause: 'crash_loop', generation: 1 },
    begun(1),
  ],
  [
    'out of memory, once observed, is the cause',
    { ...pending, restarts_seen: 5, restart_times: crash_times },
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
    { ...pending, host_server: null, billing_status: 'awaiting_payment', suspended_by: 'admin' },
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
    { ...running, generation: 2, serving_generation: 2, ...at(8) },
    [up, second],
    { do: 'wait', seconds: timing.drain_seconds - 4 },
    beside(1, 4),
  ],
  [
    'drained: remove',
    { ...running, generation: 2, serving_generation: 2, ...at(8) },
    [up, second],
    { do: 'remove', generation: 1 },
    beside(1, timing.drain_seconds),
  ],
  [
    'a start that failed waits for what the generations before it occupy: a drained one is removed first',
    { ...replacing, generation: 3, serving_generation: 2, ...at(8), attempts: 1 },
    [up, second],
    { do: 'remove', generation: 1 },
    memory({ beside_seconds: new Map([[1, timing.drain_seconds]]) }),
  ],
  [
    'one that drains is left to its requests, and the start is tried again',
    { ...replacing, generation: 3, serving_generation: 2, ...at(8), attempts: 1 },
    [up, second],
    { do: 'start', generation: 3 },
    memory({ beside_seconds: new Map([[1, timing.drain_seconds - 1]]) }),
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

  // planServing
  ['running as desired: nothing', running, [up], { do: 'nothing' }],
  ['no instance: start', running, [], { do: 'start', generation: 1, why: 'missing' }],
  ['stopped by hand: start', running, [down], { do: 'start', generation: 1, why: 'stopped' }],
  [
    'without its network or port: start, which makes it again',
    running,
    [{ ...up, endpoint: null, is_cut_off: true }],
    { do: 'start', generation: 1, why: 'cut_off' },
  ],
  ['paused by hand: start', running, [{ ...up, phase: 'waiting', endpoint: null }], { do: 'start', why: 'waiting' }],
  [
    'another port: update the endpoint',
    running,
    [{ ...up, endpoint: { host: 'h', port: 9 } }],
    { do: 'update_endpoint', endpoint: { port: 9 } },
  ],
  ['restarting: no endpoint', running, [restarting], { do: 'update_endpoint', endpoint: null, health: 'restarting' }],
  [
    'restarting, already without endpoint: nothing',
    { ...running, ...at(0), endpoint_host: null, endpoint_port: null },
    [restarting],
    { do: 'nothing' },
  ],
  [
    'a crash loop of a serving generation: fail',
    { ...running, restart_times: crash_times },
    [restarting],
    { do: 'fail', cause: 'crash_loop' },
  ],
  ['restarts before the window do not count', { ...running, restart_times: old_times }, [up], { do: 'nothing' }],
  [
    'start_seconds do not apply to a serving generation after a failed replacement',
    { ...replacement_failed, status: 'deploying' },
    [up],
    { do: 'probe', generation: 1 },
    memory({ up_seconds: new Map([[1, 9_999]]) }),
  ],
  [
    'a repair that another worker began: start again',
    { ...running, status: 'deploying', endpoint_host: null, endpoint_port: null },
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

  // planDestroy
  ['destroy: unroute first', { ...running, desired: 'destroyed' }, [up], { do: 'unroute' }],
  ['unrouted: remove all', { ...stopped, desired: 'destroyed' }, [up, down], { do: 'remove' }],
  ['no instance observed: complete', { ...stopped, desired: 'destroyed' }, [], { do: 'complete', status: 'destroyed' }],
  ['destroyed: nothing', { ...stopped, status: 'destroyed', desired: 'destroyed' }, [up], { do: 'nothing' }],
]

test.each(cases)('%s', (_, row, observed, expected, history = no_history) => {
  expect(nextStep(row, observed, { now, history, timing })).toMatchObject(expected)
})

test('a count that fell was reset; the newest crash_restarts times are kept', () => {
  expect(countRestarts({ restarts_seen: 3, restart_times: [] }, 3, now, timing)).toBeUndefined()
  expect(countRestarts({ restarts_seen: 3, restart_times: [ago(9)] }, 4, now, timing)).toEqual({
    restarts_seen: 4,
    restart_times: [ago(9), now],
  })
  expect(countRestarts({ restarts_seen: 3, restart_times: [] }, 1, now, timing)).toEqual({
    restarts_seen: 1,
    restart_times: [now],
  })
  expect(countRestarts({ restarts_seen: 0, restart_times: old_times }, 50, now, timing)?.restart_times).toHaveLength(5)
})

test('delays double up to a minute, with jitter', () => {
  expect([0, 1, 2, 5, 6, 60].map((attempts) => backoffSeconds(attempts, 0))).toEqual([1, 2, 4, 32, 60, 60])
  expect(backoffSeconds(0, 1)).toBe(1.2)
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
