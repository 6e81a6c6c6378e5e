import type { AppActor, UserCaller } from '../../contract/caller.ts'
import { includesRole, member_roles, type MemberRole } from '../../contract/kinds/member-roles.ts'
import type { MailedEvent } from '../../contract/kinds/notices.ts'
import { requireSession } from '../accounts/sessions.service.ts'
import type { NewNotice } from '../notices/service.ts'
import type { Clock } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { findRoleInApp, findRoleInTeam, listMembersOfApp, lockMembership, lockRole } from './members.store.ts'

/**
 * Checks a person's role in the app or team of a call, and returns it (D-134). Fails with `not_found` for people without a role, with
 * `second_factor_required` unless one factor is enough, or with `role_required`, which names the role.
 */
export async function requireRole(
  db: Sql,
  caller: Pick<UserCaller, 'user_id'>,
  needed: MemberRole,
  place: Place,
  allows_one_factor = false,
) {
  const { user_id } = caller
  const found =
    'team_id' in place
      ? await findRoleInTeam(db, place.team_id, user_id)
      : await findRoleInApp(db, place.app_id, user_id)
  const why = { ...place, user_id }
  if (!found) throw new Failure('not_found', why)
  if (found.lacks_second_factor && !allows_one_factor) throw new Failure('second_factor_required', why)
  if (!includesRole(found.role, needed)) throw new Failure('role_required', why, { body: { role: needed } })
  return found.role
}

export type Place = { app_id: string } | { team_id: string }

/** The same for an access token of the app: it acts for a person with that role (D-33). Fails with `not_app_owner`. */
export async function requireRoleOfToken(db: Sql, { app_id, user_id }: AppActor, needed: MemberRole) {
  const found = await findRoleInApp(db, app_id, user_id)
  if (!found || found.lacks_second_factor || !includesRole(found.role, needed))
    throw new Failure('not_app_owner', { app_id, user_id, needed })
}

type MemberCaller = Pick<UserCaller, 'user_id' | 'session_id' | 'team_role'>

/**
 * Checks, in the transaction of a change, that the caller's session and role are still valid, and locks both until it
 * ends. Fails with `invalid_token`, or as `requireRole` does.
 */
export async function requireMember(deps: { clock: Clock }, tx: Tx, caller: MemberCaller, app_id: string) {
  await requireSession(deps, tx, caller)
  await lockMembership(tx, app_id, caller.user_id)
  await requireRole(tx, caller, caller.team_role ?? 'owner', { app_id })
}

/**
 * The same for a call by an access token whose app the transaction has locked; an app that calls itself needs no role.
 */
export async function requireMemberByToken(tx: Tx, actor: AppActor) {
  if (actor.team_role === undefined) return
  await lockRole(tx, actor.app_id, actor.user_id)
  await requireRoleOfToken(tx, actor, actor.team_role)
}

export const isMemberOfApp = async (db: Sql, app_id: string, user_id: string) =>
  (await findRoleInApp(db, app_id, user_id)) !== undefined

/** Whether a person has a role in an app, or one that includes it. */
export async function hasRoleInApp(
  db: Sql,
  { app_id, user_id }: { app_id: string; user_id: string },
  needed: MemberRole,
) {
  const found = await findRoleInApp(db, app_id, user_id)
  return found !== undefined && includesRole(found.role, needed)
}

interface AppNotice {
  app_id: string
  /** The app by default. */
  subject_id?: string
  event: MailedEvent
  about: string
  reason?: string | null
  /** The job that mails a person, whose id is added to the payload. */
  mail: { job: string; payload: object }
}

/** The notices of an event for the people of an app: its owner, or its team's developers and higher roles. */
export async function noticesOfApp(tx: Tx, { app_id, subject_id = app_id, mail, ...notice }: AppNotice) {
  const roles = member_roles.filter((role) => includesRole(role, 'developer'))
  return (await listMembersOfApp(tx, app_id, roles)).map((user_id): NewNotice => {
    const payload = { ...mail.payload, user_id }
    return { ...notice, user_id, subject_id, app_id, mail: { job: mail.job, payload } }
  })
}
