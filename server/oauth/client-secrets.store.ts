import type { Static } from 'typebox'
import type { secret } from '../../contract/app-fields.ts'
import { firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import type { AppRow } from './apps.store.ts'
import type { SecretBounds } from './client-secrets.rules.ts'

export type SecretRow = Static<typeof secret>

/** Adds a secret if the app has fewer than `secrets_max`. The lock on the app's row serializes parallel calls. */
export async function insertSecret(tx: Tx, secret: NewSecret): Promise<SecretRow | undefined> {
  const { id, app_id, secret_hash, hint, maker_id, name, permissions, expires_at, allowed_addresses } = secret
  const { now, secrets_max } = secret
  await tx.sql`select id from oauth_apps where id = ${app_id} for update`
  return firstRow(tx.sql<SecretRow>`
    insert into app_secrets (
      id, app_id, secret_hash, hint, maker_id, name, permissions, expires_at, allowed_addresses, inserted_at)
    select ${id}, ${app_id}, ${secret_hash}, ${hint}, ${maker_id}, ${name}, ${permissions}::text[], ${expires_at},
           ${allowed_addresses}::text[], ${now}
     where (select count(*) from app_secrets where app_id = ${app_id}) < ${secrets_max}
    returning id, hint, name, permissions, expires_at, allowed_addresses, inserted_at, last_used_at, last_address,
              (select username from users where id = ${maker_id}) as maker_username`)
}
interface NewSecret extends SecretBounds, Pick<SecretRow, 'id' | 'hint' | 'name'> {
  app_id: string
  secret_hash: Buffer
  maker_id: string
  now: Date
  secrets_max: number
}

export const listAppSecrets = (db: Sql, app_id: string) =>
  db.sql<SecretRow>`
    select s.id, s.hint, s.name, s.permissions, s.expires_at, s.allowed_addresses, u.username as maker_username, s.inserted_at,
           s.last_used_at, s.last_address
      from app_secrets s left join users u on u.id = s.maker_id
     where s.app_id = ${app_id}
     order by s.inserted_at desc, s.id desc`

/** Deletes a secret; returns its hint and name. */
export const deleteAppSecret = (db: Sql, app_id: string, secret_id: string) =>
  firstRow(db.sql<{ hint: string; name: string | null }>`
    delete from app_secrets where id = ${secret_id} and app_id = ${app_id} returning hint, name`)

/** A secret that authenticates a call. */
interface UsedSecret extends SecretBounds {
  secret_id: string
  last_used_at: Date | null
}

/** An app by client_id, with the secret of this hash; the secret's columns are null if there is none. */
export const findClient = (db: Sql, client_id: string, secret_hash: Buffer | null) =>
  firstRow(db.sql<AppRow & (UsedSecret | Record<keyof UsedSecret, null>)>`
    select a.*, s.id as secret_id, s.permissions, s.expires_at, s.allowed_addresses, s.last_used_at
      from oauth_apps a left join app_secrets s on s.app_id = a.id and s.secret_hash = ${secret_hash}
     where a.client_id = ${client_id}`)

export interface ClientRow extends UsedSecret {
  client_id: string
  secret_hash: Buffer
  app_id: string
  owner_id: string
  is_approved: boolean
  allowed_scopes: Scope[]
}

/** The apps of these pairs of client_id and secret, in any order; a pair that does not exist has no row. */
export const findClients = (db: Sql, pairs: readonly Pick<ClientRow, 'client_id' | 'secret_hash'>[]) =>
  db.sql<ClientRow>`
    select a.client_id, s.secret_hash, a.id as app_id, a.owner_id, a.is_approved, a.allowed_scopes, s.id as secret_id,
           s.permissions, s.expires_at, s.allowed_addresses, s.last_used_at
      from unnest(${pairs.map((pair) => pair.client_id)}::text[], ${pairs.map((pair) => pair.secret_hash)}::bytea[])
           wanted(client_id, secret_hash)
     -- The limits force index lookups: a join would read small tables as a whole, and keep that plan as they grow.
     cross join lateral (select * from oauth_apps where client_id = wanted.client_id limit 1) a
     cross join lateral (
       select * from app_secrets where app_id = a.id and secret_hash = wanted.secret_hash limit 1
     ) s`

export const recordSecretUse = (db: Sql, secret_id: string, { now, address }: { now: Date; address: string }) =>
  db.sql`update app_secrets set last_used_at = ${now}, last_address = ${address} where id = ${secret_id}`

/**
 * Marks secrets that expire within `told_days` and were valid for longer, up to `rows_max`; returns the marked ones.
 */
export const markExpiring = (
  tx: Tx,
  { now, told_days, rows_max }: { now: Date; told_days: number; rows_max: number },
) =>
  tx.sql<{ id: string; app_id: string }>`
    update app_secrets set expiry_told_at = ${now}
     where id = any(array(
         select id from app_secrets
          where expiry_told_at is null and expires_at > ${now} and expires_at <= ${now}::timestamptz + make_interval(days => ${told_days})
            and expires_at > inserted_at + make_interval(days => ${told_days})
          order by expires_at limit ${rows_max} for update skip locked))
    returning id, app_id`

/** A secret with its app; undefined if it is gone. */
export const findSecret = (db: Sql, secret_id: string) =>
  firstRow(db.sql<Pick<SecretRow, 'name' | 'hint' | 'expires_at'> & { app_id: string; app_name: string }>`
    select s.name, s.hint, s.expires_at, s.app_id, a.app_name
      from app_secrets s join oauth_apps a on a.id = s.app_id
     where s.id = ${secret_id}`)
