import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { includesRole, type MemberRole } from '../../contract/kinds/member-roles.ts'
import type { TeamAction } from '../../contract/kinds/team-actions.ts'
import { getUser } from '../accounts/service.ts'
import { requireSession } from '../accounts/sessions.service.ts'
import { hasSecondFactor } from '../accounts/second-factor.service.ts'
import { notify } from '../notices/service.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { pageById, type PageQuery } from '../platform/page.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { invalidateApps } from './connections.service.ts'
import { requireRole } from './members.service.ts'
import { listOffersTo } from './owners.store.ts'
import type { OAuthDeps } from './service.ts'
import { invitation_job } from './team-mails.service.ts'
import * as store from './teams.store.ts'

const { members_max, teams_max, invitation_days } = decisions.teams

interface Change {
  team_id: string
  actor_id: string
  action: TeamAction
  subject_id?: string | null
  role?: MemberRole | null
  now: Date
}

/** Records a change in the log of the team and in the audit log. */
export async function recordTeamChange({ events }: Pick<OAuthDeps, 'events'>, tx: Tx, change: Change) {
  const entry = { id: newId(), subject_id: null, role: null, ...change }
  await store.insertTeamEntry(tx, entry)
  const { team_id: target_id, actor_id, action, subject_id, role, now } = entry
  await events.acted(tx, { actor_id, action, target_id, details: { subject_id, role }, now })
}

async function getTeamOf(tx: Tx | OAuthDeps['db'], user_id: string, team_id: string) {
  const [team] = await store.listTeamsOf(tx, user_id, team_id)
  if (!team) throw new Failure('not_found', { team_id })
  return team
}

export const listTeams = ({ db }: OAuthDeps, user_id: string) => store.listTeamsOf(db, user_id)

export const getTeam = async ({ db }: OAuthDeps, user_id: string, team_id: string) => ({
  team: await getTeamOf(db, user_id, team_id),
  members: await store.listMembers(db, team_id),
})

/** Fails with `email_not_verified` or `too_many_teams`. */
export async function createTeam(deps: OAuthDeps, caller: UserCaller, name: string) {
  const { user_id } = caller
  const now = deps.clock()
  if (!(await getUser(deps.db, user_id)).email_verified) throw new Failure('email_not_verified', { user_id })
  return deps.db.transaction(async (tx) => {
    if ((await store.lockTeamsOf(tx, user_id)) >= teams_max) throw new Failure('too_many_teams', { user_id })
    await requireSession(deps, tx, caller)
    const team_id = newId()
    await store.insertTeam(tx, { id: team_id, name, now })
    await store.insertMember(tx, { team_id, user_id, role: 'owner', now })
    await recordTeamChange(deps, tx, { team_id, actor_id: user_id, action: 'team.create', now })
    return getTeamOf(tx, user_id, team_id)
  })
}

/**
 * Runs a change of a team in a transaction. Changes of one team are serialized, and the caller keeps the role until it
 * ends. Fails as `requireRole` does.
 */
function changeTeam<Result>(
  deps: OAuthDeps,
  caller: UserCaller,
  team_id: string,
  change: (tx: Tx, by: { now: Date; role: MemberRole }) => Promise<Result>,
  allows_one_factor = false,
) {
  return deps.db.transaction(async (tx) => {
    await requireSession(deps, tx, caller)
    await store.lockTeams(tx, [team_id])
    const role = await requireRole(tx, caller, caller.team_role ?? 'owner', { team_id }, allows_one_factor)
    return change(tx, { now: deps.clock(), role })
  })
}

/** Fails with `second_factor_required` if the caller lacks the factor that the team is to require. */
export const updateTeam = (
  deps: OAuthDeps,
  caller: UserCaller,
  team_id: string,
  update: { name?: string; require_second_factor?: boolean },
) =>
  changeTeam(deps, caller, team_id, async (tx, { now }) => {
    const { user_id: actor_id } = caller
    if (update.require_second_factor && !(await hasSecondFactor(tx, await getUser(tx, actor_id))))
      throw new Failure('second_factor_required', { team_id })
    const before = await getTeamOf(tx, actor_id, team_id)
    await store.setTeam(tx, team_id, update)
    const team = await getTeamOf(tx, actor_id, team_id)
    const by = { team_id, actor_id, now }
    if (team.name !== before.name) await recordTeamChange(deps, tx, { ...by, action: 'team.rename' })
    if (team.require_second_factor !== before.require_second_factor) {
      const action = team.require_second_factor ? 'team.require_second_factor' : 'team.allow_one_factor'
      await recordTeamChange(deps, tx, { ...by, action })
    }
    return team
  })

/** Fails with `team_has_apps`. */
export const deleteTeam = (deps: OAuthDeps, caller: UserCaller, team_id: string) =>
  changeTeam(deps, caller, team_id, async (tx, { now }) => {
    await recordTeamChange(deps, tx, { team_id, actor_id: caller.user_id, action: 'team.delete', now })
    if (!(await store.deleteTeam(tx, team_id))) throw new Failure('team_has_apps', { team_id })
  })

// Members

/** Nobody gives or removes a role above their own. */
function refuseAbove(own: MemberRole, roles: readonly MemberRole[], why: Record<string, unknown>) {
  for (const role of roles) if (!includesRole(own, role)) throw new Failure('role_required', why, { body: { role } })
}

async function getMember(tx: Tx, team_id: string, user_id: string) {
  const [member] = await store.listMembers(tx, team_id, user_id)
  if (!member) throw new Failure('not_found', { team_id, user_id })
  return member
}

interface NewRole {
  team_id: string
  user_id: string
  /** Null removes the member. */
  role: MemberRole | null
  action: TeamAction
  event: 'team_role_changed' | 'team_removed'
  now: Date
}

/** Changes the role of a member, and notifies the member unless it is the caller. Fails with `last_owner`. */
async function setRole(deps: OAuthDeps, tx: Tx, { user_id: actor_id }: UserCaller, change: NewRole) {
  const { team_id, user_id, role, action, event, now } = change
  if (!(await store.changeMember(tx, { team_id, user_id, role }))) throw new Failure('last_owner', { team_id })
  await afterMembers(deps.invalidations, tx, [team_id])
  await recordTeamChange(deps, tx, { team_id, actor_id, action, subject_id: user_id, role, now })
  const notice = { user_id, event, about: `team:${team_id}`, subject_id: team_id, mail: null }
  if (user_id !== actor_id) await notify(tx, [notice], { now })
}

/** Gives a member another role. Fails with `not_found`, `role_required` or `last_owner`. */
export const updateMember = (deps: OAuthDeps, caller: UserCaller, team_id: string, user_id: string, role: MemberRole) =>
  changeTeam(deps, caller, team_id, async (tx, { role: own, now }) => {
    const before = await getMember(tx, team_id, user_id)
    refuseAbove(own, [before.role, role], { team_id, user_id })
    if (before.role === role) return before
    const change = { team_id, user_id, role, action: 'team.change_role', event: 'team_role_changed', now } as const
    await setRole(deps, tx, caller, change)
    return getMember(tx, team_id, user_id)
  })

/**
 * Removes a member, or lets the caller leave, also without the second factor that the team requires; returns whether
 * the caller left. Fails with `not_found`, `role_required` or `last_owner`.
 */
export function removeMember(deps: OAuthDeps, caller: UserCaller, team_id: string, user_id: string) {
  const leaves = user_id === caller.user_id
  const remove = async (tx: Tx, { role: own, now }: { role: MemberRole; now: Date }) => {
    const before = await getMember(tx, team_id, user_id)
    refuseAbove(own, leaves ? [] : ['admin', before.role], { team_id, user_id })
    const action = leaves ? 'team.leave' : 'team.remove'
    await setRole(deps, tx, caller, { team_id, user_id, role: null, action, event: 'team_removed', now })
    return leaves
  }
  return changeTeam(deps, caller, team_id, remove, leaves)
}

/**
 * Gives apps of these teams a new owner if their owner has left, in every process immediately. Called after any change
 * of members.
 */
export async function afterMembers(invalidations: InvalidationBus, tx: Tx, team_ids: readonly string[]) {
  await invalidateApps(invalidations, tx, await store.assignOwners(tx, team_ids))
}

/** The same for all teams of a person who was suspended or has left. */
export async function afterSuspension(invalidations: InvalidationBus, tx: Tx, user_id: string) {
  const team_ids = await store.listTeamIdsOf(tx, user_id)
  await store.lockTeams(tx, team_ids)
  await afterMembers(invalidations, tx, team_ids)
}

// Invitations

export const listInvitations = ({ db, clock }: OAuthDeps, team_id: string) =>
  store.listInvitationsOf(db, { team_id, now: clock() })

/**
 * Invites an address by mail and, if an account has verified it, by a notice. Fails with `role_required`, `team_full`
 * or `already_member`.
 */
export const inviteMember = (
  deps: OAuthDeps,
  caller: UserCaller,
  team_id: string,
  { email, role }: { email: string; role: MemberRole },
) =>
  changeTeam(deps, caller, team_id, async (tx, { now, ...by }) => {
    refuseAbove(by.role, [role], { team_id, role })
    if (await store.findMemberByEmail(tx, team_id, email)) throw new Failure('already_member', { team_id })
    const [id, expires_at] = [newId(), secondsAfter(now, invitation_days * 86_400)]
    const made = { id, team_id, email, role, invited_by: caller.user_id, now, expires_at, members_max }
    if (!(await store.insertInvitation(tx, made))) throw new Failure('team_full', { team_id })
    await recordTeamChange(deps, tx, { team_id, actor_id: caller.user_id, action: 'team.invite', role, now })
    await enqueue(tx, invitation_job, { invitation_id: id }, { priority: 'mail' })
    const user_id = await store.findVerified(tx, email)
    const notice = { event: 'team_invited', about: `team:${team_id}`, subject_id: team_id, mail: null } as const
    if (user_id !== undefined) await notify(tx, [{ user_id, ...notice }], { now })
    const [invitation] = await store.listInvitationsOf(tx, { team_id, id, now })
    return invitation!
  })

/** Fails with `not_found`. */
export const withdrawInvitation = (deps: OAuthDeps, caller: UserCaller, team_id: string, id: string) =>
  changeTeam(deps, caller, team_id, async (tx, { now }) => {
    if (!(await store.deleteInvitation(tx, team_id, id))) throw new Failure('not_found', { id })
    await recordTeamChange(deps, tx, { team_id, actor_id: caller.user_id, action: 'team.withdraw_invitation', now })
  })

/** The open invitations and app offers of a person. */
export async function listOwnInvitations({ db, clock }: OAuthDeps, user_id: string) {
  const now = clock()
  return { invitations: await store.listInvitationsFor(db, user_id, now), apps: await listOffersTo(db, user_id, now) }
}

/**
 * Consumes an invitation, once. Fails with `email_not_verified`, or with `not_found` if it is not the caller's, has
 * expired, or its author has lost the right to invite.
 */
async function answerInvitation(deps: OAuthDeps, tx: Tx, caller: UserCaller, id: string) {
  const { user_id } = caller
  await requireSession(deps, tx, caller)
  if (!(await getUser(tx, user_id)).email_verified) throw new Failure('email_not_verified', { user_id })
  const now = deps.clock()
  const found = await orFail(store.findInvitation(tx, id, now), 'not_found', { id })
  await store.lockTeams(tx, [found.team_id])
  const taken = await orFail(store.takeInvitation(tx, { id, user_id, now }), 'not_found', { id })
  return { ...taken, team_id: found.team_id, now }
}

/** Joins a team. Fails as `answerInvitation` does, or with `too_many_teams` or `already_member`. */
export const acceptInvitation = (deps: OAuthDeps, caller: UserCaller, id: string) =>
  deps.db.transaction(async (tx) => {
    const { user_id } = caller
    const teams = await store.lockTeamsOf(tx, user_id)
    const { team_id, role, now } = await answerInvitation(deps, tx, caller, id)
    if (teams >= teams_max) throw new Failure('too_many_teams', { user_id })
    if (!(await store.insertMember(tx, { team_id, user_id, role, now })))
      throw new Failure('already_member', { team_id })
    await afterMembers(deps.invalidations, tx, [team_id])
    await recordTeamChange(deps, tx, {
      team_id,
      actor_id: user_id,
      action: 'team.join',
      subject_id: user_id,
      role,
      now,
    })
    return getTeamOf(tx, user_id, team_id)
  })

/** Fails as `answerInvitation` does. */
export const declineInvitation = (deps: OAuthDeps, caller: UserCaller, id: string) =>
  deps.db.transaction(async (tx) => {
    const { team_id, now } = await answerInvitation(deps, tx, caller, id)
    await recordTeamChange(deps, tx, { team_id, actor_id: caller.user_id, action: 'team.decline', now })
  })

/** A page of the log of a team, newest first. */
export const listTeamLog = ({ db }: OAuthDeps, team_id: string, query: PageQuery) =>
  pageById(query, (page) => store.listTeamEntries(db, { team_id, ...page }))
