import { expect, test } from 'vitest'
import {
  nextStep,
  no_history,
  type Container,
  type History,
  type InstanceRow,
  type PlanInput,
  type Step,
} from './plan.rules.ts'
import { default_timing as timing } from '../timing.rules.ts'

/** The table at the head of plan.rules.ts: the steps that each goal allows. */
const steps_of = {
  none: ['nothing'],
  destroyed: ['complete', 'nothing', 'remove', 'unroute'],
  stopped: ['complete', 'nothing', 'remove', 'stop', 'unroute'],
  place: ['place'],
  rollout: ['count_restarts', 'fail', 'nothing', 'probe', 'remove', 'retry', 'start', 'update_endpoint', 'wait'],
  serving: ['count_restarts', 'fail', 'nothing', 'probe', 'remove', 'retry', 'start', 'update_endpoint', 'wait'],
} satisfies Record<string, Step['do'][]>

const now = new Date('2030-01-01T12:00:00Z')
const phases = [undefined, 'waiting', 'running', 'restarting', 'exited', 'failed', 'unknown'] as const

const targetOf = (row: PlanInput) => (row.failed_generation === 2 ? row.serving_generation : 2)

function goalOf(row: PlanInput): keyof typeof steps_of {
  if (row.status === 'destroyed') return 'none'
  if (row.desired === 'destroyed') return 'destroyed'
  const is_unpaid = row.status === 'pending' && row.billing_status === 'awaiting_payment'
  if (is_unpaid && row.desired === 'running' && row.suspended_by !== 'admin') return 'none'
  if (row.desired === 'stopped' || row.suspended_by !== null || targetOf(row) === null) return 'stopped'
  if (row.instances[0]!.host_server === null) return 'place'
  return row.serving_generation === targetOf(row) ? 'serving' : 'rollout'
}

function* rows(): Iterable<PlanInput> {
  const fixed = { generation: 2, retry_seconds: null, replicas: 1, is_open: false }
  const placed = {
    number: 1,
    health_status: null,
    restarts_seen: 0,
    attempts: 0,
    last_error: null,
    due_seconds: 0,
    generation: 2,
  }
  const crash_times = Array.from({ length: timing.crash_restarts }, () => now.toISOString())
  for (const status of ['pending', 'deploying', 'running', 'stopped', 'destroyed'])
    for (const desired of ['running', 'stopped', 'destroyed'] as const)
      for (const suspended_by of [null, 'billing', 'admin'])
        for (const billing_status of [null, 'awaiting_payment'])
          for (const host_server of [null, 'a'])
            for (const serving_generation of [null, 1, 2])
              for (const failed_generation of [null, 2])
                for (const endpoint_port of [null, 7])
                  for (const [restart_times, starting_seconds, switched_seconds] of [
                    [[], null, 0],
                    [crash_times, null, null],
                    [[], timing.rollout_seconds + 1, timing.drain_seconds],
                  ] as const) {
                    const instance: InstanceRow = {
                      ...placed,
                      host_server,
                      serving_generation,
                      endpoint_port,
                      starting_seconds,
                      switched_seconds,
                      restart_times: [...restart_times],
                      endpoint_host: endpoint_port === null ? null : 'h',
                    }
                    const given = { ...fixed, status, desired, suspended_by, billing_status }
                    yield { ...given, serving_generation, failed_generation, instances: [instance] }
                  }
}

const instances = (generation: number): (Container | undefined)[] =>
  phases.map((phase) => {
    const endpoint = phase === 'running' ? { host: 'h', port: 6 + generation } : null
    return phase && { generation, phase, restarts: 0, oom_killed: false, reason: null, endpoint }
  })

const observations = instances(1).flatMap((first) =>
  instances(2).map((second) => [first, second].filter((instance) => instance !== undefined)),
)

const histories: History[] = [
  no_history,
  { ...no_history, ensured: 2, failed_starts: timing.start_failures },
  { ...no_history, ensured: 2, up_seconds: new Map([[2, timing.start_seconds + 1]]) },
  { ...no_history, ensured: 1 },
]

/** A step that would break a serving instance or leave something behind; undefined if the step is safe. */
function violationOf(row: PlanInput, observed: readonly Container[], step: Step) {
  const isUp = ({ phase }: Container) => phase === 'running' || phase === 'restarting'
  const is_routed = row.instances[0]!.endpoint_host !== null || row.serving_generation !== null
  if (step.do === 'complete' && (is_routed || observed.some(isUp))) return 'completed while it runs or has a route'
  if (step.do === 'complete' && step.status === 'destroyed' && observed.length > 0) return 'destroyed with an instance'
  if ((step.do === 'stop' || (step.do === 'remove' && step.generation === undefined)) && is_routed)
    return 'stopped or removed before its route'
  if (step.do === 'remove' && step.generation !== undefined && step.generation === row.serving_generation)
    return 'removed while it serves'
  return undefined
}

test('every state takes only the steps of its goal in the table, and none breaks a serving instance', () => {
  const taken = new Map<string, Set<string>>()
  const violations: object[] = []
  for (const row of rows())
    for (const observed of observations)
      for (const history of histories) {
        const step = nextStep(row, {
          now,
          timing,
          observe: ({ host_server }) => (host_server === null ? [] : observed),
          historyOf: () => history,
        })
        const goal = goalOf(row)
        const steps = taken.get(goal) ?? new Set()
        taken.set(goal, steps.add(step.do))
        const violation = violationOf(row, row.instances[0]!.host_server === null ? [] : observed, step)
        if (violation !== undefined) violations.push({ violation, row, observed, step })
      }
  // Restarts are counted in plan.rules.test.ts: here the row and the engine agree.
  const expected = Object.entries(steps_of).map(([goal, steps]) => [
    goal,
    steps.filter((step) => step !== 'count_restarts'),
  ])
  expect(Object.fromEntries([...taken].map(([goal, steps]) => [goal, [...steps].sort()]))).toEqual(
    Object.fromEntries(expected),
  )
  expect(violations.slice(0, 3)).toEqual([])
})
