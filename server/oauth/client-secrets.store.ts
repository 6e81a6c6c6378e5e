import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import type { AppRow } from './apps.store.ts'

export interface SecretRow {
  id: string
  hint: string
  inserted_at: Date
  last_used_at: Date | null
}

/** Adds a secret if the app has fewer than `secrets_max`. The lock on the app's row makes parallel calls count one after another. */
export async function insertSecret(
  tx: Tx,
  { id, app_id, secret_hash, hint, now, secrets_max }: NewSecret,
): Promise<SecretRow | undefined> {
  await tx.sql`select id from oauth_apps where id = ${app_id} for update`
  const [row] = await tx.sql<SecretRow>`
    insert into app_secrets (id, app_id, secret_hash, hint, inserted_at)
    select ${id}, ${app_id}, ${secret_hash}, ${hint}, ${now}
     where (select count(*) from app_secrets where app_id = ${app_id}) < ${secrets_max}
    returning id, hint, inserted_at, last_used_at`
  return row
}
interface NewSecret {
  id: string
  app_id: string
  secret_hash: Buffer
  hint: string
  now: Date
  secrets_max: number
}

export const listAppSecrets = (db: Sql, app_id: string) =>
  db.sql<SecretRow>`
    select id, hint, inserted_at, last_used_at from app_secrets where app_id = ${app_id} order by inserted_at desc, id desc`

export async function deleteAppSecret(db: Sql, app_id: string, secret_id: string) {
  const rows = await db.sql`delete from app_secrets where id = ${secret_id} and app_id = ${app_id} returning id`
  return rows.length > 0
}

/** An app by client_id, with the id of its secret with this hash, if there is one. */
export async function findClient(db: Sql, client_id: string, secret_hash: Buffer | null) {
  const [row] = await db.sql<AppRow & { secret_id: string | null; secret_last_used_at: Date | null }>`
    select a.*, s.id as secret_id, s.last_used_at as secret_last_used_at
      from oauth_apps a left join app_secrets s on s.app_id = a.id and s.secret_hash = ${secret_hash}
     where a.client_id = ${client_id}`
  return row
}

export interface ClientRow {
  client_id: string
  secret_hash: Buffer
  app_id: string
  owner_id: string
  is_approved: boolean
  allowed_scopes: Scope[]
  secret_id: string
  last_used_at: Date | null
}

/** The apps that these secrets belong to, in any order; a pair of client_id and secret that does not exist has no row. */
export const findClients = (db: Sql, pairs: readonly Pick<ClientRow, 'client_id' | 'secret_hash'>[]) =>
  db.sql<ClientRow>`
    select a.client_id, s.secret_hash, a.id as app_id, a.owner_id, a.is_approved, a.allowed_scopes, s.id as secret_id,
           s.last_used_at
      from unnest(${pairs.map((pair) => pair.client_id)}::text[], ${pairs.map((pair) => pair.secret_hash)}::bytea[])
           wanted(client_id, secret_hash)
     -- The limits force index lookups: a join would read small tables as a whole, and keep that plan as they grow.
     cross join lateral (select * from oauth_apps where client_id = wanted.client_id limit 1) a
     cross join lateral (
       select * from app_secrets where app_id = a.id and secret_hash = wanted.secret_hash limit 1
     ) s`

export const recordSecretUse = (db: Sql, secret_id: string, now: Date) =>
  db.sql`update app_secrets set last_used_at = ${now} where id = ${secret_id}`
