import { hasRows, type Sql } from '../../../platform/postgres/database.ts'
import type { KnownSource } from './output-source.rules.ts'

/** Acquires or renews the lease for collecting a host's output; false if another worker holds it. Times are the database's. */
export const leaseCollecting = (db: Sql, { host, owner, seconds }: { host: string; owner: string; seconds: number }) =>
  hasRows(db.sql`
    insert into deploy_output_collectors as held (host, owner, lease_until)
    values (${host}, ${owner}, now() + make_interval(secs => ${seconds}))
    on conflict (host) do update set owner = excluded.owner, lease_until = excluded.lease_until
     where held.owner = excluded.owner or held.lease_until < now()
    returning host`)

export const endCollecting = (db: Sql, { host, owner }: { host: string; owner: string }) =>
  db.sql`delete from deploy_output_collectors where host = ${host} and owner = ${owner}`

interface SourceRow {
  id: number
  deployment_id: string
  source: string
  next_number: number
  stdout_at: string
  stdout_count: number
  stderr_at: string
  stderr_count: number
  dropped: number
}

export interface StoredSource extends KnownSource {
  deployment_id: string
  source: string
}

const storedSource = (row: SourceRow): StoredSource => ({
  ...row,
  stdout: { at: BigInt(row.stdout_at), count: row.stdout_count },
  stderr: { at: BigInt(row.stderr_at), count: row.stderr_count },
})

/** The state of the sources of these deployments. */
export const findSources = async (db: Sql, deployment_ids: readonly string[]) =>
  (
    await db.sql<SourceRow>`
      select id, deployment_id, source, next_number, stdout_at::text, stdout_count, stderr_at::text, stderr_count, dropped
        from deploy_output_sources
       where deployment_id = any(${deployment_ids}::uuid[])`
  ).map(storedSource)

/** Records that these sources still exist. A source that no longer exists is deleted with its last line. */
export const touchSources = (db: Sql, ids: readonly number[]) =>
  db.sql`update deploy_output_sources set seen_at = now() where id = any(${ids}::bigint[])`

export interface NewSource {
  deployment_id: string
  source: string
  replica: number
  generation: number
}

/** Creates the rows of new sources of existing deployments, each with the release that it was started for; returns them. */
export const registerSources = async (db: Sql, sources: readonly NewSource[]) =>
  (
    await db.sql<SourceRow>`
      insert into deploy_output_sources as known (deployment_id, source, replica, generation, release)
      select g.deployment_id, g.source, g.replica, g.generation,
             (select r.number from deploy_releases r
               where r.deployment_id = d.id
                 and case when g.generation = d.generation then r.is_target else r.status = 'current' end
               order by r.number desc limit 1)
        from unnest(${sources.map((each) => each.deployment_id)}::uuid[], ${sources.map((each) => each.source)}::text[],
                    ${sources.map((each) => each.replica)}::integer[], ${sources.map((each) => each.generation)}::integer[])
             as g(deployment_id, source, replica, generation)
        join deployments d on d.id = g.deployment_id
       order by g.deployment_id, g.source
      on conflict (deployment_id, source) do update set seen_at = now()
      returning id, deployment_id, source, next_number, stdout_at::text, stdout_count, stderr_at::text, stderr_count, dropped`
  ).map(storedSource)

/** A part of the output to write. With `lines` 0 only the position changes. */
export interface WrittenPart {
  source_id: number
  /** The number of the next line as the writer knows it. */
  next_number: number
  /** The number of new lines. */
  added: number
  stdout_at: bigint
  stdout_count: number
  stderr_at: bigint
  stderr_count: number
  dropped: number
  /** The number of its first line: lower than `next_number` if it replaces earlier small parts. */
  first_number: number
  lines: number
  bytes: number
  first_at: bigint
  last_at: bigint
  data: Buffer
}

/**
 * Writes parts and the positions after them, in one statement. Skips a source whose next number differs, because
 * another worker has written to it. Returns the ids of the written sources.
 */
export const writeParts = async (db: Sql, parts: readonly WrittenPart[]) =>
  (
    await db.sql<{ id: number }>`
      with given as (
        select * from unnest(
          ${parts.map((each) => each.source_id)}::bigint[], ${parts.map((each) => each.next_number)}::bigint[],
          ${parts.map((each) => each.added)}::integer[],
          ${parts.map((each) => String(each.stdout_at))}::bigint[], ${parts.map((each) => each.stdout_count)}::integer[],
          ${parts.map((each) => String(each.stderr_at))}::bigint[], ${parts.map((each) => each.stderr_count)}::integer[],
          ${parts.map((each) => each.dropped)}::bigint[], ${parts.map((each) => each.first_number)}::bigint[],
          ${parts.map((each) => each.lines)}::integer[], ${parts.map((each) => each.bytes)}::integer[],
          ${parts.map((each) => String(each.first_at))}::bigint[], ${parts.map((each) => String(each.last_at))}::bigint[],
          ${parts.map((each) => each.data)}::bytea[])
          as g(source_id, next_number, added, stdout_at, stdout_count, stderr_at, stderr_count, dropped, first_number, lines,
               bytes, first_at, last_at, data)
      ), moved as (
        update deploy_output_sources s
           set next_number = g.next_number + g.added, stdout_at = g.stdout_at, stdout_count = g.stdout_count,
               stderr_at = g.stderr_at, stderr_count = g.stderr_count, dropped = g.dropped
          from given g
         where s.id = g.source_id and s.next_number = g.next_number
        returning s.id, s.deployment_id
      ), replaced as (
        delete from deploy_output o using moved m, given g
         where o.source_id = m.id and g.source_id = m.id and g.lines > 0
           and o.first_number >= g.first_number and o.first_number < g.next_number
      ), written as (
        insert into deploy_output (deployment_id, source_id, first_number, lines, bytes, first_at, last_at, data)
        select m.deployment_id, m.id, g.first_number, g.lines, g.bytes, g.first_at, g.last_at, g.data
          from given g join moved m on m.id = g.source_id
         where g.lines > 0
         order by m.id
      )
      select id from moved`
  ).map(({ id }) => id)

interface KeptBounds {
  lines_max: number
  bytes_max: number
}

/** Deletes the oldest parts of deployments that exceed these limits. */
export const trimOutput = (db: Sql, deployment_ids: readonly string[], { lines_max, bytes_max }: KeptBounds) =>
  db.sql`
    with full_ones as (
      select deployment_id from deploy_output
       where deployment_id = any(${deployment_ids}::uuid[])
       group by deployment_id
      having sum(lines) > ${lines_max} or sum(bytes) > ${bytes_max}
    ), counted as (
      select seq, lines, bytes,
             sum(lines) over newer_first as lines_to, sum(bytes) over newer_first as bytes_to
        from deploy_output where deployment_id in (select deployment_id from full_ones)
      window newer_first as (partition by deployment_id order by last_at desc, seq desc)
    )
    delete from deploy_output where seq in (
      select seq from counted where lines_to > ${lines_max} or bytes_to > ${bytes_max})`
