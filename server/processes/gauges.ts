import type { App } from '../app.ts'
import { countByStatus } from '../hosting/api/status-counts.store.ts'
import { deployments } from '../hosting/metrics.ts'
import type { Clock } from '../platform/clock.ts'
import { countJobs } from '../platform/job-counts.ts'
import { gauge } from '../platform/metrics/metrics.ts'
import { package_version } from '../platform/package.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { CheckStatus, Readiness } from '../platform/readiness.ts'
import { singleFlight } from '../platform/single-flight.ts'
import { lastLedgerCheck } from '../points/ledger-check.service.ts'

const build_info = gauge({
  name: 'plaza_build_info',
  help: 'Always 1; its labels say what runs.',
  labels: { version: 'the version of Plaza', node: 'the version of Node.js' },
  across: 'max',
})

const ready = gauge({
  name: 'plaza_ready',
  help: '1 if this process is ready (`/readyz`), otherwise 0.',
  across: 'min',
})

const check_status = gauge({
  name: 'plaza_check_status',
  help: 'The checks of `/readyz`: 0 ok, 1 degraded, 2 failed.',
  labels: { check: 'the name of the check' },
  across: 'max',
})

const db_connections = gauge({
  name: 'plaza_db_connections',
  help: 'Connections to the database. `waiting` counts calls that wait for a connection.',
  labels: {
    pool:
      '`transactions`, `patient` (calls that met a lock), `shared` (single statements), `batches` (of the batchers), `locks` ' +
      '(who keeps a row locked)',
    state: '`active`, `idle`, or `waiting` in the first two',
  },
  across: 'sum',
})

const cache_entries = gauge({
  name: 'plaza_cache_entries',
  help: 'Entries in memory.',
  labels: { cache: 'the cache: `tokens` or `sessions`' },
  across: 'sum',
})

const invalidation_connected = gauge({
  name: 'plaza_invalidation_connected',
  help: '1 if this process receives the invalidations of other processes, otherwise 0. While it is 0, caches are not used.',
  across: 'min',
})

const events_readers = gauge({
  name: 'plaza_events_readers',
  help: 'Event streams that are open.',
  across: 'sum',
})

const jobs = gauge({
  name: 'plaza_jobs',
  help: 'Background jobs of the whole installation.',
  labels: { state: '`due`, `scheduled` (for later, or to be tried again), `running`, `failed` (for good)' },
  across: 'max',
})

const job_oldest = gauge({
  name: 'plaza_job_oldest_seconds',
  help: 'For how long the job that is due for longest has waited; 0 where none is due.',
  across: 'max',
})

const ledger_check_age = gauge({
  name: 'plaza_ledger_check_age_seconds',
  help: 'Time since the books were last checked; before the first check, since the installation or upgrade.',
  across: 'max',
})

const ledger_balanced = gauge({
  name: 'plaza_ledger_balanced',
  help: '1 if the last check of the ledger found no errors, otherwise 0. Absent before the first check.',
  across: 'min',
})

const status_values: Record<CheckStatus, number> = { ok: 0, degraded: 1, failed: 2 }

/** Values that need a query are read at most once in this time, however often they are scraped. */
const query_ms = 5_000

/** Shares one query among several gauges. */
function sharedQuery<Result>(query: () => Promise<Result>): () => Promise<Result> {
  let last: { at: number; result: Result } | undefined
  const run = singleFlight(async () => {
    const result = await query()
    last = { at: performance.now(), result }
    return result
  })
  return async () => (last && performance.now() - last.at < query_ms ? last.result : run())
}

/** Publishes what this process runs and if it is ready, from its start on. Returns a function that stops this. */
export function startProcessGauges(readiness: Readiness) {
  const ended = [
    build_info.read(() => [{ labels: { version: package_version, node: process.version }, value: 1 }]),
    ready.read(async () => Number((await readiness.report()).is_ready)),
    check_status.read(async () =>
      (await readiness.report()).checks.map(({ name, status }) => ({
        labels: { check: name },
        value: status_values[status],
      })),
    ),
  ]
  return async () => ended.forEach((end) => end())
}

interface GaugeSources {
  app: App
  db: Database
  clock: Clock
}

/** Publishes the state of the application and of the installation; returns a function that stops this. */
export function startGauges({ app, db, clock }: GaugeSources) {
  const jobCounts = sharedQuery(() => countJobs(db.adHoc))
  const deploymentCounts = sharedQuery(() => countByStatus(db.adHoc))
  const ledgerCheck = sharedQuery(() => lastLedgerCheck({ db }))
  const ended = [
    db_connections.read(db.connections),
    cache_entries.read(() =>
      Object.entries(app.caches).map(([cache, { size }]) => ({ labels: { cache }, value: size() })),
    ),
    invalidation_connected.read(() => Number(app.invalidations.isConnected())),
    events_readers.read(app.streams),
    jobs.read(async () => byLabel('state', await jobCounts().then(({ oldest_seconds: _, ...counts }) => counts))),
    job_oldest.read(async () => (await jobCounts()).oldest_seconds),
    ledger_check_age.read(async () => {
      const { since, checked_at } = await ledgerCheck()
      return (clock().getTime() - (checked_at ?? since).getTime()) / 1_000
    }),
    ledger_balanced.read(async () => {
      const { balanced } = await ledgerCheck()
      return balanced === null ? undefined : Number(balanced)
    }),
    deployments.read(async () => byLabel('status', await deploymentCounts())),
  ]
  return async () => ended.forEach((end) => end())
}

/** A reading with one sample for each key. */
const byLabel = <Label extends string>(label: Label, values: Record<string, number>) =>
  Object.entries(values).map(([key, value]) => ({ labels: { [label]: key } as Record<Label, string>, value }))
