import { coalesce } from '../../platform/coalesce.ts'
import { randomUUID } from 'node:crypto'
import type { ConnectionConfig } from '../../platform/postgres/connection.ts'
import { openListener } from '../../platform/postgres/listener.ts'
import { intents_channel } from '../channels.ts'
import { reconciled } from '../metrics.ts'
import type { OpenedEngine } from '../engine/open.ts'
import { startCollector } from './output/collector.ts'
import { openHosts } from './hosts/hosts.ts'
import { openIsolation, startIsolationProbes, type IsolationSettings } from './hosts/isolation.ts'
import { leaseWork, startLeaseRenewal, type LeasedWork } from './reconcile/leases.ts'
import { claimDue, claimOf, releaseLease } from './reconcile/leases.store.ts'
import { openReconciler, type Reconciler } from './reconcile/steps.ts'
import type { ReconcilerDeps } from './reconcile/step-context.ts'
import { startDriftDetector } from './hosts/drift.ts'
import { startSampler } from './metrics/sampler.ts'
import { default_timing, type Timing } from './timing.rules.ts'

export interface WorkerDeps extends Pick<ReconcilerDeps, 'db' | 'clock' | 'log' | 'environmentOf' | 'registryAuthOf'> {
  connection: ConnectionConfig
  engines: readonly OpenedEngine[]
  timing?: Partial<Timing>
  isolation: IsolationSettings | 'trusted'
}

export interface Worker {
  /** Stops after the current calls, and releases all leases. */
  stop(): Promise<void>
}

/** Limits of concurrent work. The limit per host keeps a host that hangs from blocking the others. */
const deployments_max = 24
const deployments_max_per_host = 8
const poll_ms = 1_000

/** Starts a worker. Any number of workers on one database bring every deployment to its desired state. */
export async function startWorker(deps: WorkerDeps): Promise<Worker> {
  const { db, clock, log, connection } = deps
  const timing = { ...default_timing, ...deps.timing }
  const owner = randomUUID()
  const hosts = await openHosts({ db, log, engines: deps.engines, timing })
  const pool = openWorkPool({ ...deps, hosts, timing, owner, isolation: openIsolation(db, deps.isolation) })
  const listener = await openListener({
    connection,
    log,
    name: 'plaza-worker',
    channel: intents_channel,
    onNotification: (id) => {
      pool.notifyIntent(id)
      pool.wake()
    },
    onConnected: pool.wake,
  })
  const drift_detector = startDriftDetector({ db, clock, log, hosts, timing, wake: pool.wake })
  const sampler = startSampler({ db, clock, log, hosts, timing })
  const collector = startCollector({ db, log, hosts, timing, owner })
  const probes = startIsolationProbes({ db, log, hosts, timing, isolation: deps.isolation, wake: pool.wake })
  log.info({ worker: owner, hosts: hosts.names }, 'a worker for containers started')
  return {
    async stop() {
      await listener.close()
      await Promise.all([drift_detector.stop(), sampler.stop(), collector.stop(), probes.stop()])
      await pool.stop()
      await hosts.close()
    },
  }
}

interface WorkPool extends ReconcilerDeps {
  reconciler: Reconciler
  /** The deployments that this process works on, by id. */
  leased: Map<string, LeasedWork>
  /** Called when the work on one deployment has ended, so that another one can be claimed. */
  finished(): void
}

/** Claims due deployments, reconciles several concurrently, and renews their leases. */
function openWorkPool(deps: ReconcilerDeps) {
  const leased = new Map<string, LeasedWork>()
  let stopping = false
  let claiming = Promise.resolve()
  const claim = coalesce(() =>
    claimWork(pool, () => stopping).catch((error: Error) =>
      deps.log.warn({ error: error.message }, 'claiming deployments failed'),
    ),
  )
  const wake = () => {
    claiming = claim()
  }
  const pool: WorkPool = { ...deps, leased, reconciler: openReconciler(deps), finished: wake }
  const poll = setInterval(wake, poll_ms)
  const leases = startLeaseRenewal(deps, leased)
  return {
    wake,
    notifyIntent: (id: string) => leased.get(id)?.notifyIntent(),
    async stop() {
      stopping = true
      clearInterval(poll)
      leases.stop()
      await claiming
      const all = [...leased.values()]
      for (const work of all) work.stop()
      await Promise.all(all.map(({ done }) => done))
    },
  }
}

/** Claims due deployments until none is left or the pool is full. */
async function claimWork(pool: WorkPool, isStopping: () => boolean) {
  const { db, owner, hosts, timing, leased } = pool
  while (!isStopping() && leased.size < deployments_max) {
    const busy = (name: string) => [...leased.values()].filter(({ row }) => row.host_server === name).length
    const at = performance.now()
    const rows = await claimDue(db, {
      owner,
      lease_seconds: timing.lease_seconds,
      hosts: hosts.names.filter((name) => busy(name) < deployments_max_per_host),
      leased_ids: [...leased.keys()],
      rows_max: Math.min(deployments_max - leased.size, deployments_max_per_host),
    })
    for (const row of rows) {
      const work = leaseWork(row, at, timing)
      leased.set(row.id, work)
      work.done = runWork(pool, work)
    }
    if (rows.length === 0) return
  }
}

async function runWork({ db, log, owner, reconciler, leased, finished }: WorkPool, work: LeasedWork) {
  const { row } = work
  const started_at = performance.now()
  const took = () => (performance.now() - started_at) / 1_000
  try {
    const outcome = (await reconciler.reconcile(work, row)) ?? { row, seconds: 0 }
    await releaseLease(db, claimOf(outcome.row, owner), outcome.seconds)
    reconciled.done.observe(took())
  } catch (error) {
    reconciled.failed.observe(took())
    // If the release fails too, the lease expires.
    log.warn({ deployment_id: row.id, err: error }, 'the work on a deployment failed')
    await releaseLease(db, claimOf(row, owner), 5).catch(() => {})
  } finally {
    leased.delete(row.id)
    finished()
  }
}
