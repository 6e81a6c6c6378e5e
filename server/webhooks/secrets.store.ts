import type { Sql } from '../platform/postgres/database.ts'
import type { SealedChange, SealedRow } from '../platform/sealed-rows.ts'

/** The key ids of all webhook secrets, each found by one index probe. */
export async function listSecretKeyIds(db: Sql) {
  const rows = await db.sql<{ key_id: Buffer }>`
    with recursive ids(key_id) as (
      (select substring(sealed from 1 for 4) from webhook_secrets order by substring(sealed from 1 for 4) limit 1)
      union all
      select (select substring(s.sealed from 1 for 4) from webhook_secrets s
               where substring(s.sealed from 1 for 4) > i.key_id
               order by substring(s.sealed from 1 for 4) limit 1)
        from ids i where i.key_id is not null
    )
    select key_id from ids where key_id is not null`
  return rows.map(({ key_id }) => key_id)
}

export async function countSecretsSealedWith(db: Sql, key_id: Buffer) {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from webhook_secrets where substring(sealed from 1 for 4) = ${key_id}`
  return row?.count ?? 0
}

export const listSealedSecrets = (
  db: Sql,
  { key_id, after, rows_max }: { key_id: Buffer; after: string; rows_max: number },
) =>
  db.sql<SealedRow>`
    select id, sealed, substring(sealed from 1 for 4) as key_id from webhook_secrets
     where substring(sealed from 1 for 4) = ${key_id} and id > ${after}
     order by id limit ${rows_max}`

/** Replaces secrets that are unchanged; skips locked rows. */
export async function replaceSealedSecrets(db: Sql, changes: readonly SealedChange[]) {
  const ids = changes.map(({ id }) => id)
  const rows = await db.sql`
    with free as (
      select id from webhook_secrets where id = any(${ids}::uuid[]) order by id for no key update skip locked
    )
    update webhook_secrets s
       set sealed = c.sealed
      from free,
           unnest(${ids}::uuid[], ${changes.map(({ old }) => old)}::bytea[],
                  ${changes.map(({ sealed }) => sealed)}::bytea[]) c(id, old, sealed)
     where s.id = free.id and s.id = c.id and s.sealed = c.old
    returning s.id`
  return rows.length
}
