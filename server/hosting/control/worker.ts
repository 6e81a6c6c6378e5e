import { randomUUID } from 'node:crypto'
import type { ConnectionConfig } from '../../platform/postgres/connection.ts'
import { openListener } from '../../platform/postgres/listener.ts'
import { intents_channel } from '../channels.ts'
import type { OpenedEngine } from '../engine/open.ts'
import { openHosts } from './hosts.ts'
import { leaseWork, startLeaseRenewal, type LeasedWork } from './leases.ts'
import { claimDue, claimOf, releaseLease } from './leases.store.ts'
import { openReconciler, type Reconciler } from './steps.ts'
import type { ReconcilerDeps } from './step-context.ts'
import { startDriftDetector } from './drift.ts'
import { default_timing, type Timing } from './timing.rules.ts'

export interface WorkerDeps extends Pick<ReconcilerDeps, 'db' | 'clock' | 'log' | 'environmentOf' | 'registryAuthOf'> {
  connection: ConnectionConfig
  engines: readonly OpenedEngine[]
  timing?: Partial<Timing>
}

export interface Worker {
  /** Ends what is under way where it stands, and gives its leases back. */
  stop(): Promise<void>
}

/** So many deployments are worked on at once, and so many on one host: one that hangs must not hold up all. */
const deployments_max = 24
const deployments_max_per_host = 8
const poll_ms = 1_000

/** Starts a worker: it brings every deployment to what is wanted of it, together with however many other workers. */
export async function startWorker(deps: WorkerDeps): Promise<Worker> {
  const { db, clock, log, connection } = deps
  const timing = { ...default_timing, ...deps.timing }
  const owner = randomUUID()
  const hosts = await openHosts({ db, log, engines: deps.engines, timing })
  const desk = openWorkPool({ ...deps, hosts, timing, owner })
  const bell = await openListener({
    connection,
    log,
    name: 'plaza-worker',
    channel: intents_channel,
    onNotification: (id) => {
      desk.changed(id)
      desk.wake()
    },
    onConnected: desk.wake,
  })
  const sweeps = startDriftDetector({ db, clock, log, hosts, timing, wake: desk.wake })
  log.info({ worker: owner, hosts: hosts.names }, 'a worker for containers started')
  return {
    async stop() {
      await bell.close()
      await sweeps.stop()
      await desk.stop()
      await hosts.close()
    },
  }
}

interface WorkPool extends ReconcilerDeps {
  reconciler: Reconciler
  /** What this process works on. */
  leased: Map<string, LeasedWork>
  /** Told when the work on one ended, so that another can be taken up. */
  finished(): void
}

/** Takes due deployments, works on several at once, and keeps the leases of those. */
function openWorkPool(deps: ReconcilerDeps) {
  const leased = new Map<string, LeasedWork>()
  let stopping = false
  let claiming = Promise.resolve()
  const wake = coalesceCalls(() => {
    claiming = claimWork(desk, () => stopping).catch((error: Error) =>
      deps.log.warn({ error: error.message }, 'no deployment could be claimed'),
    )
    return claiming
  })
  const desk: WorkPool = { ...deps, leased, reconciler: openReconciler(deps), finished: wake }
  const poll = setInterval(wake, poll_ms)
  const leases = startLeaseRenewal(deps, leased)
  return {
    wake,
    changed: (id: string) => leased.get(id)?.notifyIntent(),
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

/** Claims what is due until nothing is, or this process has its hands full. */
async function claimWork(desk: WorkPool, isStopping: () => boolean) {
  const { db, owner, hosts, timing, leased } = desk
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
      work.done = runWork(desk, work)
    }
    if (rows.length === 0) return
  }
}

async function runWork({ db, log, owner, reconciler, leased, finished }: WorkPool, work: LeasedWork) {
  const { row } = work
  try {
    const outcome = (await reconciler.reconcile(work, row)) ?? { row, seconds: 0 }
    await releaseLease(db, claimOf(outcome.row, owner), outcome.seconds)
  } catch (error) {
    // The lease ends by itself where the database could not be told.
    log.warn({ deployment_id: row.id, err: error }, 'work on a deployment was broken off')
    await releaseLease(db, claimOf(row, owner), 5).catch(() => {})
  } finally {
    leased.delete(row.id)
    finished()
  }
}

/** Calls while one is under way make one more afterwards. */
function coalesceCalls(call: () => Promise<void>) {
  let running = false
  let again = false
  const run = () => {
    if (running) {
      again = true
      return
    }
    running = true
    void call().finally(() => {
      running = false
      if (!again) return
      again = false
      run()
    })
  }
  return run
}
