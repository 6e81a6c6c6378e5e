import { theValue } from './rows.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { InvalidationBus } from '../batching/invalidation-bus.ts'
import type { Logger } from '../log.ts'
import type { CheckResult } from '../readiness.ts'
import type { ConnectionConfig } from './connection.ts'
import { isDatabaseUnavailable, sqlState } from './errors.ts'
import { PipelinedConnectionGroup } from './pipelined-connection.ts'
import type { Reads, ReadOptions, ReadSide } from './reads.ts'
import { ReplicaFreshness } from './replica-freshness.ts'
import type { Sql } from './statements.ts'

export interface Replica extends Reads {
  /** For readyz: degraded while reads use the primary. */
  check(): CheckResult
  /** The replica's lag in seconds; undefined if unknown. */
  lagSeconds(): number | undefined
  close(): Promise<void>
}

export interface ReplicaOptions {
  primary: Sql
  connection: ConnectionConfig
  /** The maximum age of data read on the replica. */
  lag_max_seconds: number
  invalidations: Pick<InvalidationBus, 'version' | 'isConnected' | 'invalidatedSince'>
  log: Logger
  /** Called for every read with the side that answered it. */
  onRead?(side: ReadSide): void
}

/** The server of DATABASE_REPLICA_URL holds another database than DATABASE_URL. */
export class NotAReplica extends Error {}

const check_ms = 1_000
/** A replica that does not answer within this time is no longer used; the primary answers. */
const silence_ms = 2_500
const read_connections = 2

interface PrimaryPosition {
  lsn: string
  timeline: number
  system: string
  database: number
}

type ReplicaPosition = Omit<PrimaryPosition, 'lsn'> & { lsn: string | null; is_standby: boolean }

const positionOfPrimary = (db: Sql) =>
  db.sql<PrimaryPosition>`
    select (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as lsn,
           ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer as timeline,
           (select system_identifier::text from pg_control_system()) as system,
           (select oid::bigint from pg_database where datname = current_database()) as database`

/** A position of the primary's WAL after everything that was committed before the call. */
export const readPosition = (primary: Sql): Promise<string> =>
  theValue(primary.sql<{ lsn: string }>`
    select pg_current_wal_lsn()::text as lsn`)

/** True if a replica shows everything up to this position. */
export async function hasReplayed(replica: Sql, lsn: string): Promise<boolean> {
  const [row] = await replica.sql<{
    is_there: boolean | null
  }>`select pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as is_there`
  return row?.is_there === true
}

/** A standby that follows a former primary is on another timeline than the current one. */
const positionOfReplica = (db: Sql) =>
  db.sql<ReplicaPosition>`
    select pg_is_in_recovery() as is_standby,
           (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text as lsn,
           coalesce((select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint())) as timeline,
           (select system_identifier::text from pg_control_system()) as system,
           (select oid::bigint from pg_database where datname = current_database()) as database`

class MonitoredReplica implements Replica {
  private readonly options: ReplicaOptions
  private readonly lanes: PipelinedConnectionGroup
  private readonly probe: PipelinedConnectionGroup
  private readonly freshness = new ReplicaFreshness()
  private readonly stopping = new AbortController()
  /** The reason why the replica is not used, if any. */
  private fault: string | undefined = 'it was not checked yet'
  private is_logged_as_used = false

  constructor(options: ReplicaOptions) {
    this.options = options
    const connection = { ...options.connection, application_name: 'plaza-replica', connectionTimeoutMillis: silence_ms }
    this.lanes = new PipelinedConnectionGroup({ connection, silence_ms, lock_ms: silence_ms }, read_connections)
    this.probe = new PipelinedConnectionGroup({ connection, silence_ms, lock_ms: silence_ms }, 1)
  }

  async read<Result>(work: (db: Sql) => Promise<Result>, { tags = [], isCurrent }: ReadOptions = {}): Promise<Result> {
    const { primary, onRead } = this.options
    if (this.mayAnswer(tags))
      try {
        if (!isCurrent || (await isCurrent(this.lanes))) {
          const result = await work(this.lanes)
          onRead?.('replica')
          return result
        }
      } catch (error) {
        // Whatever failed on the replica, such as a statement that needs a later migration, the primary decides.
        if (isDatabaseUnavailable(error)) this.setFault('it cannot be reached')
      }
    onRead?.('primary')
    return work(primary)
  }

  /** True if the replica's data is recent enough, also for these tags. */
  private mayAnswer(tags: readonly string[]) {
    const { lag_max_seconds, invalidations } = this.options
    const { newest } = this.freshness
    if (this.fault !== undefined || !newest || performance.now() - newest.at_ms > lag_max_seconds * 1_000) return false
    if (tags.length === 0) return true
    return invalidations.isConnected() && !invalidations.invalidatedSince(newest.version, tags)
  }

  check(): CheckResult {
    if (this.fault !== undefined) return { status: 'degraded', reason: this.fault }
    return this.mayAnswer([])
      ? { status: 'ok' }
      : { status: 'degraded', reason: 'it is behind by more than REPLICA_LAG_MAX' }
  }

  readonly lagSeconds = () => {
    const lag_ms = this.freshness.lagMs()
    return lag_ms === undefined ? undefined : lag_ms / 1_000
  }

  /** Checks about every second until `close`. */
  async keepChecking() {
    const { signal } = this.stopping
    const { lag_max_seconds } = this.options
    while (!signal.aborted) {
      await pause(Math.min(check_ms, lag_max_seconds * 250), undefined, { signal }).catch(() => {})
      if (!signal.aborted) await this.checkOnce().catch((error: unknown) => this.setFault(reasonOf(error)))
    }
  }

  /** Compares both positions. Throws `NotAReplica`; any other fault is stored. */
  async checkOnce() {
    const { primary, invalidations, lag_max_seconds } = this.options
    const [version, at_ms] = [invalidations.version(), performance.now()]
    const [here] = await positionOfPrimary(primary).catch((): PrimaryPosition[] => [])
    if (here) this.freshness.add({ lsn: BigInt(here.lsn), at_ms, version })
    this.freshness.dropBefore(at_ms - 2_000 * lag_max_seconds)
    let there: ReplicaPosition | undefined
    try {
      ;[there] = await positionOfReplica(this.probe)
    } catch (error) {
      if (isRefusal(error) || !isDatabaseUnavailable(error)) throw error
    }
    if (!there) return this.setFault('it cannot be reached')
    if (!here) return this.setFault('the primary does not answer')
    if (there.system !== here.system || there.database !== here.database)
      throw new NotAReplica('it holds another database')
    const fault = faultOf(here, there)
    // The replica may show data that the primary never had.
    if (fault !== undefined) this.freshness.forget()
    else this.freshness.replayed(BigInt(there.lsn ?? 0))
    this.setFault(fault)
  }

  private setFault(fault: string | undefined) {
    this.fault = fault
    const { log } = this.options
    const { status, reason } = this.check()
    const is_used = status === 'ok'
    if (is_used === this.is_logged_as_used) return
    this.is_logged_as_used = is_used
    if (is_used) log.info('the replica of DATABASE_REPLICA_URL is asked')
    else log.warn({ reason }, 'the replica of DATABASE_REPLICA_URL is not asked: the primary is')
  }

  readonly close = async () => {
    this.stopping.abort()
    await Promise.all([this.lanes.close(), this.probe.close()])
  }
}

/** A wrong user, password or database. */
const isRefusal = (error: unknown) => /^(28|3D)/.test(sqlState(error) ?? '')

/** For the public: without PostgreSQL's message, which names users and databases. */
const reasonOf = (error: unknown) => (error instanceof NotAReplica ? error.message : 'it refuses the question')

function faultOf(here: PrimaryPosition, there: ReplicaPosition) {
  if (!there.is_standby) return 'it is no standby: it was promoted'
  if (there.timeline !== here.timeline) return 'it follows another primary'
  return undefined
}

/**
 * Opens the replica and measures its lag continuously. While it cannot be reached or lags too far, it is not used. Fails if its server
 * refuses this user or has another database (`NotAReplica`).
 */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const replica = new MonitoredReplica(options)
  try {
    await replica.checkOnce()
  } catch (error) {
    await replica.close()
    throw error
  }
  const { status, reason } = replica.check()
  if (status !== 'ok') options.log.warn({ reason }, 'the replica of DATABASE_REPLICA_URL is not asked: the primary is')
  void replica.keepChecking()
  return replica
}
