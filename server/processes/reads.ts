import type { Config, ReplicaConfig } from '../config.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import type { Logger } from '../platform/log.ts'
import { counter, gauge } from '../platform/metrics/metrics.ts'
import type { Database } from '../platform/postgres/database.ts'
import { onPrimary, type Reads } from '../platform/postgres/reads.ts'
import { NotAReplica, openReplica, type Replica, type ReplicaOptions } from '../platform/postgres/replica.ts'
import type { Readiness } from '../platform/readiness.ts'
import { connectionTo, describeDatabase, explainDatabaseError } from './database-source.ts'
import type { Shutdown } from './shutdown.ts'

interface ReadsParts {
  config: Config
  db: Database
  invalidations: InvalidationBus
  log: Logger
  readiness: Readiness
  shutdown: Shutdown
}

const setting = 'DATABASE_REPLICA_URL'

const replica_lag = gauge({
  name: 'plaza_replica_lag_seconds',
  help: 'By how much the replica of `DATABASE_REPLICA_URL` is behind; absent while that is not known.',
  across: 'max',
})

const reads_total = counter({
  name: 'plaza_reads_total',
  help: 'Reads that may be answered by the replica of `DATABASE_REPLICA_URL`, where there is one.',
  labels: { side: 'which answered: `replica` or `primary`' },
})

/** Opens the replica of DATABASE_REPLICA_URL if it is set. Without it, or without the API role, reads use the primary. */
export async function openReads({ config, db, invalidations, log, readiness, shutdown }: ReadsParts): Promise<Reads> {
  const { replica_url, replica_lag_max_seconds, roles } = config
  if (replica_url === undefined || !roles.includes('api')) return onPrimary(db)
  const sides = { replica: reads_total.with({ side: 'replica' }), primary: reads_total.with({ side: 'primary' }) }
  const replica = await openReplicaAt(replica_url, {
    primary: db,
    lag_max_seconds: replica_lag_max_seconds,
    invalidations,
    log,
    onRead: (side) => sides[side].add(),
  })
  shutdown.add(replica.close)
  const endGauge = replica_lag.read(replica.lagSeconds)
  shutdown.add(async () => endGauge())
  readiness.add('replica', () => replica.check())
  return replica
}

/** Opens the replica at this URL. Fails with a message that names the setting and no password. */
const openReplicaAt = (replica_url: string, options: Omit<ReplicaOptions, 'connection'>): Promise<Replica> =>
  openReplica({ ...options, connection: connectionTo(replica_url) }).catch((error: unknown) => {
    throw explainReplicaError(error, replica_url)
  })

/** A command does not listen for invalidations, so its reads with tags use the primary. */
const not_listening: ReplicaOptions['invalidations'] = {
  version: () => 0,
  isConnected: () => false,
  invalidatedSince: () => true,
}

/** Runs `work` with a command's reads: on the replica of DATABASE_REPLICA_URL if it is set, as `openReads` does. */
export async function withReads<Result>(
  { config, db, log }: { config: ReplicaConfig; db: Database; log: Logger },
  work: (reads: Reads) => Promise<Result>,
): Promise<Result> {
  const { replica_url, replica_lag_max_seconds: lag_max_seconds } = config
  // A command plans each statement for its values, including those that it sends to the primary instead.
  const primary = db.adHoc
  if (replica_url === undefined) return work(onPrimary(primary))
  const replica = await openReplicaAt(replica_url, { primary, lag_max_seconds, invalidations: not_listening, log })
  try {
    return await work(replica)
  } finally {
    await replica.close()
  }
}

function explainReplicaError(error: unknown, replica_url: string) {
  const explained = explainDatabaseError(error, { database_url: replica_url, setting })
  if (explained !== error || !(error instanceof Error)) return explained
  const server = `${setting} (${describeDatabase(replica_url)})`
  const why =
    error instanceof NotAReplica
      ? `is no replica of DATABASE_URL: ${error.message}`
      : `does not say how far it is behind: ${error.message}`
  return new Error(`${server} ${why}.`, { cause: error })
}
