import type { Sql } from '../../platform/postgres/database.ts'
import type { SealedChange, SealedRow } from '../../platform/sealed-rows.ts'

/** The key ids of all environments, each found by one index probe. */
export async function listEnvKeyIds(db: Sql) {
  const rows = await db.sql<{ key_id: Buffer }>`
    with recursive ids(key_id) as (
      (select substring(sealed_env from 1 for 4) from deployments
        where sealed_env <> '' order by substring(sealed_env from 1 for 4) limit 1)
      union all
      select (select substring(d.sealed_env from 1 for 4) from deployments d
               where substring(d.sealed_env from 1 for 4) > i.key_id and d.sealed_env <> ''
               order by substring(d.sealed_env from 1 for 4) limit 1)
        from ids i where i.key_id is not null
    )
    select key_id from ids where key_id is not null`
  return rows.map(({ key_id }) => key_id)
}

export async function countEnvsSealedWith(db: Sql, key_id: Buffer) {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from deployments
     where substring(sealed_env from 1 for 4) = ${key_id} and sealed_env <> ''`
  return row?.count ?? 0
}

export const listSealedEnvs = (
  db: Sql,
  { key_id, after, rows_max }: { key_id: Buffer; after: string; rows_max: number },
) =>
  db.sql<SealedRow>`
    select id, sealed_env as sealed, substring(sealed_env from 1 for 4) as key_id from deployments
     where substring(sealed_env from 1 for 4) = ${key_id} and sealed_env <> '' and id > ${after}
     order by id limit ${rows_max}`

/** Replaces environments that are unchanged; skips locked rows. */
export async function replaceSealedEnvs(db: Sql, changes: readonly SealedChange[]) {
  const ids = changes.map(({ id }) => id)
  const rows = await db.sql`
    with free as (
      select id from deployments where id = any(${ids}::uuid[]) order by id for no key update skip locked
    )
    update deployments d
       set sealed_env = c.sealed
      from free,
           unnest(${ids}::uuid[], ${changes.map(({ old }) => old)}::bytea[],
                  ${changes.map(({ sealed }) => sealed)}::bytea[]) c(id, old, sealed)
     where d.id = free.id and d.id = c.id and d.sealed_env = c.old
    returning d.id`
  return rows.length
}

/** Custom domains, verified or not. */
export async function countCustomDomains(db: Sql) {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from deployments where custom_domain is not null and status <> 'destroyed'`
  return row?.count ?? 0
}
