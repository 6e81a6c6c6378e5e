import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { openListener } from '../kit/listener.ts'
import type { OpenedEngine } from './engine/open.ts'
import { openHosts } from './hosts.service.ts'
import { openReconciler, type Held, type ReconcilerDeps } from './reconciler.service.ts'
import { default_timing, type Timing } from './reconciler.rules.ts'
import { claimDue, claimOf, deployments_channel, releaseLease, renewLeases, type WorkRow } from './reconciler.store.ts'
import { startSweeps } from './sweep.service.ts'

export interface WorkerDeps extends Pick<ReconcilerDeps, 'db' | 'clock' | 'log' | 'environmentOf' | 'registryAuthOf'> {
  connection: pg.ClientConfig
  engines: readonly OpenedEngine[]
  timing?: Partial<Timing>
}

export interface Worker {
  /** Ends what is under way where it stands, and gives its leases back. */
  stop(): Promise<void>
}

/** So many deployments are worked on at once, and so many on one host: one that hangs must not hold up all. */
const rows_max = 24
const host_rows_max = 8
const poll_ms = 1_000

/** Starts a worker: it brings every deployment to what is wanted of it, together with however many other workers. */
export async function startWorker(deps: WorkerDeps): Promise<Worker> {
  const { db, clock, log, connection } = deps
  const timing = { ...default_timing, ...deps.timing }
  const owner = randomUUID()
  const hosts = await openHosts({ db, log, engines: deps.engines, timing })
  const desk = openDesk({ ...deps, hosts, timing, owner })
  const bell = await openListener({
    connection,
    log,
    name: 'plaza-worker',
    channel: deployments_channel,
    heard: (id) => {
      desk.changed(id)
      desk.wake()
    },
    connected: desk.wake,
  })
  const sweeps = startSweeps({ db, clock, log, hosts, timing, wake: desk.wake })
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

interface Work extends Held {
  row: WorkRow
  stop(): void
  /** Something else may be wanted. */
  change(): void
  renewed(at: number): void
  /** False once the lease may have ended, by this process's own clock. */
  holds(): boolean
  done: Promise<void>
}

type DeskDeps = ReconcilerDeps

/** Takes due deployments, works on several at once, and keeps the leases of those. */
function openDesk(deps: DeskDeps) {
  const { db, log, timing, owner, hosts } = deps
  const reconciler = openReconciler(deps)
  const held = new Map<string, Work>()
  let stopping = false

  async function workOn(work: Work) {
    const { row } = work
    try {
      const outcome = (await reconciler.reconcile(work, row)) ?? { row, seconds: 0 }
      await releaseLease(db, claimOf(outcome.row, owner), outcome.seconds)
    } catch (error) {
      // The lease ends by itself where the database could not be told.
      log.warn({ deployment_id: row.id, err: error }, 'work on a deployment was broken off')
      await releaseLease(db, claimOf(row, owner), 5).catch(() => {})
    } finally {
      held.delete(row.id)
      wake()
    }
  }

  async function claim() {
    for (;;) {
      const room = rows_max - held.size
      if (stopping || room <= 0) return
      const busy = (name: string) => [...held.values()].filter(({ row }) => row.host_server === name).length
      const with_room = hosts.names.filter((name) => busy(name) < host_rows_max)
      const at = performance.now()
      const rows = await claimDue(db, {
        owner,
        lease_seconds: timing.lease_seconds,
        hosts: with_room,
        held: [...held.keys()],
        rows_max: Math.min(room, host_rows_max),
      })
      for (const row of rows) {
        const work = holdOn(row, at, timing)
        held.set(row.id, work)
        work.done = workOn(work)
      }
      if (rows.length === 0) return
    }
  }

  const wake = joinCalls(() => {
    if (stopping) return Promise.resolve()
    return claim().catch((error: Error) => log.warn({ error: error.message }, 'no deployment could be claimed'))
  })
  const poll = setInterval(wake, poll_ms)
  const renewal = setInterval(() => void renew(), (timing.lease_seconds * 1000) / 3)

  async function renew() {
    // After a pause of the whole process this comes before the answers that waited meanwhile are acted on.
    for (const work of held.values()) if (!work.holds()) work.stop()
    const at = performance.now()
    const ids = [...held.keys()]
    if (ids.length === 0) return
    try {
      const kept = new Set(await renewLeases(db, owner, ids, timing.lease_seconds))
      for (const id of ids)
        if (kept.has(id)) held.get(id)?.renewed(at)
        else held.get(id)?.stop()
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'leases were not renewed')
    }
    for (const work of held.values()) if (!work.holds()) work.stop()
  }

  return {
    wake,
    changed: (id: string) => held.get(id)?.change(),
    async stop() {
      stopping = true
      clearInterval(poll)
      clearInterval(renewal)
      const all = [...held.values()]
      for (const work of all) work.stop()
      await Promise.all(all.map(({ done }) => done))
    },
  }
}

function holdOn(row: WorkRow, claimed_at: number, { lease_seconds }: Timing): Work {
  const lease = new AbortController()
  let intent = new AbortController()
  // A little earlier than the database thinks: what is begun then still has time to be sent.
  const until = (at: number) => at + lease_seconds * 900
  let good_until = until(claimed_at)
  const holds = () => performance.now() < good_until
  return {
    row,
    signal: lease.signal,
    changed() {
      return intent.signal
    },
    check() {
      if (!holds()) lease.abort()
      lease.signal.throwIfAborted()
    },
    attend() {
      if (intent.signal.aborted) intent = new AbortController()
    },
    stop: () => lease.abort(),
    change: () => intent.abort(),
    renewed(at) {
      good_until = until(at)
    },
    holds,
    done: Promise.resolve(),
  }
}

/** Calls while one is under way make one more afterwards. */
function joinCalls(call: () => Promise<void>) {
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
