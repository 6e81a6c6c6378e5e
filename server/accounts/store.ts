import type { Sql, Tx } from '../kit/database.ts'

export interface UserRow {
  id: string
  email: string
  username: string
  password_hash: string
  tier: string
  signup_multiplier: number
  is_admin: boolean
  email_verified: boolean
  referral_code: string
  referred_by: string | null
  registration_number: number
  suspended: boolean
  totp_enabled: boolean
  totp_secret: Buffer | null
  totp_pending_secret: Buffer | null
  inserted_at: Date
}

export async function findUser(db: Sql, user_id: string) {
  const [row] = await db.sql<UserRow>`
    select *, suspended_at is not null as suspended, totp_secret is not null as totp_enabled
      from users where id = ${user_id}`
  return row
}

export async function findUserByEmail(db: Sql, email: string) {
  const [row] = await db.sql<UserRow>`
    select *, suspended_at is not null as suspended, totp_secret is not null as totp_enabled
      from users where lower(email) = lower(${email})`
  return row
}

export async function findUserIdByReferralCode(db: Sql, referral_code: string) {
  const [row] = await db.sql<{ id: string }>`select id from users where referral_code = ${referral_code}`
  return row?.id
}

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
  now: Date
}

/** Inserts a user and gives it the next registration number; tells that number. */
export async function insertUser(tx: Tx, user: NewUser) {
  const [row] = await tx.sql<{ registration_number: number }>`
    with counter as (
      update registration_counter set registrations = registrations + 1 returning registrations
    )
    insert into users (id, email, username, password_hash, tier, referral_code, referred_by, is_admin, email_verified,
                       registration_number, inserted_at)
    select ${user.id}, ${user.email}, ${user.username}, ${user.password_hash}, ${user.tier}, ${user.referral_code},
           ${user.referred_by}::uuid, ${user.is_admin}, ${user.email_verified}, registrations, ${user.now}
      from counter
    returning registration_number`
  return row!.registration_number
}

export interface ProfileRow extends UserRow {
  points: number
  total_earned: number
  total_spent: number
  direct_referrals: number
  connected_apps: number
}

/** All that a profile shows, in one read. */
export async function findProfile(db: Sql, user_id: string) {
  const [row] = await db.sql<ProfileRow>`
    select u.*, u.suspended_at is not null as suspended, u.totp_secret is not null as totp_enabled,
           a.credited - a.debited as points, a.credited as total_earned, a.debited as total_spent,
           (select count(*) from users r where r.referred_by = u.id) as direct_referrals,
           (select count(*) from connections c where c.user_id = u.id and c.disconnected_at is null) as connected_apps
      from users u join point_accounts a on a.id = u.id
     where u.id = ${user_id}`
  return row
}

// Login sessions

export interface NewLoginSession {
  id: string
  user_id: string
  /** The hash that the password was held against. */
  password_hash: string
  user_agent: string | null
  now: Date
  expires_at: Date
}

/**
 * Begins a session; false when the password was changed or the user suspended since it was checked. The lock makes a
 * change that is under way come first, or wait and then end this session too.
 */
export async function insertLoginSession(
  db: Sql,
  { id, user_id, password_hash, user_agent, now, expires_at }: NewLoginSession,
) {
  const rows = await db.sql`
    insert into login_sessions (id, user_id, user_agent, inserted_at, expires_at)
    select ${id}, u.id, ${user_agent}, ${now}, ${expires_at}
      from users u
     where u.id = ${user_id} and u.password_hash = ${password_hash} and u.suspended_at is null
       for share
    returning id`
  return rows.length > 0
}

export interface SessionUser {
  session_id: string
  user_id: string
  is_admin: boolean
  expires_at: Date
}

/** The users of those of the sessions that were not ended and whose user is not suspended; the time is the reader's to check. */
export const findSessionUsers = (db: Sql, session_ids: string[]) =>
  db.sql<SessionUser>`
    select s.id as session_id, u.id as user_id, u.is_admin, s.expires_at
      from login_sessions s join users u on u.id = s.user_id
     where s.id = any(${session_ids}::uuid[]) and s.ended_at is null and u.suspended_at is null`

export const listSessions = (db: Sql, { user_id, now }: { user_id: string; now: Date }) =>
  db.sql<{ id: string; user_agent: string | null; inserted_at: Date; expires_at: Date }>`
    select id, user_agent, inserted_at, expires_at
      from login_sessions
     where user_id = ${user_id} and ended_at is null and expires_at > ${now}
     order by inserted_at desc
     limit 200`

/** Ends one session of the user; false when there is none that is still open. */
export async function endSession(
  db: Sql,
  { user_id, session_id, now }: { user_id: string; session_id: string; now: Date },
) {
  const rows = await db.sql`
    update login_sessions set ended_at = ${now}
     where id = ${session_id} and user_id = ${user_id} and ended_at is null and expires_at > ${now}
    returning id`
  return rows.length > 0
}

/** Ends all sessions of the user but the one to keep, if any. */
export const endSessions = (db: Sql, { user_id, keep, now }: { user_id: string; keep: string | null; now: Date }) =>
  db.sql`update login_sessions set ended_at = ${now}
          where user_id = ${user_id} and ended_at is null and id is distinct from ${keep}::uuid`

export async function forgetSessions(db: Sql, { before, rows_max }: { before: Date; rows_max: number }) {
  const rows = await db.sql`
    delete from login_sessions
     where id in (select id from login_sessions where expires_at < ${before} limit ${rows_max} for update skip locked)
    returning id`
  return rows.length
}

// Passwords

/** Sets a password, which voids the user's reset code; false when it is not `instead_of` any more, where that is told. */
export async function setPassword(tx: Tx, user_id: string, password_hash: string, instead_of: string | null) {
  const rows = await tx.sql`
    update users set password_hash = ${password_hash}
     where id = ${user_id} and (${instead_of}::text is null or password_hash = ${instead_of})
    returning id`
  await tx.sql`delete from mailed_codes where user_id = ${user_id} and purpose = 'reset_password'`
  return rows.length > 0
}

// Mailed codes

type CodePurpose = 'verify_email' | 'reset_password'

export interface NewMailedCode {
  user_id: string
  purpose: CodePurpose
  code_hash: Buffer
  tries: number
  expires_at: Date
}

/** Stores a code; an earlier one for the same purpose is void. */
export const putMailedCode = (db: Sql, { user_id, purpose, code_hash, tries, expires_at }: NewMailedCode) =>
  db.sql`insert into mailed_codes (user_id, purpose, code_hash, tries_left, expires_at)
         values (${user_id}, ${purpose}, ${code_hash}, ${tries}, ${expires_at})
         on conflict (user_id, purpose) do update
            set code_hash = excluded.code_hash, tries_left = excluded.tries_left, expires_at = excluded.expires_at`

/** Takes one try at the user's code: true when it is the right one. A wrong try counts; the last one kills the code. */
export async function tryMailedCode(db: Sql, user_id: string, purpose: CodePurpose, code_hash: Buffer, now: Date) {
  const [row] = await db.sql<{ matched: boolean }>`
    update mailed_codes
       set tries_left = case when code_hash = ${code_hash} then 0 else tries_left - 1 end
     where user_id = ${user_id} and purpose = ${purpose} and expires_at > ${now} and tries_left > 0
    returning code_hash = ${code_hash} as matched`
  return row?.matched ?? false
}

/** Uses up a reset code; tells whose it was, or undefined when it is unknown, expired or used. */
export async function takeResetCode(db: Sql, code_hash: Buffer, now: Date) {
  const [row] = await db.sql<{ user_id: string }>`
    delete from mailed_codes
     where code_hash = ${code_hash} and purpose = 'reset_password' and expires_at > ${now}
    returning user_id`
  return row?.user_id
}

export const forgetMailedCodes = async (db: Sql, { before, rows_max }: { before: Date; rows_max: number }) => {
  const rows = await db.sql`
    delete from mailed_codes
     where (user_id, purpose) in (
       select user_id, purpose from mailed_codes where expires_at < ${before} limit ${rows_max} for update skip locked)
    returning user_id`
  return rows.length
}

/** Marks the address as verified; false when it was already. */
export async function setEmailVerified(db: Sql, user_id: string) {
  const rows = await db.sql`
    update users set email_verified = true where id = ${user_id} and not email_verified returning id`
  return rows.length > 0
}

// Two-factor authentication

/** Keeps a secret that is not in force yet; false when two-factor authentication is on already. */
export async function setPendingTotp(db: Sql, user_id: string, pending: Buffer) {
  const rows = await db.sql`
    update users set totp_pending_secret = ${pending} where id = ${user_id} and totp_secret is null returning id`
  return rows.length > 0
}

/** Puts the pending secret in force if it is still the one that was checked. */
export async function enablePendingTotp(db: Sql, user_id: string, pending: Buffer, step: number) {
  const rows = await db.sql`
    update users
       set totp_secret = totp_pending_secret, totp_pending_secret = null, totp_last_step = ${step}, totp_tries = 0,
           totp_tries_reset_at = null
     where id = ${user_id} and totp_secret is null and totp_pending_secret = ${pending}
    returning id`
  return rows.length > 0
}

export const clearTotp = async (tx: Tx, user_id: string) => {
  await tx.sql`
    update users
       set totp_secret = null, totp_pending_secret = null, totp_last_step = null, totp_tries = 0,
           totp_tries_reset_at = null
     where id = ${user_id}`
  await tx.sql`delete from recovery_codes where user_id = ${user_id}`
}

export interface TryBudget {
  user_id: string
  tries_max: number
  now: Date
  resets_at: Date
}

/**
 * Takes one try at a two-factor code out of the account's budget. A window begins with the first try after a success;
 * when it has none left, tells when it ends.
 */
export async function takeTotpTry(db: Sql, { user_id, tries_max, now, resets_at }: TryBudget) {
  const rows = await db.sql`
    update users
       set totp_tries = case when totp_tries_reset_at > ${now} then totp_tries + 1 else 1 end,
           totp_tries_reset_at = case when totp_tries_reset_at > ${now} then totp_tries_reset_at else ${resets_at} end
     where id = ${user_id} and (totp_tries < ${tries_max} or totp_tries_reset_at is null or totp_tries_reset_at <= ${now})
    returning id`
  if (rows.length > 0) return undefined
  const [row] = await db.sql<{ resets_at: Date | null }>`
    select totp_tries_reset_at as resets_at from users where id = ${user_id}`
  return row?.resets_at ?? resets_at
}

/** Accepts a time step once: false when it, or a later one, was accepted before (RFC 6238 §5.2). */
export async function acceptTotpStep(db: Sql, user_id: string, step: number) {
  const rows = await db.sql`
    update users set totp_last_step = ${step}, totp_tries = 0, totp_tries_reset_at = null
     where id = ${user_id} and totp_secret is not null and (totp_last_step is null or totp_last_step < ${step})
    returning id`
  return rows.length > 0
}

export const replaceRecoveryCodes = async (tx: Tx, user_id: string, code_hashes: Buffer[]) => {
  await tx.sql`delete from recovery_codes where user_id = ${user_id}`
  await tx.sql`insert into recovery_codes (user_id, code_hash) select ${user_id}, unnest(${code_hashes}::bytea[])`
}

/** Uses a recovery code up; false when it is unknown or used. The account's try budget starts anew. */
export async function takeRecoveryCode(db: Sql, user_id: string, code_hash: Buffer, now: Date) {
  const rows = await db.sql`
    with used as (
      update recovery_codes set used_at = ${now}
       where user_id = ${user_id} and code_hash = ${code_hash} and used_at is null
      returning user_id
    )
    update users set totp_tries = 0, totp_tries_reset_at = null where id in (select user_id from used) returning id`
  return rows.length > 0
}

// Administration

export interface UserListRow {
  id: string
  email: string
  username: string
  tier: string
  signup_multiplier: number
  is_admin: boolean
  email_verified: boolean
  totp_enabled: boolean
  suspended: boolean
  points: number
  registration_number: number
  inserted_at: Date
}

export const listUsersNewestFirst = (
  db: Sql,
  { before_id, rows_max }: { before_id: string | null; rows_max: number },
) =>
  db.sql<UserListRow>`
    select u.id, u.email, u.username, u.tier, u.signup_multiplier, u.is_admin, u.email_verified,
           u.totp_secret is not null as totp_enabled, u.suspended_at is not null as suspended,
           a.credited - a.debited as points, u.registration_number, u.inserted_at
      from users u join point_accounts a on a.id = u.id
     where (${before_id}::uuid is null or u.id < ${before_id})
     order by u.id desc
     limit ${rows_max}`

/** Users whose name or address begins with the text, or whose id it is; `starting` has its wildcards escaped. */
export const searchUsers = (
  db: Sql,
  {
    starting,
    id,
    before_id,
    rows_max,
  }: { starting: string; id: string | null; before_id: string | null; rows_max: number },
) =>
  db.sql<UserListRow>`
    with hits as (
      select id from users where lower(username) like lower(${starting}) || '%'
      union select id from users where lower(email) like lower(${starting}) || '%'
      union select ${id}::uuid where ${id}::uuid is not null
    )
    select u.id, u.email, u.username, u.tier, u.signup_multiplier, u.is_admin, u.email_verified,
           u.totp_secret is not null as totp_enabled, u.suspended_at is not null as suspended,
           a.credited - a.debited as points, u.registration_number, u.inserted_at
      from hits join users u on u.id = hits.id join point_accounts a on a.id = u.id
     where (${before_id}::uuid is null or u.id < ${before_id})
     order by u.id desc
     limit ${rows_max}`

export interface UserChange {
  tier: string | null
  signup_multiplier: number | null
  is_admin: boolean | null
  suspended: boolean | null
}

/** Sets what is given; leaves the rest. */
export const changeUser = (tx: Tx, user_id: string, change: UserChange, now: Date) =>
  tx.sql`
    update users
       set tier = coalesce(${change.tier}::text, tier),
           signup_multiplier = coalesce(${change.signup_multiplier}::integer, signup_multiplier),
           is_admin = coalesce(${change.is_admin}::boolean, is_admin),
           suspended_at = case ${change.suspended}::boolean
                            when true then coalesce(suspended_at, ${now}) when false then null else suspended_at end
     where id = ${user_id}`

/** Locks the admins who are not suspended, in id order, and tells who they are: the check for the last one must not race. */
export const lockAdmins = (tx: Tx) =>
  tx.sql<{ id: string }>`
    select id from users where is_admin and suspended_at is null order by id for update`

/** Makes the owner of an address an admin; tells its id, or undefined when nobody has the address. */
export async function grantAdmin(db: Sql, email: string) {
  const [row] = await db.sql<{ id: string }>`
    update users set is_admin = true where lower(email) = lower(${email}) returning id`
  return row?.id
}
