import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { SealedChange, SealedRow } from '../../platform/sealed-rows.ts'

export interface RegistryRootRow {
  id: string
  /** PEM. */
  certificate: string
  /** The private key in PKCS #8, sealed in the context of the id. */
  sealed: Buffer
}

export async function findRoot(db: Sql): Promise<RegistryRootRow | undefined> {
  const [row] = await db.sql<RegistryRootRow>`
    select id, certificate, sealed from registry_roots order by id desc limit 1`
  return row
}

/** Lets one process at a time make a root, until the transaction ends. */
export const lockRoots = (tx: Tx) => tx.sql`lock table registry_roots in share row exclusive mode`

/** Makes this the only root. */
export async function replaceRoots(tx: Tx, root: RegistryRootRow, now: Date) {
  await tx.sql`delete from registry_roots`
  await tx.sql`
    insert into registry_roots (id, certificate, sealed, inserted_at)
    values (${root.id}, ${root.certificate}, ${root.sealed}, ${now})`
}

// For the rotation of SECRET_KEYS

export async function listRootKeyIds(db: Sql) {
  const rows = await db.sql<{ key_id: Buffer }>`
    select distinct substring(sealed from 1 for 4) as key_id from registry_roots order by 1`
  return rows.map(({ key_id }) => key_id)
}

export async function countRootsSealedWith(db: Sql, key_id: Buffer) {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from registry_roots where substring(sealed from 1 for 4) = ${key_id}`
  return row?.count ?? 0
}

export const listSealedRoots = (
  db: Sql,
  { key_id, after, rows_max }: { key_id: Buffer; after: string; rows_max: number },
) =>
  db.sql<SealedRow>`
    select id, sealed, substring(sealed from 1 for 4) as key_id from registry_roots
     where substring(sealed from 1 for 4) = ${key_id} and id > ${after}
     order by id limit ${rows_max}`

/** Replaces private keys that are unchanged. */
export async function replaceSealedRoots(db: Sql, changes: readonly SealedChange[]) {
  const rows = await db.sql`
    update registry_roots r set sealed = c.sealed
      from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ old }) => old)}::bytea[],
                  ${changes.map(({ sealed }) => sealed)}::bytea[]) c(id, old, sealed)
     where r.id = c.id and r.sealed = c.old
    returning r.id`
  return rows.length
}
