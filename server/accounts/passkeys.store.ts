import { purgesRowsOf } from '../platform/erasure.ts'
import { firstRow, firstValue, hasRows, theRow, theValue, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface Passkey {
  id: string
  user_id: string
  credential_id: Buffer
  public_key: Buffer
  transports: string[]
  discoverable: boolean | null
  backed_up: boolean
  name: string
  copy_suspected_at: Date | null
  inserted_at: Date
  last_used_at: Date | null
}

/** The passkeys of a user, newest first. */
export const listPasskeysOf = (db: Sql, user_id: string, rows_max: number) =>
  db.sql<Passkey>`
    select id, user_id, credential_id, public_key, transports, discoverable, backed_up, name, copy_suspected_at, inserted_at,
           last_used_at
      from passkeys where user_id = ${user_id} order by id desc limit ${rows_max}`

export const findPasskey = (db: Sql, credential_id: Buffer) =>
  firstRow(db.sql<Passkey>`
    select id, user_id, credential_id, public_key, transports, discoverable, backed_up, name, copy_suspected_at, inserted_at,
           last_used_at
      from passkeys where credential_id = ${credential_id}`)

export const countPasskeys = (db: Sql, user_id: string) =>
  theValue(db.sql<{ passkeys: number }>`
    select count(*) as passkeys from passkeys where user_id = ${user_id}`)

export type NewPasskey = Omit<Passkey, 'copy_suspected_at' | 'inserted_at' | 'last_used_at'> & {
  sign_count: number
  now: Date
}

/**
 * Adds a passkey unless the user has `passkeys_max`; returns whether it did. Parallel calls are serialized. Violates
 * `passkeys_credential` if the credential is registered.
 */
export async function insertPasskey(tx: Tx, row: NewPasskey, passkeys_max: number) {
  await tx.sql`select id from users where id = ${row.user_id} for no key update`
  return hasRows(tx.sql`
    insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, discoverable, backed_up, name,
                          inserted_at)
    select ${row.id}, ${row.user_id}, ${row.credential_id}, ${row.public_key}, ${row.sign_count}, ${row.transports},
           ${row.discoverable}::boolean, ${row.backed_up}, ${row.name}, ${row.now}
     where (select count(*) from passkeys where user_id = ${row.user_id}) < ${passkeys_max}
    returning id`)
}

export const setPasskeyName = (db: Sql, { id, user_id, name }: Pick<Passkey, 'id' | 'user_id' | 'name'>) =>
  firstRow(db.sql<Passkey>`
    update passkeys set name = ${name} where id = ${id} and user_id = ${user_id} returning *`)

/** Deletes a passkey of the user; returns its name, or undefined if there is none. */
export async function removePasskey(tx: Tx, { id, user_id }: Pick<Passkey, 'id' | 'user_id'>) {
  await tx.sql`select id from users where id = ${user_id} for no key update`
  return firstValue(tx.sql<{ name: string }>`
    delete from passkeys where id = ${id} and user_id = ${user_id} returning name`)
}

/** Deletes all passkeys of the user and what belongs to them. */
export async function removePasskeysOf(tx: Tx, user_id: string) {
  await tx.sql`delete from passkeys where user_id = ${user_id}`
  await endPasskeyChallenges(tx, user_id)
  await tx.sql`delete from passkey_second_factors where user_id = ${user_id}`
}

/** Voids the user's open challenges: an answer on its way comes too late. */
export const endPasskeyChallenges = (tx: Tx, user_id: string) =>
  tx.sql`delete from passkey_challenges where user_id = ${user_id}`

/**
 * Deletes passkeys added at or after this moment, and a second factor by passkey that is as new or has no passkey left.
 */
export async function removePasskeysSince(tx: Tx, user_id: string, since: Date) {
  await tx.sql`delete from passkeys where user_id = ${user_id} and inserted_at >= ${since}`
  await tx.sql`
    delete from passkey_second_factors
     where user_id = ${user_id}
       and (inserted_at >= ${since} or not exists (select 1 from passkeys where user_id = ${user_id}))`
}

/**
 * Records a use, once for each value of the counter; false if the counter did not grow, or the passkey is gone. An
 * authenticator without a counter always sends 0.
 */
export const recordPasskeyUse = (db: Sql, { id, sign_count, now }: { id: string; sign_count: number; now: Date }) =>
  hasRows(db.sql`
    update passkeys set sign_count = ${sign_count}, last_used_at = ${now}
     where id = ${id} and (sign_count < ${sign_count} or (sign_count = 0 and ${sign_count}::bigint = 0))
    returning id`)

/**
 * Records that a copy was detected. Undefined if the passkey is gone; `mail` if the last detection was before
 * `mailed_before`.
 */
export const markCopied = (db: Sql, { id, now, mailed_before }: { id: string; now: Date; mailed_before: Date }) =>
  firstRow(db.sql<{ mail: boolean }>`
    update passkeys p set copy_suspected_at = ${now}
      from passkeys old
     where p.id = ${id} and old.id = p.id
    returning old.copy_suspected_at is null or old.copy_suspected_at <= ${mailed_before} as mail`)

// Challenges

/** The purpose of a challenge; an answer for another purpose is refused. */
export type ChallengePurpose = 'register' | 'sign_in' | 'second_factor' | 'proof'

export interface Challenge {
  challenge_hash: Buffer
  purpose: ChallengePurpose
  user_id: string | null
  session_id: string | null
}

export const insertChallenge = (
  db: Sql,
  { challenge_hash, purpose, user_id, session_id, expires_at }: Challenge & { expires_at: Date },
) =>
  db.sql`
    insert into passkey_challenges (challenge_hash, purpose, user_id, session_id, expires_at)
    values (${challenge_hash}, ${purpose}, ${user_id}::uuid, ${session_id}::uuid, ${expires_at})`

/** Consumes a challenge; false if it was used, has expired, or was made for another purpose or person. */
export const consumeChallenge = (
  db: Sql,
  { challenge_hash, purpose, user_id, session_id, now }: Challenge & { now: Date },
) =>
  hasRows(db.sql`
    delete from passkey_challenges
     where challenge_hash = ${challenge_hash} and purpose = ${purpose} and expires_at > ${now}
       and user_id is not distinct from ${user_id}::uuid and session_id is not distinct from ${session_id}::uuid
    returning challenge_hash`)

export const purgeChallenges = purgesRowsOf('passkey_challenges', 'expires_at', { comparison: '<=' })

// The second factor

export const findPasskeySecondFactor = (db: Sql, user_id: string) =>
  theRow(db.sql<{ passkeys: number; required: boolean }>`
    select (select count(*) from passkeys where user_id = ${user_id}) as passkeys,
           exists (select 1 from passkey_second_factors where user_id = ${user_id}) as required`)

/** Turns the second factor on for a user with a passkey; undefined without one, otherwise whether it was off. */
export async function requireSecondFactor(tx: Tx, { user_id, now }: { user_id: string; now: Date }) {
  await tx.sql`select id from users where id = ${user_id} for no key update`
  const [row] = await tx.sql<{ has_passkey: boolean; turned_on: boolean }>`
    with added as (
      insert into passkey_second_factors (user_id, inserted_at)
      select ${user_id}, ${now} where exists (select 1 from passkeys where user_id = ${user_id})
      on conflict do nothing
      returning user_id
    )
    select exists (select 1 from passkeys where user_id = ${user_id}) as has_passkey,
           exists (select 1 from added) as turned_on`
  return row?.has_passkey ? row.turned_on : undefined
}

/** Turns the second factor off; with `unless_passkeys` only if no passkey is left. Returns whether it was on. */
export const endSecondFactor = (tx: Tx, user_id: string, unless_passkeys: boolean) =>
  hasRows(tx.sql`
    delete from passkey_second_factors
     where user_id = ${user_id}
       and not (${unless_passkeys}::boolean and exists (select 1 from passkeys where user_id = ${user_id}))
    returning user_id`)

export const countRecoveryCodes = (db: Sql, user_id: string) =>
  theValue(db.sql<{ left: number }>`
    select count(*) as left from recovery_codes where user_id = ${user_id} and used_at is null`)
