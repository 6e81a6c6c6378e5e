import { firstRow, type Sql, type Tx } from '../../platform/postgres/database.ts'

export interface RegistryRootRow {
  id: string
  /** PEM. */
  certificate: string
  /** The private key in PKCS #8, sealed with the id as context. */
  sealed: Buffer
}

export const findRoot = (db: Sql): Promise<RegistryRootRow | undefined> =>
  firstRow(db.sql<RegistryRootRow>`
    select id, certificate, sealed from registry_roots order by id desc limit 1`)

/** Locks out other processes that would create a root, until the transaction ends. */
export const lockRoots = (tx: Tx) => tx.sql`lock table registry_roots in share row exclusive mode`

/** Makes this the only root. */
export async function replaceRoots(tx: Tx, root: RegistryRootRow, now: Date) {
  await tx.sql`delete from registry_roots`
  await tx.sql`
    insert into registry_roots (id, certificate, sealed, inserted_at)
    values (${root.id}, ${root.certificate}, ${root.sealed}, ${now})`
}
