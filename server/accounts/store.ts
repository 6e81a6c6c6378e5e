import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import type { UserOrder, UserState } from '../../contract/admin.ts'
import { firstRow, firstValue, hasRows, theValue, type Sql, type Tx } from '../platform/postgres/database.ts'
import { voidResetCodes } from './reset-codes.store.ts'
import { shownIn, userOf, type UserColumns } from './user-columns.rules.ts'

export async function findUser(db: Sql, user_id: string) {
  const [row] = await db.sql<UserColumns>`select * from users where id = ${user_id}`
  return row && userOf(row)
}

/** Locks a user against suspension until the transaction ends; false if the user is suspended. */
export const lockActiveUser = (tx: Tx, user_id: string) =>
  hasRows(tx.sql`select 1 from users where id = ${user_id} and suspended_at is null for share`)

/**
 * Whether a user's address is verified, which cannot change before the transaction ends. False if there is no such
 * user.
 */
export const lockVerified = (tx: Tx, user_id: string) =>
  firstValue(tx.sql<{ email_verified: boolean }>`
    select email_verified from users where id = ${user_id} for share`)

export const isUserSuspended = (db: Sql, user_id: string) =>
  hasRows(db.sql`select 1 from users where id = ${user_id} and suspended_at is not null`)

export async function findUserByEmail(db: Sql, email: string) {
  const [row] = await db.sql<UserColumns>`select * from users where lower(email) = lower(${email})`
  return row && userOf(row)
}

export const findUsernames = (db: Sql, ids: string[]) =>
  db.sql<{ id: string; username: string }>`select id, username from users where id = any(${ids}::uuid[])`

export const findUserIdByUsername = (db: Sql, username: string) =>
  firstValue(db.sql<{ id: string }>`
    select id from users where lower(username) = lower(${username})`)

export const findUserIdByReferralCode = (db: Sql, referral_code: string) =>
  firstValue(db.sql<{ id: string }>`
    select id from users where referral_code = ${referral_code}`)

/** The person with a referral code, unless suspended. */
export const findInviter = (db: Sql, referral_code: string) =>
  firstRow(db.sql<{ username: string; display_name: string | null; signup_multiplier: number }>`
    select username, display_name, signup_multiplier from users
     where referral_code = ${referral_code} and suspended_at is null`)

export interface NewUser {
  id: string
  email: string
  username: string
  password_hash: string
  tier: string
  referral_code: string
  referred_by: string | null
  is_admin: boolean
  email_verified: boolean
  language: string | null
  now: Date
}

/**
 * Inserts a user with a unique negative registration number, which `numberRegistration` replaces in the same
 * transaction.
 */
export async function insertUser(tx: Tx, user: NewUser) {
  await tx.sql`
    insert into users (id, email, username, password_hash, tier, referral_code, referred_by, is_admin, email_verified,
                       registration_number, inserted_at, language)
    values (${user.id}, ${user.email}, ${user.username}, ${user.password_hash}, ${user.tier}, ${user.referral_code},
            ${user.referred_by}::uuid, ${user.is_admin}, ${user.email_verified}, -ceil(random() * 9e15), ${user.now},
            ${user.language}::text)`
}

/**
 * Gives a user the next registration number, and returns it. It locks a row that all registrations share until the
 * commit, so it must be the last statement of the transaction: as the first one, it made ten parallel registrations on
 * a busy machine exceed the lock timeout.
 */
export const numberRegistration = (tx: Tx, user_id: string) =>
  theValue(tx.sql<{ registration_number: number }>`
    with counter as (
      update registration_counter set registrations = registrations + 1 returning registrations
    )
    update users set registration_number = registrations from counter where id = ${user_id} returning registration_number`)

/** Inserts a suspended user without a regular registration number; false if the id exists. */
export const insertSuspendedUser = (
  tx: Tx,
  user: Pick<NewUser, 'id' | 'email' | 'username' | 'password_hash' | 'tier' | 'referral_code' | 'now'>,
) =>
  hasRows(tx.sql`
    insert into users (id, email, username, password_hash, tier, referral_code, registration_number, inserted_at, suspended_at)
    values (${user.id}, ${user.email}, ${user.username}, ${user.password_hash}, ${user.tier}, ${user.referral_code}, 0,
            ${user.now}, ${user.now})
    on conflict (id) do nothing
    returning id`)

/** Sets the language of mails to a user; with `only_if_unknown`, only if none is set. */
export async function setUserLanguage(db: Sql, user_id: string, language: string, only_if_unknown: boolean) {
  await db.sql`
    update users set language = ${language}
     where id = ${user_id} and language is distinct from ${language} and (language is null or not ${only_if_unknown})`
}

export interface ProfileChange {
  display_name?: string | null
  time_zone?: string | null
}

/** Sets the given fields. A time zone unknown to PostgreSQL raises SQL state 22023. */
export async function changeProfile(tx: Tx, user_id: string, change: ProfileChange) {
  await tx.sql`
    update users
       set display_name = case when ${'display_name' in change}::boolean then ${change.display_name ?? null}::text else display_name end,
           time_zone = case when ${'time_zone' in change}::boolean then ${change.time_zone ?? null}::text else time_zone end
     where id = ${user_id} and now() at time zone coalesce(${change.time_zone ?? null}::text, 'UTC') is not null`
}

/** Removes the display name; returns whether there was one. */
export const clearDisplayName = (tx: Tx, user_id: string) =>
  hasRows(tx.sql`
    update users set display_name = null where id = ${user_id} and display_name is not null returning id`)

interface ProfileRow extends UserColumns {
  points: number
  held: number
  total_earned: number
  total_spent: number
  direct_referrals: number
  connected_apps: number
}

/** All fields of a profile in one read. */
export async function findProfile(db: Sql, user_id: string) {
  const [row] = await db.sql<ProfileRow>`
    select u.*, a.credited - a.debited - a.held as points, a.held, a.credited as total_earned, a.debited as total_spent,
           (select count(*) from users r where r.referred_by = u.id) as direct_referrals,
           (select count(*) from connections c where c.user_id = u.id and c.disconnected_at is null) as connected_apps
      from users u join point_accounts a on a.id = u.id
     where u.id = ${user_id}`
  return row && userOf(row)
}

// Passwords

/** Sets a password and voids the user's reset codes; false if the current hash is not `instead_of` (null: any). */
export async function setPassword(tx: Tx, user_id: string, password_hash: string, instead_of: string | null) {
  const rows = await tx.sql`
    update users set password_hash = ${password_hash}
     where id = ${user_id} and (${instead_of}::text is null or password_hash = ${instead_of})
    returning id`
  await voidResetCodes(tx, user_id)
  return rows.length > 0
}

/** Marks the address as verified; false if it was already. */
export const setEmailVerified = (db: Sql, user_id: string) =>
  hasRows(db.sql`
    update users set email_verified = true where id = ${user_id} and not email_verified returning id`)

// Administration

type ListedRow = UserColumns & { points: number }

const listed = (row: ListedRow) => ({ ...shownIn('in_admin_list', userOf(row)), points: row.points })
export type ListedUser = ReturnType<typeof listed>

export interface UserFilter {
  /** The prefix of a name or address, with the wildcards of `like` escaped; null for all. */
  starting: string | null
  id: string | null
  state: UserState | null
  role: AdminRole | null
  sort: UserOrder
  now: Date
  /** The last id of the previous page. */
  last_id: string | null
  rows_max: number
}

/**
 * Users by name, address or id, by state and by role as an admin, in the order of an index: ids follow time. Points have
 * no index, because every spend would have to update it: a page in their order reads all accounts.
 */
export async function listUsersInOrder(
  db: Sql,
  { starting, id, state, role, sort, now, last_id, rows_max }: UserFilter,
) {
  const rows = await db.sql<ListedRow>`
    select u.*, a.credited - a.debited - a.held as points
      from users u join point_accounts a on a.id = u.id
     where (${starting}::text is null or u.id = ${id}
            or lower(u.username) like lower(${starting}) || '%' or lower(u.email) like lower(${starting}) || '%')
       and (${last_id}::uuid is null or case ${sort}::text
             when 'username' then lower(u.username) ~>~ (select lower(username) from users where id = ${last_id})
             when '-username' then lower(u.username) ~<~ (select lower(username) from users where id = ${last_id})
             when 'points' then (a.credited - a.debited - a.held, u.id) >
                                (select credited - debited - held, id from point_accounts where id = ${last_id})
             when '-points' then (a.credited - a.debited - a.held, u.id) <
                                 (select credited - debited - held, id from point_accounts where id = ${last_id})
             when 'inserted_at' then u.id > ${last_id}
             else u.id < ${last_id} end)
       and case ${state}::text
             when 'admin' then u.is_admin
             when 'suspended' then u.suspended_at is not null
             when 'unverified' then not u.email_verified
             when 'muted' then u.id = any(array(select user_id from chat_mutes where muted_until > ${now}))
             else true end
       and (${role}::text is null or u.is_admin and ${role} = any(u.admin_roles))
     order by case ${sort} when 'username' then lower(u.username) end using ~<~,
              case ${sort} when '-username' then lower(u.username) end using ~>~,
              case ${sort} when 'points' then a.credited - a.debited - a.held end,
              case ${sort} when '-points' then a.credited - a.debited - a.held end desc,
              case when ${sort} in ('inserted_at', 'points') then u.id end,
              u.id desc
     limit ${rows_max}`
  return rows.map(listed)
}

export interface UserChange {
  tier: string | null
  signup_multiplier: number | null
  is_admin: boolean | null
  suspended: boolean | null
}

/**
 * Sets the given fields; null leaves a field unchanged. Returns whether the user was suspended before; undefined if
 * there is none.
 */
export const changeUser = (tx: Tx, user_id: string, change: UserChange, now: Date) =>
  firstRow(tx.sql<{ was_suspended: boolean }>`
    update users
       set tier = coalesce(${change.tier}::text, tier),
           signup_multiplier = coalesce(${change.signup_multiplier}::integer, signup_multiplier),
           admin_roles = case when ${change.is_admin}::boolean and not 'administrator' = any(admin_roles)
                                then array_prepend('administrator', admin_roles)
                              when not ${change.is_admin}::boolean then '{}' else admin_roles end,
           suspended_at = case ${change.suspended}::boolean
                            when true then coalesce(users.suspended_at, ${now}) when false then null else users.suspended_at end
      from (select id, suspended_at is not null as was_suspended from users where id = ${user_id} for update) before
     where users.id = before.id
    returning before.was_suspended`)

/**
 * Locks the admins who are not suspended, in id order, and returns them, because the check for the last one must not
 * race.
 */
export const lockAdmins = (tx: Tx) =>
  tx.sql<{ id: string; admin_roles: AdminRole[] }>`
    select id, admin_roles from users where is_admin and suspended_at is null order by id for update`

/** Gives a person exactly these roles; returns the previous ones, or undefined if there is no such person. */
export const setAdminRoles = (tx: Tx, user_id: string, roles: readonly AdminRole[]) =>
  firstRow(tx.sql<{ before: AdminRole[] }>`
    update users set admin_roles = ${roles}
      from (select id, admin_roles from users where id = ${user_id} for update) old
     where users.id = old.id
    returning old.admin_roles as before`)

/** Gives the account with this address a role; returns its id and roles, or undefined if no account has the address. */
export const grantRole = (db: Sql, email: string, role: AdminRole) =>
  firstRow(db.sql<{ user_id: string; roles: AdminRole[] }>`
    update users
       set admin_roles = case when ${role}::text = any(admin_roles) then admin_roles else admin_roles || ${role}::text end
     where lower(email) = lower(${email})
    returning id as user_id, admin_roles as roles`)
