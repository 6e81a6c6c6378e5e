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
  is_open: true,
}
const at = (port: number) => ({ endpoint_host: 'h', endpoint_port: port })
const running: PlanInput = { ...pending, status: 'running', serving_generation: 1, ...at(7), is_open: false }
const replacing: PlanInput = { ...running, generation: 2, status: 'deploying', transient_seconds: 5, is_open: true }
const replaced_badly: PlanInput = { ...running, generation: 2, failed_generation: 2 }
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
const ended: Instance = { ...up, phase: 'restarting', endpoint: null }

const memory = (facts: Partial<History>): History => ({ ...no_history, ...facts })
const begun = (generation: number, up_seconds = 1) =>
  memory({ ensured: generation, up_seconds: new Map([[generation, up_seconds]]) })
const beside = (generation: number, seconds: number) =>
  memory({ ensured: 2, beside_seconds: new Map([[generation, seconds]]) })

type Case = [what: string, wanted: PlanInput, seen: Instance[], expected: object, remembered?: History]

const crash_times = Array.from({ length: timing.crash_restarts }, () => ago(10))
const old_times = crash_times.map(() => ago(timing.crash_window_seconds + 1))

const cases: Case[] = [
  // A rollout
  ['without a host it is placed', { ...pending, host_server: null }, [], { do: 'place' }],
  ['placed, it is started', pending, [], { do: 'start', generation: 1, why: 'rollout' }],
  [
    'what another worker left is handed to the engine once more',
    pending,
    [up],
    { do: 'start', generation: 1, why: 'rollout' },
  ],
  ['started, its port is looked at', pending, [up], { do: 'probe', generation: 1 }, begun(1)],
  ['not up yet, it is waited for', pending, [{ ...up, phase: 'waiting', endpoint: null }], { do: 'wait' }, begun(1)],
  [
    'without an answer for too long it is given up',
    pending,
    [up],
    { do: 'fail', cause: 'start_timeout' },
    begun(1, 61),
  ],
  [
    'a rollout that takes too long as a whole is given up',
    { ...pending, transient_seconds: 901 },
    [],
    { do: 'fail', cause: 'start_timeout' },
  ],
  [
    'what the engine cannot tell of is left alone',
    running,
    [{ ...up, phase: 'unknown', endpoint: null }],
    { do: 'nothing' },
  ],
  [
    'restarts are counted first',
    pending,
    [{ ...ended, restarts: 5 }],
    { do: 'count_restarts', restarts_seen: 5 },
    begun(1),
  ],
  [
    'five ends are a crash loop',
    { ...pending, restarts_seen: 5, restart_times: crash_times },
    [{ ...ended, restarts: 5 }],
    { do: 'fail', cause: 'crash_loop', generation: 1 },
    begun(1),
  ],
  [
    'killed for its memory, once seen, names the cause',
    { ...pending, restarts_seen: 5, restart_times: crash_times },
    [{ ...ended, restarts: 5 }],
    { do: 'fail', cause: 'oom_killed' },
    memory({ ensured: 1, oom: 1 }),
  ],
  [
    'a start that the engine could not do is tried again',
    pending,
    [{ ...down, phase: 'failed' }],
    { do: 'retry' },
    begun(1),
  ],
  [
    'but not for ever',
    pending,
    [{ ...down, phase: 'failed', reason: 'no such file' }],
    { do: 'fail', cause: 'start_failed', message: 'no such file' },
    memory({ ensured: 1, failed_starts: timing.start_failures - 1 }),
  ],
  ['nobody has paid yet: it stays as it is', { ...pending, billing_status: 'awaiting_payment' }, [], { do: 'nothing' }],
  [
    'but an admin may suspend it',
    { ...pending, host_server: null, billing_status: 'awaiting_payment', suspended_by: 'admin' },
    [],
    { do: 'complete', status: 'stopped' },
  ],

  // A replacement
  ['the new one is started beside the old', replacing, [up], { do: 'start', generation: 2, why: 'rollout' }],
  [
    'the old one is not touched while the new one is not ready',
    replacing,
    [up, second],
    { do: 'probe', generation: 2 },
    begun(2),
  ],
  [
    'the old one may finish its requests',
    { ...running, generation: 2, serving_generation: 2, ...at(8) },
    [up, second],
    { do: 'wait', seconds: timing.drain_seconds - 4 },
    beside(1, 4),
  ],
  [
    'then it goes',
    { ...running, generation: 2, serving_generation: 2, ...at(8) },
    [up, second],
    { do: 'remove', generation: 1 },
    beside(1, timing.drain_seconds),
  ],
  [
    'one that was overtaken holds up nothing',
    { ...replacing, generation: 3 },
    [up, second],
    { do: 'start', generation: 3 },
  ],
  ['a failed one goes, the old one serves on', replaced_badly, [up, second], { do: 'remove', generation: 2 }],
  ['and then all is well', replaced_badly, [up], { do: 'nothing' }],

  // What runs
  ['what runs as it should is left alone', running, [up], { do: 'nothing' }],
  ['what is gone is made again', running, [], { do: 'start', generation: 1, why: 'missing' }],
  ['what was stopped by hand is started', running, [down], { do: 'start', generation: 1, why: 'stopped' }],
  [
    'what was paused by hand is started',
    running,
    [{ ...up, phase: 'waiting', endpoint: null }],
    { do: 'start', why: 'waiting' },
  ],
  [
    'a port that moved is followed',
    running,
    [{ ...up, endpoint: { host: 'h', port: 9 } }],
    { do: 'update_endpoint', endpoint: { port: 9 } },
  ],
  [
    'while the engine restarts it nobody is sent there',
    running,
    [ended],
    { do: 'update_endpoint', endpoint: null, health: 'restarting' },
  ],
  [
    'an end that was counted is only watched',
    { ...running, ...at(0), endpoint_host: null, endpoint_port: null },
    [ended],
    { do: 'nothing' },
  ],
  [
    'a crash loop ends what runs',
    { ...running, restart_times: crash_times },
    [ended],
    { do: 'fail', cause: 'crash_loop' },
  ],
  ['ends long ago do not', { ...running, restart_times: old_times }, [up], { do: 'nothing' }],
  [
    'the old one that serves is not held to the time for a start',
    { ...replaced_badly, status: 'deploying' },
    [up],
    { do: 'probe', generation: 1 },
    memory({ up_seconds: new Map([[1, 9_999]]) }),
  ],
  [
    'a repair that somebody began and left is begun again',
    { ...running, status: 'deploying', endpoint_host: null, endpoint_port: null },
    [up],
    { do: 'start', why: 'waiting' },
  ],

  // At rest
  ['a stop takes it off the router first', { ...running, desired: 'stopped' }, [up], { do: 'unroute' }],
  ['then it is stopped', { ...stopped, status: 'running' }, [up], { do: 'stop', generation: 1 }],
  ['then it is said', { ...stopped, status: 'running' }, [down], { do: 'complete', status: 'stopped' }],
  ['stopped before it ever ran', { ...stopped, status: 'pending' }, [], { do: 'complete', status: 'stopped' }],
  [
    'a stop of what is stopped is settled too',
    { ...stopped, is_open: true },
    [down],
    { do: 'complete', status: 'stopped' },
  ],
  ['only the newest is kept', stopped, [down, { ...down, generation: 2 }], { do: 'remove', generation: 1 }],
  ['what is started by hand is stopped again', stopped, [up], { do: 'stop', generation: 1 }],
  ['what was made and never ran goes', stopped, [{ ...up, phase: 'waiting' }], { do: 'remove', generation: 1 }],
  ['a suspension stops what its owner wants', { ...running, suspended_by: 'billing' }, [up], { do: 'unroute' }],
  ['a failed one is stopped and kept', { ...pending, failed_generation: 1 }, [ended], { do: 'stop', generation: 1 }],
  [
    'nothing more is done about a failed one',
    { ...stopped, desired: 'running', failed_generation: 1 },
    [down],
    { do: 'nothing' },
  ],

  // Destroyed
  ['a destruction takes it off the router first', { ...running, desired: 'destroyed' }, [up], { do: 'unroute' }],
  ['then all of it goes', { ...stopped, desired: 'destroyed' }, [up, down], { do: 'remove' }],
  [
    'and is seen to be gone before it is said',
    { ...stopped, desired: 'destroyed' },
    [],
    { do: 'complete', status: 'destroyed' },
  ],
  [
    'what is destroyed is nobody’s work',
    { ...stopped, status: 'destroyed', desired: 'destroyed' },
    [up],
    { do: 'nothing' },
  ],
]

test.each(cases)('%s', (_, wanted, seen, expected, remembered = no_history) => {
  expect(nextStep(wanted, seen, { now, history: remembered, timing })).toMatchObject(expected)
})

test('a count that fell began anew; the newest times are kept, as many as decide', () => {
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

test('waits double up to a minute, with a little chance', () => {
  expect([0, 1, 2, 5, 6, 60].map((attempts) => backoffSeconds(attempts, 0))).toEqual([1, 2, 4, 32, 60, 60])
  expect(backoffSeconds(0, 1)).toBe(1.2)
})

test('the end of an output holds no value of the environment and is bounded', () => {
  const env = { TOKEN: 'hunter22', LONG: 'hunter22 and more', KEY: 'first line\nsecond line', PORT: '3000', A: '1' }
  expect(tailOf(['hunter22 and more on 3000', 'x hunter22', 'second line 1'], env)).toEqual(['… on 3000', 'x …', '… 1'])
  const tail = tailOf(
    Array.from({ length: 50 }, (_, number) => `${number} ${'x'.repeat(200)}`),
    {},
  )
  expect(tail.join('\n').length).toBeLessThanOrEqual(4096)
  expect(tail.at(-1)).toMatch(/^49 /)
  expect(tailOf(['y'.repeat(9_000)], {})).toEqual(['y'.repeat(1024)])
})
