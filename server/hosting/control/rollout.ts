import { engines } from '../../../contract/kinds/engines.ts'
import { newId } from '../../platform/ids.ts'
import { requireRoom } from './placement.ts'
import { EngineError, type Workload } from '../engine/engine.ts'
import { withDeadline, type Host } from './hosts.ts'
import { claimOf, type WorkRow } from './leases.store.ts'
import { finalCauseOf, type Step } from './plan.rules.ts'
import { withRestarts } from './restarts.rules.ts'
import { saveFailure } from './failure.store.ts'
import { saveStart, saveServing, saveWaiting } from './steps.store.ts'
import { PlatformError } from './platform-error.ts'
import type { StepContext, StepOutcome, ReconcilerDeps } from './step-context.ts'
import { savePulled } from './drift.store.ts'
import { tailOf } from './tail.rules.ts'
import { unansweredMessage } from './unanswered.rules.ts'

const limitsOf = ({ memory_limit_mb, cpu_limit_millicores }: WorkRow) => ({ memory_limit_mb, cpu_limit_millicores })

const start_messages = {
  rollout: 'Rolling out.',
  missing: 'The container was gone: it is made again.',
  stopped: 'The container had been stopped: it is started again.',
  waiting: 'The container was held up: it is started again.',
  cut_off: 'The container had lost its network or its port: it is made again.',
}

/**
 * Has the engine run a generation, and logs the start. A final refusal of the engine fails the generation; transient errors
 * are thrown, `host_not_isolated` before anything is written.
 */
export async function start(
  context: StepContext,
  { generation, why }: Step & { do: 'start' },
  host: Host,
): Promise<StepOutcome> {
  const { deps, lease, row } = context
  const { db, clock, timing } = deps
  const now = clock()
  // What runs already is repaired where it is.
  if (why === 'rollout') await deps.isolation.requireIsolated(host.name)
  const began = await saveStart(db, claimOf(row, deps.owner), {
    log_id: newId(),
    now,
    is_new: why === 'rollout',
    unroute: row.serving_generation === generation,
    restart_times: why === 'stopped' ? withRestarts(row.restart_times, 1, now, timing) : row.restart_times,
    details: { message: start_messages[why], image: row.container_image, limits: limitsOf(row) },
  })
  if (!began) return 'continue'
  lease.throwIfExpired()
  const until = AbortSignal.any([lease.signal, lease.intentSignal()])
  const began_at = performance.now()
  try {
    await requireRoom(db, row, host.name)
    const workload = runningWorkload(deps, row, { generation, replica: row.leading_replica })
    const { image, pulled } = await withDeadline(timing.pull_seconds, until, (signal) =>
      host.engine.ensure(workload, signal),
    )
    if (pulled) await savePulled(db, host.name, image, clock())
    deps.history.ensured(row, generation)
    if (row.last_error !== null)
      await saveWaiting(db, claimOf(row, deps.owner), 'The container was started; its port has not answered yet.')
    return 'continue'
  } catch (error) {
    if (until.aborted || !(error instanceof EngineError)) throw error
    const cause = finalCauseOf(error.fault)
    if (cause) await fail(context, { do: 'fail', generation, cause, message: error.message }, host)
    else if (performance.now() - began_at >= timing.pull_seconds * 1000)
      throw new EngineError('registry_unreachable', `The image was not there within ${timing.pull_seconds} seconds.`)
    else {
      if (error.fault === 'no_capacity') await moveElsewhere(context, host)
      throw error
    }
    return 'continue'
  }
}

/** Gives a deployment another host where one has room; it is started there at the next attempt. */
async function moveElsewhere({ deps, row }: StepContext, { name }: Host) {
  try {
    await deps.placement.move(row, name)
    deps.log.info(
      { deployment_id: row.id, host: name },
      'a container host is full: its deployment is placed on another',
    )
  } catch (error) {
    if (!(error instanceof EngineError || error instanceof PlatformError)) throw error
  }
}

/** The workload of one replica, with its environment. Fails with `environment_unreadable`. */
export const runningWorkload = (
  deps: ReconcilerDeps,
  row: WorkRow,
  { generation, replica }: { generation: number; replica: number },
): Workload => ({ ...stoppedWorkload(deps, row, generation), replica, env: workloadEnv(deps, row), running: true })

/** The decrypted environment. Fails with `environment_unreadable` where this worker lacks the key; another worker may have it. */
function workloadEnv({ environmentOf }: ReconcilerDeps, row: WorkRow) {
  try {
    return { ...environmentOf(row), PORT: String(row.port) }
  } catch {
    throw new PlatformError('environment_unreadable', 'Its environment was sealed with a key that is not known here.')
  }
}

/**
 * The workload of a stopped generation. It has no environment: a stop must work without the key. A generation that ran before
 * keeps its digest; a new one resolves its tag.
 */
export function stoppedWorkload(deps: ReconcilerDeps, row: WorkRow, generation: number): Workload {
  const pinned = row.image_generation === generation ? row.image_digest : null
  return {
    id: row.id,
    generation,
    replica: row.leading_replica,
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
export async function serve({ deps, row, observed }: StepContext, { generation, endpoint }: Step & { do: 'probe' }) {
  const instance = observed.find((each) => each.generation === generation)
  const digest = digestOf(instance?.image)
  const from_digest = row.image_generation === generation ? undefined : digestOf(row.image_digest)
  await saveServing(deps.db, claimOf(row, deps.owner), {
    generation,
    endpoint,
    restarts: instance?.restarts ?? 0,
    image: instance?.image ?? null,
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

/** Fails a generation for good, and saves the end of its output in the deploy log. */
export async function fail(
  context: StepContext,
  { generation, cause, message }: Step & { do: 'fail' },
  host: Host | undefined,
) {
  const { deps, row, observed } = context
  const failed = observed.find((instance) => instance.generation === generation)
  const other = observed.find((instance) => instance.generation === row.serving_generation)
  const tail = host && failed ? await outputTail(context, host, generation) : []
  const why =
    host && cause === 'start_timeout' && failed?.phase === 'running' && failed.health !== 'unhealthy'
      ? unansweredMessage(message, row.port, await findListeners(context, host, generation))
      : message
  deps.log.info({ deployment_id: row.id, generation, cause }, 'a generation of a deployment failed for good')
  await saveFailure(deps.db, claimOf(row, deps.owner), {
    failed: generation,
    cause,
    message: why,
    // Where workers count restarts, they count relative to the row.
    restarts_seen:
      generation === row.serving_generation || (host && !engines[host.kind].counts_restarts)
        ? 0
        : (other?.restarts ?? 0),
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

/** Where the programs of an instance listen; undefined where that cannot be read. */
const findListeners = ({ lease, row }: StepContext, { engine }: Host, generation: number) =>
  withDeadline(listeners_seconds, lease.signal, (signal) =>
    engine.listeners({ id: row.id, generation, replica: row.leading_replica }, signal),
  ).catch(() => undefined)

/** The end of an instance's output, with environment values masked; empty where it cannot be read. */
async function outputTail({ deps, lease, row }: StepContext, { engine }: Host, generation: number): Promise<string[]> {
  const lines: string[] = []
  const read = async (signal: AbortSignal) => {
    const query = { tail: tail_lines }
    for await (const { text } of engine.logs({ id: row.id, generation, replica: row.leading_replica }, query, signal))
      lines.push(text)
  }
  await withDeadline(tail_seconds, lease.signal, read).catch(() => {})
  try {
    return tailOf(lines.slice(-tail_lines), workloadEnv(deps, row))
  } catch {
    // Without the environment its values cannot be masked.
    return []
  }
}
