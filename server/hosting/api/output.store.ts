import type { Purge } from '../../platform/erasure.ts'
import { countRows, type Sql } from '../../platform/postgres/database.ts'

export interface OutputSourceRow {
  id: number
  replica: number
  release: number | null
  next_number: number
}

/** The containers whose output is or was stored. */
export const listOutputSources = (db: Sql, deployment_id: string) =>
  db.sql<OutputSourceRow>`
    select id, replica, release, next_number from deploy_output_sources where deployment_id = ${deployment_id}`

export interface OutputPart {
  seq: number
  source_id: number
  first_number: number
  /** Nanoseconds since 1970, as text. */
  last_at: string
  data: Buffer
}

export interface PartsQuery {
  deployment_id: string
  /** Nanoseconds, both inclusive. */
  from: bigint
  to: bigint
  /** Only this replica; null for all. */
  replica: number | null
  /** The last part that was read; undefined for the first page. */
  before: Pick<OutputPart, 'last_at' | 'seq'> | undefined
  rows_max: number
}

const end_of_time = '9223372036854775807'

/** Parts of the output that overlap a span of time, ordered by the time of their newest line, newest first. */
export const listPartsNewestFirst = (db: Sql, { deployment_id, from, to, replica, before, rows_max }: PartsQuery) =>
  db.sql<OutputPart>`
    select o.seq, o.source_id, o.first_number, o.last_at::text, o.data
      from deploy_output o
     where o.deployment_id = ${deployment_id}
       and (o.last_at, o.seq) < (${before?.last_at ?? end_of_time}::bigint, ${String(before?.seq ?? end_of_time)}::bigint)
       and o.last_at >= ${String(from)}::bigint and o.first_at <= ${String(to)}::bigint
       and (${replica}::integer is null
            or o.source_id in (select s.id from deploy_output_sources s
                                where s.deployment_id = ${deployment_id} and s.replica = ${replica}))
     order by o.last_at desc, o.seq desc
     limit ${rows_max}`

/** The parts that contain lines from these numbers on, for each source, oldest first. */
export const listPartsFrom = (db: Sql, known: readonly { source_id: number; number: number }[], rows_max: number) =>
  db.sql<OutputPart>`
    select o.seq, o.source_id, o.first_number, o.last_at::text, o.data
      from unnest(${known.map(({ source_id }) => source_id)}::bigint[], ${known.map(({ number }) => number)}::bigint[])
             as k(source_id, number)
      join deploy_output o on o.source_id = k.source_id and o.first_number + o.lines > k.number
     order by o.first_at, o.seq
     limit ${rows_max}`

export interface FollowedRow extends OutputSourceRow {
  deployment_id: string
}

/** The next line number of each source of these deployments. */
export const listSourcesOf = (db: Sql, deployment_ids: readonly string[]) =>
  db.sql<FollowedRow>`
    select id, deployment_id, replica, release, next_number from deploy_output_sources
     where deployment_id = any(${deployment_ids}::uuid[])`

/** Returns those of the given deployments that have stopped or failed and are not restarting. */
export const listStopped = (db: Sql, ids: readonly string[]) =>
  db.sql<{ id: string }>`
    select id from deployments where id = any(${ids}::uuid[]) and status in ('stopped', 'destroyed')`

/** Deletes parts whose newest line is older than `before`. */
export const purgeOldOutput: Purge = (db, { before, rows_max }) =>
  countRows(db.sql`
    delete from deploy_output where seq = any(array(
      select seq from deploy_output where last_at < ${String(BigInt(before.getTime()) * 1_000_000n)}::bigint
       order by last_at limit ${rows_max}::integer)) returning 1`)

/** Deletes the output of deployments that were destroyed before `before`. */
export const purgeDestroyedOutput: Purge = (db, { before, rows_max }) =>
  countRows(db.sql`
    delete from deploy_output where seq = any(array(
      select o.seq from deploy_output o
        join (select distinct s.deployment_id from deploy_output_sources s) s using (deployment_id)
        join deployments d on d.id = s.deployment_id and d.status = 'destroyed' and d.destroyed_at < ${before}
       limit ${rows_max}::integer)) returning 1`)

/** Deletes containers without stored output that no worker has seen since `before`. */
export const purgeSources: Purge = (db, { before, rows_max }) =>
  countRows(db.sql`
    delete from deploy_output_sources where id = any(array(
      select s.id from deploy_output_sources s
       where s.seen_at < ${before} and not exists (select from deploy_output o where o.source_id = s.id)
       order by s.seen_at limit ${rows_max}::integer)) returning 1`)
