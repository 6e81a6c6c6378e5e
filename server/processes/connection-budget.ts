import type { Logger } from '../platform/log.ts'
import type { Database } from '../platform/postgres/database.ts'

/** The connections of DATABASE_CONNECTIONS that a process opens in addition to its two pools; see platform/postgres/README.md. */
const connections_beside_pools = 17
/** With fewer connections, a pool could not run jobs and transactions at the same time. */
export const connections_min = connections_beside_pools + 5
export const connections_default = connections_beside_pools + 13
/** Connections other than the service's: commands, a backup, a person with psql. */
const spare_connections = 10

interface Budget {
  /** API processes of this installation; undefined for a single process without supervision. */
  processes: number | undefined
  database_connections: number
}

/** The sizes of both pools of a process. */
export function poolSizes({ database_connections }: Pick<Budget, 'database_connections'>) {
  const pools = database_connections - connections_beside_pools
  const patient_size = Math.min(4, Math.floor(pools / 3))
  return { pool_size: pools - patient_size, patient_size }
}

/** The maximum of connections of all processes, including a successor while one is replaced. */
export const connectionsOfAll = ({ processes = 0, database_connections }: Budget) =>
  (processes + 1) * database_connections + spare_connections

interface ServerLimits {
  /** The maximum of connections of this user to this database. */
  allowed: number
  /** Connections of other clients. */
  used_by_others: number
}

async function readLimits(db: Database): Promise<ServerLimits> {
  const [limits] = await db.adHoc.sql<ServerLimits>`
    select least(
             current_setting('max_connections')::integer
               - current_setting('superuser_reserved_connections')::integer
               - coalesce(current_setting('reserved_connections', true)::integer, 0),
             (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
             (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
           ) as allowed,
           (select count(*)::integer from pg_stat_activity
             where datid is not null and coalesce(application_name, '') not like 'plaza%') as used_by_others`
  return limits as ServerLimits
}

/**
 * Compares the connections that the processes may open with the server's limit. Fails if PROCESSES requires more than there can ever be;
 * warns if connections may run out.
 */
export async function checkConnectionBudget(db: Database, budget: Budget, log: Logger) {
  const { processes, database_connections } = budget
  const { allowed, used_by_others } = await readLimits(db)
  const wanted = (processes ?? 1) * database_connections
  const remedy = 'raise max_connections of the server, or lower PROCESSES or DATABASE_CONNECTIONS'
  if (processes !== undefined && wanted > allowed)
    throw new Error(
      `PROCESSES=${processes} with DATABASE_CONNECTIONS=${database_connections} may open ${wanted} connections to the ` +
        `database, and it allows ${allowed}: ${remedy}.`,
    )
  const with_successor = wanted + (processes === undefined ? 0 : database_connections)
  if (with_successor > allowed - used_by_others)
    log.warn(
      { may_open: with_successor, allowed, used_by_others },
      `connections to the database may run out, above all while a process is replaced: ${remedy}`,
    )
}
