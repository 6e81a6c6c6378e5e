import type { Clock } from '../kit/clock.ts'
import type { Database } from '../kit/database.ts'
import { newId } from '../kit/ids.ts'
import type { Logger } from '../kit/log.ts'
import { EngineError, type Observed, type RegistryAuth, type Workload } from './engine/engine.ts'
import { within, type Host, type Hosts } from './hosts.service.ts'
import { findPlaces } from './hosts.store.ts'
import { choosePlace } from './placement.rules.ts'
import { answersAt } from './probe.service.ts'
import {
  backOffSeconds,
  causeOfFault,
  isOutOfReach,
  nextStep,
  tailOf,
  withRestarts,
  type Step,
  type Timing,
} from './reconciler.rules.ts'
import {
  beginStart,
  claimOf,
  countRestartsOf,
  findLeased,
  followEndpoint,
  isAppOnHost,
  noteTrouble,
  placeOn,
  settleFailure,
  settleRest,
  startServing,
  withdraw,
  type WorkRow,
} from './reconciler.store.ts'
import { savePulled } from './sweep.store.ts'
import { openMemories, type Memories } from './work-memory.service.ts'

export interface ReconcilerDeps {
  db: Database
  clock: Clock
  log: Logger
  hosts: Hosts
  timing: Timing
  /** This process, as leases name it. */
  owner: string
  environmentOf(row: { id: string; sealed_env: Buffer }): Record<string, string>
  registryAuthOf(image: string): RegistryAuth | undefined
}

/** The hold on one deployment while it is worked on. */
export interface Held {
  /** Fires when the lease is lost or the worker stops: nothing may be done any more. */
  signal: AbortSignal
  /** Throws when the lease may have ended: asked before anything is done to an engine. */
  check(): void
  /** Fires when something else may be wanted than what the row said when it was last looked at. */
  changed(): AbortSignal
  /** The row is about to be looked at. */
  attend(): void
}

/** How the work on one deployment ended: to be looked at again after `seconds`, or when something changes. */
export interface Outcome {
  row: WorkRow
  seconds: number | undefined
}

export interface Reconciler {
  /**
   * Takes one step after the other until the deployment is as it is wanted, or has to wait longer than a moment.
   * Undefined when the lease was lost. Fails only where the database does.
   */
  reconcile(held: Held, row: WorkRow): Promise<Outcome | undefined>
}

/** Waits up to this are waited for in place; longer ones free the worker's hands. */
const short_wait_seconds = 1
const call_seconds = 60

export function openReconciler(deps: ReconcilerDeps): Reconciler {
  const memories = openMemories()
  return {
    async reconcile(held, first) {
      let row: WorkRow | undefined = first
      while (row && !held.signal.aborted) {
        const outcome = await oneStep({ ...deps, memories }, held, row)
        if (outcome === 'done') {
          memories.forget(row.id)
          return { row, seconds: undefined }
        }
        if (typeof outcome === 'number') return { row, seconds: outcome }
        held.attend()
        row = await findLeased(deps.db, { id: row.id, owner: deps.owner })
      }
      return undefined
    },
  }
}

interface Work extends ReconcilerDeps {
  memories: Memories
}

type StepOutcome = 'on' | 'done' | number

async function oneStep(work: Work, held: Held, row: WorkRow): Promise<StepOutcome> {
  try {
    const host = row.host_server === null ? undefined : hostOf(work, row.host_server)
    const observed = host ? (await host.observe()).filter(({ id }) => id === row.id) : []
    const memory = work.memories.note(row, observed)
    const step = nextStep(row, observed, { now: work.clock(), memory, timing: work.timing })
    if (step.do === 'nothing') return 'done'
    if (step.do === 'wait') return await waitFor(held, step.seconds)
    work.log.debug({ deployment_id: row.id, generation: row.generation, step: step.do }, 'a step of a deployment')
    await work.memories.slowRepeats(row, step, (seconds) => waitFor(held, seconds))
    held.check()
    return await carryOut({ work, held, row, observed }, step, host)
  } catch (error) {
    if (held.signal.aborted || held.changed().aborted) return 'on'
    return afterTrouble(work, row, error)
  }
}

function hostOf({ hosts }: Work, name: string): Host {
  const host = hosts.find(name)
  if (!host) throw new EngineError('unreachable', `The container host ${name} is not configured here.`)
  return host
}

/** Something that may pass: noted, and tried again after a while that grows. */
async function afterTrouble(work: Work, row: WorkRow, error: unknown): Promise<number> {
  if (!(error instanceof EngineError) && isOfDatabase(error)) throw error
  const attempts = row.attempts + 1
  const seconds = backOffSeconds(row.attempts, Math.random())
  const [fault, message] =
    error instanceof EngineError ? [error.fault, error.message] : ['internal', 'The platform could not work on it.']
  work.log.warn(
    {
      deployment_id: row.id,
      fault,
      seconds: Math.round(seconds),
      ...(error instanceof EngineError ? {} : { err: error }),
    },
    `work on a deployment waits: ${message}`,
  )
  await noteTrouble(work.db, claimOf(row, work.owner), {
    message: `${fault}: ${message}`,
    out_of_reach: isOutOfReach(fault),
    attempts,
  })
  return seconds
}

/** Errors of the driver carry a code; our own mistakes do not. */
const isOfDatabase = (error: unknown) =>
  error instanceof Error && ('code' in error || /connection|timeout|client/i.test(error.message))

async function waitFor(held: Held, seconds: number): Promise<StepOutcome> {
  if (seconds > short_wait_seconds) return seconds
  await new Promise<void>((resolve) => {
    const signals = [held.signal, held.changed()]
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    for (const signal of signals) signal.addEventListener('abort', end)
    if (signals.some(({ aborted }) => aborted)) end()
  })
  return 'on'
}

interface Scene {
  work: Work
  held: Held
  row: WorkRow
  observed: readonly Observed[]
}

async function carryOut(scene: Scene, step: Step, host: Host | undefined): Promise<StepOutcome> {
  const { work, row, observed } = scene
  const { db, clock, owner } = work
  const claim = claimOf(row, owner)
  switch (step.do) {
    case 'place':
      await place(work, row)
      return 'on'
    case 'withdraw':
      await withdraw(db, claim)
      return 'on'
    case 'settle':
      if (step.status === 'destroyed') await clearNetwork(work, row, host)
      await settleRest(db, claim, { status: step.status, now: clock() })
      return 'on'
    case 'follow':
      await followEndpoint(db, claim, step)
      return 'on'
    case 'count':
      await countRestartsOf(db, claim, { ...step, health: row.status === 'running' ? 'restarting' : row.health_status })
      return 'on'
    case 'probe':
      return (await answersAt(step.endpoint)) ? serve(scene, step) : waitFor(scene.held, 0.25)
    case 'retry':
      work.memories.startFailed(row)
      return afterTrouble(work, row, new EngineError('refused', step.message))
    case 'fail':
      await fail(scene, step, host)
      return 'on'
    case 'remove':
    case 'rest':
    case 'start':
      return host ? act(scene, step, host) : 'on'
    default:
      work.log.error({ step: step.do, observed: observed.length }, 'a step that nobody carries out')
      return 'done'
  }
}

async function place({ db, hosts, owner }: Work, row: WorkRow) {
  const name = choosePlace(await findPlaces(db, hosts.names), row)
  if (name === undefined) throw new EngineError('no_capacity', 'No container host that answers has room for it.')
  await placeOn(db, claimOf(row, owner), name)
}

/** What is done to an engine. */
async function act(scene: Scene, step: Step & { do: 'remove' | 'rest' | 'start' }, host: Host): Promise<StepOutcome> {
  const { work, held, row } = scene
  if (step.do === 'start') return start(scene, step, host)
  const { generation } = step
  await within<unknown>(call_seconds, held.signal, (signal) =>
    step.do === 'rest'
      ? host.engine.ensure(workloadOf(work, row, step.generation, false), signal)
      : host.engine.remove({ workload: row.id, ...(generation === undefined ? {} : { generation }) }, signal),
  )
  return 'on'
}

const limitsOf = ({ memory_limit_mb, cpu_limit_millicores }: WorkRow) => ({ memory_limit_mb, cpu_limit_millicores })

const start_messages = {
  rollout: 'Rolling out.',
  missing: 'The container was gone: it is made again.',
  stopped: 'The container had been stopped: it is started again.',
  waiting: 'The container was held up: it is started again.',
}

async function start(scene: Scene, { generation, why }: Step & { do: 'start' }, host: Host): Promise<StepOutcome> {
  const { work, held, row } = scene
  const { db, clock, timing } = work
  const now = clock()
  const began = await beginStart(db, claimOf(row, work.owner), {
    log_id: newId(),
    now,
    is_new: why === 'rollout',
    unroute: row.serving_generation === generation,
    restart_times: why === 'stopped' ? withRestarts(row.restart_times, 1, now, timing) : row.restart_times,
    details: { message: start_messages[why], image: row.container_image, limits: limitsOf(row) },
  })
  if (!began) return 'on'
  held.check()
  const until = AbortSignal.any([held.signal, held.changed()])
  const began_at = performance.now()
  try {
    const workload = workloadOf(work, row, generation, true)
    const { image, pulled } = await within(timing.pull_seconds, until, (signal) => host.engine.ensure(workload, signal))
    if (pulled) await savePulled(db, host.name, image, clock())
    work.memories.ensured(row, generation)
    return 'on'
  } catch (error) {
    if (until.aborted || !(error instanceof EngineError)) throw error
    const cause = causeOfFault(error.fault)
    if (cause) await fail(scene, { do: 'fail', generation, cause, message: error.message }, host)
    else if (performance.now() - began_at >= timing.pull_seconds * 1000)
      throw new EngineError('registry_unreachable', `The image was not there within ${timing.pull_seconds} seconds.`)
    else throw error
    return 'on'
  }
}

/** What an engine is asked to run. What ran once runs from the same bytes again; a new generation asks its tag. */
function workloadOf(work: Work, row: WorkRow, generation: number, running: boolean): Workload {
  const pinned = row.image_generation === generation ? row.image_digest : null
  const env = work.environmentOf(row)
  return {
    id: row.id,
    generation,
    app_id: row.app_id,
    image: pinned ?? row.container_image,
    registry_auth: work.registryAuthOf(row.container_image),
    env: { ...env, PORT: String(row.port) },
    port: row.port,
    memory_mb: row.memory_limit_mb,
    millicores: row.cpu_limit_millicores,
    running,
  }
}

const digestOf = (image: string | null | undefined) => image?.split('@')[1]

async function serve({ work, row, observed }: Scene, { generation, endpoint }: Step & { do: 'probe' }) {
  const instance = observed.find((seen) => seen.generation === generation)
  const digest = digestOf(instance?.image)
  const from_digest = row.image_generation === generation ? undefined : digestOf(row.image_digest)
  await startServing(work.db, claimOf(row, work.owner), {
    generation,
    endpoint,
    restarts: instance?.restarts ?? 0,
    image: instance?.image ?? null,
    now: work.clock(),
    details: {
      message: 'The container runs and its port answers.',
      digest,
      ...(from_digest === undefined ? {} : { from_digest, to_digest: digest }),
    },
  })
  return 'on' as const
}

const tail_lines = 50
const tail_seconds = 5

async function fail(scene: Scene, { generation, cause, message }: Step & { do: 'fail' }, host: Host | undefined) {
  const { work, row, observed } = scene
  const failed = observed.find((seen) => seen.generation === generation)
  const other = observed.find((seen) => seen.generation === row.serving_generation)
  const tail = host && failed ? await outputOf(scene, host, generation) : []
  work.log.info({ deployment_id: row.id, generation, cause }, 'a generation of a deployment failed for good')
  await settleFailure(work.db, claimOf(row, work.owner), {
    failed: generation,
    cause,
    message,
    restarts_seen: (generation === row.serving_generation ? undefined : other?.restarts) ?? 0,
    log_id: newId(),
    now: work.clock(),
    details: {
      message,
      cause,
      exit_code: failed?.exit_code ?? null,
      digest: digestOf(failed?.image) ?? null,
      limits: limitsOf(row),
      tail,
    },
  })
}

/** The end of an instance's output, without its environment; empty where it cannot be had. */
async function outputOf({ work, held, row }: Scene, { engine }: Host, generation: number): Promise<string[]> {
  const lines: string[] = []
  const read = async (signal: AbortSignal) => {
    const query = { tail: tail_lines, follow: false }
    for await (const { text } of engine.logs({ id: row.id, generation }, query, signal)) lines.push(text)
  }
  await within(tail_seconds, held.signal, read).catch(() => {})
  return tailOf(lines.slice(-tail_lines), work.environmentOf(row))
}

/** An app without a workload on a host needs no network there; one that stays disturbs nobody. */
async function clearNetwork({ db, log }: Work, row: WorkRow, host: Host | undefined) {
  if (!host || (await isAppOnHost(db, row.app_id, host.name, row.id))) return
  await within(call_seconds, new AbortController().signal, (signal) =>
    host.engine.remove({ network_of_app: row.app_id }, signal),
  ).catch((error: Error) => log.warn({ app_id: row.app_id, error: error.message }, 'a network was not removed'))
}
