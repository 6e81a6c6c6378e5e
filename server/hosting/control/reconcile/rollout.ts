import { engines } from '../../../../contract/kinds/engines.ts'
import { newId } from '../../../platform/ids.ts'
import { requireRoom } from '../hosts/placement.ts'
import { EngineError, type Workload } from '../../engine/engine.ts'
import { withDeadline, type Host } from '../hosts/hosts.ts'
import type { WorkRow } from './leases.store.ts'
import {
  crashBackoffSeconds,
  finalCauseOf,
  held_seconds,
  isRouted,
  shown_health,
  type InstanceRow,
  type InstanceStep,
  type StartReason,
} from './plan.rules.ts'
import { withRestarts } from './restarts.rules.ts'
import { saveFailure } from './failure.store.ts'
import { joinServing, saveServing, saveStart, saveWaiting, setAside } from './instances.store.ts'
import { PlatformError } from './platform-error.ts'
import { probePort } from './probe.ts'
import { call_seconds, type InstanceContext, type ReconcilerDeps, type StepOutcome } from './step-context.ts'
import { savePulled } from '../hosts/drift.store.ts'
import { tailOf } from './tail.rules.ts'
import { accepts, unansweredMessage } from './unanswered.rules.ts'

const limitsOf = ({ memory_limit_mb, cpu_limit_millicores }: WorkRow) => ({ memory_limit_mb, cpu_limit_millicores })

const start_messages = {
  rollout: 'Rolling out.',
  missing: 'The container was gone: it is made again.',
  stopped: 'The container had been stopped: it is started again.',
  waiting: 'The container was held up: it is started again.',
  cut_off: 'The container had lost its network or its port: it is made again.',
}

/** True if another instance of the deployment serves a generation. */
const isServedElsewhere = ({ row, instance }: InstanceContext, generation: number) =>
  row.instances.some((each) => each !== instance && isRouted(each) && each.serving_generation === generation)

/**
 * Calls the engine to run a generation, and logs the start. A final refusal of the engine fails the generation;
 * transient errors are thrown, `host_not_isolated` before anything is written.
 */
export async function start(
  context: InstanceContext,
  { number, generation, why }: InstanceStep & { do: 'start' },
): Promise<StepOutcome> {
  const { deps, lease, row, instance, claim, host, containers } = context
  const { db, clock, timing } = deps
  const now = clock()
  const is_new = why === 'rollout'
  // A running instance is repaired on its host.
  if (is_new) await deps.isolation.requireIsolated(host.name)
  const began = await saveStart(db, claim, {
    started: generation,
    log_id: newId(),
    now,
    is_whole: row.serving_generation !== generation || !isServedElsewhere(context, generation),
    is_new,
    is_known: containers.some((container) => container.generation === generation),
    restart_times: why === 'stopped' ? withRestarts(instance.restart_times, 1, now, timing) : instance.restart_times,
    details: { message: start_messages[why], image: row.container_image, limits: limitsOf(row) },
  })
  if (!began) return 'continue'
  lease.throwIfExpired()
  const until = AbortSignal.any([lease.signal, lease.intentSignal()])
  const began_at = performance.now()
  try {
    const needs_room = row.memory_limit_mb > row.reserved_memory_mb || (is_new && row.serving_generation === generation)
    if (needs_room) await requireRoom(db, host.name)
    const workload = runningWorkload(deps, row, { generation, replica: number })
    const { image, pulled } = await withDeadline(timing.pull_seconds, until, (signal) =>
      ensureRunning(host, workload, why, signal),
    )
    if (pulled) await savePulled(db, host.name, image, clock())
    deps.history.ensured(row, number, generation)
    if (row.last_error !== null)
      await saveWaiting(db, claim, 'The container was started; its port has not answered yet.')
    return 'continue'
  } catch (error) {
    if (until.aborted || !(error instanceof EngineError)) throw error
    const cause = finalCauseOf(error.fault)
    if (cause) await fail(context, { do: 'fail', number, generation, cause, message: error.message })
    else if (performance.now() - began_at >= timing.pull_seconds * 1000)
      throw new EngineError('registry_unreachable', `The image was not there within ${timing.pull_seconds} seconds.`)
    else if (error.fault !== 'no_capacity' || !(await moveElsewhere(context))) throw error
    else
      deps.log.info(
        { deployment_id: row.id, host: host.name },
        'a container host is full: its deployment is placed on another',
      )
    return 'continue'
  }
}

/** Calls the engine to run an instance. A container that is cut off is recreated. */
export async function ensureRunning({ engine }: Host, workload: Workload, why: StartReason, signal: AbortSignal) {
  const { id, generation, replica } = workload
  if (why === 'cut_off') await engine.remove({ workload: id, generation, replica }, signal)
  return engine.ensure(workload, signal)
}

/** Moves an instance to another host that has room. The old instance serves until its successor does. Returns true if it was placed. */
async function moveElsewhere({ deps, row, instance, host }: InstanceContext) {
  const others_serve = row.instances.some((each) => each !== instance && isRouted(each))
  try {
    if (isRouted(instance) && !others_serve) await deps.placement.placeBeside(row, instance.number, host.name)
    else await deps.placement.place(row, instance.number, host.name)
    return true
  } catch (error) {
    if (!(error instanceof EngineError || error instanceof PlatformError)) throw error
    return false
  }
}

/** The workload of one replica, with its environment. Fails with `environment_unreadable`. */
export const runningWorkload = (
  deps: ReconcilerDeps,
  row: WorkRow,
  { generation, replica }: { generation: number; replica: number },
): Workload => ({ ...stoppedWorkload(deps, row, { generation, replica }), env: workloadEnv(deps, row), running: true })

/** The decrypted environment. Fails with `environment_unreadable` if this worker lacks the key; another worker may have it. */
function workloadEnv({ environmentOf }: ReconcilerDeps, row: WorkRow) {
  try {
    return { ...environmentOf(row), PORT: String(row.port) }
  } catch {
    throw new PlatformError('environment_unreadable', 'Its environment was sealed with a key that is not known here.')
  }
}

/**
 * The workload of a stopped generation. It has no environment, because a stop must work without the key. A generation
 * that ran before keeps its digest; a new one resolves its tag.
 */
export function stoppedWorkload(
  deps: ReconcilerDeps,
  row: WorkRow,
  { generation, replica }: { generation: number; replica: number },
): Workload {
  const pinned = row.image_generation === generation ? row.image_digest : null
  return {
    id: row.id,
    generation,
    replica,
    app_id: row.app_id,
    image: pinned ?? row.container_image,
    registry_auth: deps.registryAuthOf(row.container_image),
    env: {},
    port: row.port,
    memory_mb: row.memory_limit_mb,
    millicores: row.cpu_limit_millicores,
    running: false,
  }
}

const digestOf = (image: string | null | undefined) => image?.split('@')[1]

/** Routes requests to a generation whose port has answered. */
export async function serve(
  { deps, row, claim, containers }: InstanceContext,
  { generation, endpoint }: InstanceStep & { do: 'probe' },
) {
  const container = containers.find((each) => each.generation === generation)
  const restarts = container?.restarts ?? 0
  if (row.serving_generation === generation && row.status === 'running') {
    await joinServing(deps.db, claim, { generation, endpoint, restarts })
    return 'continue' as const
  }
  const digest = digestOf(container?.image)
  const from_digest = row.image_generation === generation ? undefined : digestOf(row.image_digest)
  await saveServing(deps.db, claim, {
    generation,
    endpoint,
    restarts,
    image: container?.image ?? null,
    now: deps.clock(),
    details: {
      message: 'The container runs and its port answers.',
      digest,
      ...(from_digest === undefined ? {} : { from_digest, to_digest: digest }),
    },
  })
  return 'continue' as const
}

const tail_lines = 50
const tail_seconds = 5
const listeners_seconds = 15

/**
 * Gives up a generation. If other instances serve it, this one is started again later. Otherwise the generation fails
 * finally, and the end of its output is saved in the deploy log. If its host lets nobody reach the program, it is
 * placed on another host with room and does not fail (`ports_unreachable`), unless its last attempt ended so.
 */
export async function fail(context: InstanceContext, step: InstanceStep & { do: 'fail' }) {
  const { deps, lease, row, instance, claim, host } = context
  const { number, generation, cause, message } = step
  if (!wasUnreached(instance) && (await isUnreached(context, step)) && (await moveElsewhere(context))) {
    deps.log.info(
      { deployment_id: row.id, host: host.name },
      'a container host lets nobody reach its ports: its deployment is placed on another',
    )
    throw new PlatformError(
      'ports_unreachable',
      'The ports of its container host cannot be reached.',
      'Connections to its container host do not arrive. It is started on another.',
    )
  }
  if (row.serving_generation !== generation || !isServedElsewhere(context, generation))
    return failRelease(context, step)
  deps.log.warn(
    { deployment_id: row.id, instance: number, cause },
    'an instance of a deployment is started again later',
  )
  await withDeadline<unknown>(call_seconds, lease.signal, (signal) =>
    host.engine.remove({ workload: row.id, replica: number, generation }, signal),
  )
  const attempts = instance.due_seconds < -held_seconds ? 0 : instance.attempts
  await setAside(deps.db, claim, {
    failed: generation,
    message: `${cause}: ${message}`,
    attempts: attempts + 1,
    seconds: crashBackoffSeconds(attempts),
    health: shown_health[cause] ?? cause,
  })
}

/** True if the last attempt at this generation ended with `ports_unreachable`. */
const wasUnreached = ({ attempts, last_error }: InstanceRow) =>
  attempts > 0 && (last_error?.startsWith('ports_unreachable:') ?? false)

/** True if a program that was given up accepts connections which do not arrive. */
async function isUnreached(context: InstanceContext, { generation, cause }: InstanceStep & { do: 'fail' }) {
  const failed = context.containers.find((container) => container.generation === generation)
  if (cause !== 'start_timeout' || !failed?.endpoint || isRouted(context.instance)) return false
  return (
    accepts(await findListeners(context, generation), context.row.port) &&
    (await probePort(failed.endpoint)) !== 'accepts'
  )
}

async function failRelease(context: InstanceContext, { generation, cause, message }: InstanceStep & { do: 'fail' }) {
  const { deps, row, instance, claim, host, containers } = context
  const failed = containers.find((container) => container.generation === generation)
  const other = containers.find((container) => container.generation === instance.serving_generation)
  const tail = failed ? await outputTail(context, generation) : []
  const why =
    cause === 'start_timeout' && failed?.phase === 'running' && failed.health !== 'unhealthy'
      ? unansweredMessage(message, row, await findListeners(context, generation))
      : message
  deps.log.info({ deployment_id: row.id, generation, cause }, 'a generation of a deployment failed finally')
  await saveFailure(deps.db, claim, {
    failed: generation,
    cause,
    message: why,
    // If workers count restarts, they count relative to the row.
    restarts_seen: engines[host.kind].counts_restarts ? (other?.restarts ?? null) : 0,
    log_id: newId(),
    now: deps.clock(),
    details: {
      message: why,
      cause,
      exit_code: failed?.exit_code ?? null,
      digest: digestOf(failed?.image) ?? null,
      limits: limitsOf(row),
      ...(cause === 'start_timeout' && row.last_error !== null ? { last_trouble: row.last_error } : {}),
      tail,
    },
  })
}

/** The addresses on which the programs of an instance listen; undefined if they cannot be read. */
const findListeners = ({ lease, row, instance, host }: InstanceContext, generation: number) =>
  withDeadline(listeners_seconds, lease.signal, (signal) =>
    host.engine.listeners({ id: row.id, generation, replica: instance.number }, signal),
  ).catch(() => undefined)

/** The end of an instance's output, with environment values masked; empty if it cannot be read. */
async function outputTail({ deps, lease, row, instance, host }: InstanceContext, generation: number) {
  const lines: string[] = []
  const read = async (signal: AbortSignal) => {
    const query = { tail: tail_lines }
    for await (const { text } of host.engine.logs({ id: row.id, generation, replica: instance.number }, query, signal))
      lines.push(text)
  }
  await withDeadline(tail_seconds, lease.signal, read).catch(() => {})
  try {
    return tailOf(lines.slice(-tail_lines), workloadEnv(deps, row))
  } catch {
    // Without the environment, its values cannot be masked.
    return []
  }
}
