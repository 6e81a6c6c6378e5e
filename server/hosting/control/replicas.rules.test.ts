import { expect, test } from 'vitest'
import { default_timing } from './timing.rules.ts'
import type { Instance } from './plan.rules.ts'
import { findSuccessor, nextReplicaStep, wantedFollowers, type Follower, type ReplicaInput } from './replicas.rules.ts'

const endpoint = { host: '10.0.0.2', port: 4000 }
const follower = (more: Partial<Follower> = {}): Follower => ({
  number: 2,
  host_server: 'two',
  serving_generation: 1,
  endpoint_host: endpoint.host,
  endpoint_port: endpoint.port,
  health_status: 'healthy',
  attempts: 0,
  switched_seconds: 60,
  transient_seconds: null,
  due_seconds: -1,
  ...more,
})
const unattached = { endpoint_host: null, endpoint_port: null }
const row = (more: Partial<ReplicaInput> = {}): ReplicaInput => ({
  generation: 1,
  desired: 'running',
  suspended_by: null,
  billing_status: null,
  status: 'running',

  health_status: 'healthy',
  host_server: 'one',
  serving_generation: 1,
  endpoint_host: '10.0.0.1',
  endpoint_port: 1,
  failed_generation: null,
  restarts_seen: 0,
  restart_times: [],
  transient_seconds: null,
  attempts: 0,
  is_open: false,
  replicas: 2,
  leading_replica: 1,
  followers: [follower()],
  ...more,
})
const instance = (more: Partial<Instance> = {}): Instance => ({
  generation: 1,
  phase: 'running',
  restarts: 0,
  oom_killed: false,
  reason: null,
  endpoint,
  ...more,
})
const stepOf = (input: ReplicaInput, instances: Instance[] | undefined = [instance()], ensured?: number) =>
  nextReplicaStep(input, { timing: default_timing, observe: () => instances, ensured: () => ensured })

test.each([
  [{ replicas: 1, leading_replica: 1 }, []],
  [{ replicas: 3, leading_replica: 1 }, [2, 3]],
  [{ replicas: 3, leading_replica: 2 }, [1, 3]],
  [{ replicas: 2, leading_replica: 3 }, [1]],
  [{ replicas: 1, leading_replica: 3 }, []],
])('D-105: the followers of %j are %j', (input, numbers) => {
  expect(wantedFollowers(input)).toEqual(numbers)
})

test.each<[string, ReplicaInput, Instance[] | undefined, object]>([
  ['one that serves: none', row(), [instance()], { do: 'nothing' }],
  ['a missing one', row({ replicas: 3 }), [], { do: 'add', numbers: [3] }],
  [
    'nothing serves yet: none is added',
    row({ replicas: 3, serving_generation: null }),
    [],
    { do: 'detach', number: 2, health: 'restarting' },
  ],
  [
    'without a host',
    row({ followers: [follower({ ...unattached, host_server: null })] }),
    [],
    { do: 'place', number: 2 },
  ],
  ['no instance', row({ followers: [follower(unattached)] }), [], { do: 'start', number: 2, generation: 1 }],
  [
    'its port is to be asked',
    row({ followers: [follower(unattached)] }),
    [instance()],
    { do: 'attach', number: 2, generation: 1, endpoint },
  ],
  [
    'it answers elsewhere',
    row(),
    [instance({ endpoint: { host: '10.0.0.2', port: 5 } })],
    { do: 'detach', number: 2, health: 'restarting' },
  ],
  ['it ended', row(), [instance({ phase: 'exited' })], { do: 'detach', number: 2, health: 'restarting' }],
  ['unknown phase: none', row(), [instance({ phase: 'unknown' })], { do: 'nothing' }],
  ['its host is away: none', row(), undefined, { do: 'nothing' }],
  [
    'another generation is on its way on the leading one: none',
    row({ generation: 2 }),
    [instance()],
    { do: 'nothing' },
  ],
  [
    'the leading one serves the next',
    row({ generation: 2, serving_generation: 2 }),
    [instance()],
    { do: 'start', number: 2, generation: 2 },
  ],
  ['the next failed: it serves on', row({ generation: 2, failed_generation: 2 }), [instance()], { do: 'nothing' }],
  ['more than wanted', row({ replicas: 1 }), [instance()], { do: 'detach', number: 2, health: null }],
  [
    'more than wanted, drained',
    row({ replicas: 1, followers: [follower(unattached)] }),
    [instance()],
    { do: 'remove', number: 2 },
  ],
  ['more than wanted, gone', row({ replicas: 1, followers: [follower(unattached)] }), [], { do: 'drop', number: 2 }],
  [
    'stopped: at once',
    row({ desired: 'stopped', followers: [follower({ ...unattached, switched_seconds: 0 })] }),
    [instance()],
    { do: 'remove', number: 2 },
  ],
  ['not due', row({ followers: [follower({ ...unattached, due_seconds: 9 })] }), [], { do: 'wait', seconds: 9 }],
])('D-105: the step for a follower, %s', (_, input, instances, step) => {
  // `undefined` would take the default.
  const observe = () => instances
  expect(nextReplicaStep(input, { timing: default_timing, observe, ensured: () => undefined })).toEqual(step)
})

test('D-105: one that is on its way holds up the next; one that waits for its next attempt does not', () => {
  const followers = [follower(unattached), follower({ number: 3, ...unattached })]
  const restarting = [instance({ phase: 'restarting', endpoint: null })]
  expect(stepOf(row({ replicas: 3, followers }), restarting, 1)).toEqual({ do: 'wait', seconds: 0.5 })
  const [waiting, next] = [follower({ ...unattached, due_seconds: 30 }), followers[1]!]
  expect(stepOf(row({ replicas: 3, followers: [waiting, next] }), [])).toEqual({
    do: 'start',
    number: 3,
    generation: 1,
  })
})

test('D-105: a drained instance of an older generation is removed, one that still drains is waited for', () => {
  const both = [instance(), instance({ generation: 2 })]
  const served = { generation: 2, serving_generation: 2 }
  const now = follower({ serving_generation: 2, switched_seconds: 4 })
  expect(stepOf(row({ ...served, followers: [now] }), both)).toEqual({ do: 'wait', seconds: 6 })
  expect(stepOf(row({ ...served, followers: [{ ...now, switched_seconds: 11 }] }), both)).toEqual({
    do: 'remove',
    number: 2,
    generation: 1,
  })
})

test('D-105: one that ends again and again is started anew later', () => {
  const ending = row({ followers: [follower({ ...unattached, transient_seconds: 61 })] })
  const restarting = instance({ phase: 'restarting', endpoint: null })
  expect(stepOf(ending, [restarting], 1)).toMatchObject({ do: 'retry', health: 'crash_loop' })
  expect(stepOf(ending, [{ ...restarting, oom_killed: true }], 1)).toMatchObject({ do: 'retry', health: 'oom_killed' })
})

test('D-105: only one that serves the same, and is healthy, can lead', () => {
  expect(findSuccessor(row())?.number).toBe(2)
  for (const more of [unattached, { serving_generation: 0 }, { health_status: 'unhealthy' }, { host_server: null }])
    expect(findSuccessor(row({ followers: [follower(more)] }))).toBeUndefined()
})
