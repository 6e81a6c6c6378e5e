import { EngineError, type Observed } from '../engine/engine.ts'
import { withDeadline, type Host } from './hosts.ts'
import { claimOf, type WorkRow } from './leases.store.ts'
import { PlatformError } from './platform-error.ts'
import { isDatabaseError, call_seconds, waitFor } from './step-context.ts'
import type { LeaseHandle, ReconcilerContext, StepOutcome } from './step-context.ts'
import { hasRoom } from './placement.ts'
import { acceptsConnections } from './probe.ts'
import { followerBackoff, nextReplicaStep, type Follower, type ReplicaStep } from './replicas.rules.ts'
import { addFollowers, attachFollower, detachFollower, dropFollower } from './replicas.store.ts'
import { moveFollower, postponeFollower, saveFollowerStart, type FollowerClaim } from './replicas.store.ts'
import { removeUnusedNetwork } from './removal.ts'
import { runningWorkload } from './rollout.ts'
import { savePulled } from './drift.store.ts'

/** The generation that this process last had the engine ensure, for each follower that it works on. It is forgotten after a while. */
export interface FollowerHistory {
  ensured(id: string, number: number): number | undefined
  record(id: string, number: number, generation: number): void
  delete(id: string): void
}

/** Then the engine is asked again for what has not come up: on a Swarm a node may be gone since. */
const ensured_ms = 10_000

export function openFollowerHistory(): FollowerHistory {
  const all = new Map<string, Map<number, { generation: number; at: number }>>()
  return {
    ensured(id, number) {
      const known = all.get(id)?.get(number)
      return known && performance.now() - known.at < ensured_ms ? known.generation : undefined
    },
    record(id, number, generation) {
      const known = all.get(id) ?? new Map<number, { generation: number; at: number }>()
      all.set(id, known.set(number, { generation, at: performance.now() }))
    },
    delete: (id) => void all.delete(id),
  }
}

export interface FollowerContext {
  deps: ReconcilerContext & { followers: FollowerHistory }
  lease: LeaseHandle
  row: WorkRow
}

type FollowerStep = Exclude<ReplicaStep, { do: 'nothing' | 'wait' | 'add' }>

/** Runs the next step of a deployment's followers (D-105). One that fails is tried again later, by itself. */
export async function runReplicaStep(context: FollowerContext): Promise<StepOutcome> {
  const { deps, lease, row } = context
  const observed = await observeFollowers(context)
  const step = nextReplicaStep(row, {
    timing: deps.timing,
    observe: (follower) => observed.get(follower.number),
    ensured: (number) => deps.followers.ensured(row.id, number),
  })
  if (step.do === 'nothing') return 'done'
  if (step.do === 'wait') return waitFor(lease, step.seconds)
  deps.log.debug({ deployment_id: row.id, ...step }, 'a step of a replica')
  lease.throwIfExpired()
  if (step.do === 'add') {
    await addFollowers(deps.db, claimOf(row, deps.owner), step.numbers)
    return 'continue'
  }
  const follower = row.followers.find(({ number }) => number === step.number)!
  try {
    return await execute(context, step, follower)
  } catch (error) {
    if (lease.signal.aborted || lease.intentSignal().aborted) return 'continue'
    const named = error instanceof EngineError || error instanceof PlatformError
    if (!named && isDatabaseError(error)) throw error
    const message = named ? `${error.fault}: ${error.message}` : 'internal: The platform could not work on it.'
    if (!named) deps.log.warn({ deployment_id: row.id, replica: step.number, err: error }, 'a replica failed')
    await postpone(context, follower, { message, health: null })
    return 'continue'
  }
}

/** What the hosts of the followers run of the deployment, by number; without those whose host does not answer. */
async function observeFollowers({ deps, row }: FollowerContext) {
  const names = new Set(row.followers.flatMap(({ host_server }) => (host_server === null ? [] : [host_server])))
  const by_host = new Map<string, readonly Observed[]>()
  await Promise.all(
    [...names].map(async (name) => {
      const host = deps.hosts.find(name)
      const observed = await host?.observeOne(row).catch((error: unknown) => {
        if (error instanceof EngineError) return undefined
        throw error
      })
      if (observed) by_host.set(name, observed)
    }),
  )
  return new Map(
    row.followers.flatMap(({ number, host_server }) => {
      const observed = host_server === null ? undefined : by_host.get(host_server)
      return observed ? [[number, observed.filter(({ replica }) => replica === number)] as const] : []
    }),
  )
}

const followerClaim = ({ deps, row }: FollowerContext, { number }: { number: number }): FollowerClaim => ({
  ...claimOf(row, deps.owner),
  number,
})

function postpone(context: FollowerContext, follower: Follower, why: { message: string; health: string | null }) {
  const { deps, row } = context
  const seconds = followerBackoff(follower, Math.random())
  deps.log.warn(
    { deployment_id: row.id, replica: follower.number, seconds: Math.round(seconds) },
    `a replica is retried later: ${why.message}`,
  )
  return postponeFollower(deps.db, followerClaim(context, follower), { ...why, seconds })
}

async function execute(context: FollowerContext, step: FollowerStep, follower: Follower): Promise<StepOutcome> {
  const { deps, row } = context
  const claim = followerClaim(context, follower)
  const host = follower.host_server === null ? undefined : deps.hosts.find(follower.host_server)
  switch (step.do) {
    case 'place':
      await deps.placement.placeFollower(row, claim)
      break
    case 'drop':
      await dropFollower(deps.db, claim)
      if (host) await removeUnusedNetwork(deps, row, host)
      break
    case 'detach':
      await detachFollower(deps.db, claim, step.health)
      break
    case 'attach':
      return attach(context, step, follower)
    case 'start':
      if (host && (await mayStart(context, step, follower, host))) await start(context, step, host)
      break
    case 'retry':
      if (host) await remove(context, step, host)
      await postpone(context, follower, step)
      break
    case 'remove':
      if (host) await remove(context, step, host)
      break
  }
  return 'continue'
}

/**
 * Whether a follower may run a generation that it does not serve yet: its host must be isolated, and have the memory. Where it has not, the
 * follower goes to another host; one that serves stays as it is until there is such a host. Fails with `host_not_isolated` or
 * `no_capacity`.
 */
async function mayStart(
  context: FollowerContext,
  step: FollowerStep & { do: 'start' },
  follower: Follower,
  host: Host,
) {
  const { deps, row } = context
  // What runs already is repaired where it is.
  if (follower.serving_generation === step.generation) return true
  await deps.isolation.requireIsolated(host.name)
  if (await hasRoom(deps.db, host.name)) return true
  const claim = followerClaim(context, follower)
  if (follower.endpoint_host === null) await moveFollower(deps.db, claim, null)
  else await deps.placement.moveFollower(row, claim, host.name)
  return false
}

async function start(context: FollowerContext, { number, generation }: FollowerStep & { do: 'start' }, host: Host) {
  const { deps, lease, row } = context
  if ((await saveFollowerStart(deps.db, followerClaim(context, { number }))).length === 0) return
  lease.throwIfExpired()
  const until = AbortSignal.any([lease.signal, lease.intentSignal()])
  const workload = runningWorkload(deps, row, { generation, replica: number })
  const { image, pulled } = await withDeadline(deps.timing.pull_seconds, until, (signal) =>
    host.engine.ensure(workload, signal),
  )
  if (pulled) await savePulled(deps.db, host.name, image, deps.clock())
  deps.followers.record(row.id, number, generation)
}

function remove(
  { lease, row }: FollowerContext,
  { number, generation }: { number: number; generation?: number },
  host: Host,
) {
  const what = { workload: row.id, replica: number, ...(generation === undefined ? {} : { generation }) }
  return withDeadline<unknown>(call_seconds, lease.signal, (signal) => host.engine.remove(what, signal))
}

/** Routes requests to an instance once its port answers. */
async function attach(
  context: FollowerContext,
  { generation, endpoint }: FollowerStep & { do: 'attach' },
  follower: Follower,
): Promise<StepOutcome> {
  const { deps, lease } = context
  const claim = followerClaim(context, follower)
  if (await acceptsConnections(endpoint)) {
    await attachFollower(deps.db, claim, { serving: generation, endpoint })
    return 'continue'
  }
  await saveFollowerStart(deps.db, claim)
  if ((follower.transient_seconds ?? 0) > deps.timing.start_seconds) {
    const message = `start_timeout: Its port did not answer within ${deps.timing.start_seconds} seconds.`
    await postpone(context, follower, { message, health: 'start_timeout' })
    return 'continue'
  }
  return waitFor(lease, 0.1)
}
