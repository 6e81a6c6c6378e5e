import type { MemberRole } from '../../contract/kinds/member-roles.ts'
import { allValues, firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface Membership {
  role: MemberRole
  /** Whether the team requires a second factor that the person lacks. */
  lacks_second_factor: boolean
}

/** A person's role in an app, as its owner or by a team. */
export const findRoleInApp = (db: Sql, app_id: string, user_id: string) =>
  firstRow(db.sql<Membership>`
    select role, lacks_second_factor from app_members where app_id = ${app_id} and user_id = ${user_id}`)

export const findRoleInTeam = (db: Sql, team_id: string, user_id: string) =>
  firstRow(db.sql<Membership>`
    select role, lacks_second_factor from active_members where team_id = ${team_id} and user_id = ${user_id}`)

/** Locks an app and the caller's membership in its team, so that neither changes before the transaction ends. */
export async function lockMembership(tx: Tx, app_id: string, user_id: string) {
  await tx.sql`select id from oauth_apps where id = ${app_id} for no key update`
  await lockRole(tx, app_id, user_id)
}

/** Locks the caller's membership in the team of an app that is already locked. */
export const lockRole = (tx: Tx, app_id: string, user_id: string) =>
  tx.sql`
    select role from team_members
     where team_id = (select team_id from oauth_apps where id = ${app_id}) and user_id = ${user_id}
       for share`

export const listMembersOfApp = (db: Sql, app_id: string, roles: readonly MemberRole[]) =>
  allValues(db.sql<{ user_id: string }>`
    select user_id from app_members where app_id = ${app_id} and role = any(${roles}::text[]) and not lacks_second_factor
     order by user_id`)
