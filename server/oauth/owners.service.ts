import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { findPerson, getUser } from '../accounts/service.ts'
import { requireSession } from '../accounts/sessions.service.ts'
import { notify } from '../notices/service.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure, invalidField, orFail } from '../platform/failure.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { findApp } from './apps.store.ts'
import { requireMember, requireRole } from './members.service.ts'
import { lockMembership } from './members.store.ts'
import { setOwner, takeOffer, upsertOffer } from './owners.store.ts'
import { appTag, type OAuthDeps } from './service.ts'
import { offer_job } from './team-mails.service.ts'
import { afterMembers, recordTeamChange } from './teams.service.ts'
import { lockTeams } from './teams.store.ts'

const { invitation_days } = decisions.teams

/**
 * Moves an app into a team or to the caller immediately, or offers it to another person. Fails with `validation_failed`
 * unless exactly one is named, with `user_not_found`, or as `requireRole` does for the team.
 */
export async function moveApp(
  deps: OAuthDeps,
  caller: UserCaller,
  app_id: string,
  { team_id, user_id }: { team_id?: string; user_id?: string },
) {
  if (team_id !== undefined && user_id !== undefined) throw invalidField('user_id', 'without_team')
  if (team_id === undefined && user_id === undefined) throw invalidField('team_id', 'required')
  const now = deps.clock()
  return deps.db.transaction(async (tx) => {
    await requireSession(deps, tx, caller)
    const from = (await findApp(tx, app_id))?.team_id
    await lockTeams(tx, [team_id, from].filter((id) => typeof id === 'string').sort())
    await requireMember(deps, tx, caller, app_id)
    if (team_id !== undefined) {
      await requireRole(tx, caller, 'admin', { team_id })
      await handOver(deps, tx, { app_id, team_id, owner_id: caller.user_id, actor_id: caller.user_id, now })
      return { team_id, offer_expires_at: null }
    }
    if (user_id === caller.user_id) {
      await handOver(deps, tx, { app_id, team_id: null, owner_id: user_id, actor_id: user_id, now })
      return { team_id: null, offer_expires_at: null }
    }
    const expires_at = secondsAfter(now, invitation_days * 86_400)
    await offerApp(tx, { app_id, to_user_id: user_id!, offered_by: caller.user_id, now, expires_at })
    return { team_id: from ?? null, offer_expires_at: expires_at }
  })
}

async function offerApp(tx: Tx, offer: Parameters<typeof upsertOffer>[1]) {
  const { app_id, to_user_id: user_id, now } = offer
  const person = await findPerson(tx, user_id)
  if (!person || person.suspended) throw new Failure('user_not_found', { user_id })
  await upsertOffer(tx, offer)
  const mail = { job: offer_job, payload: { app_id, user_id } }
  await notify(tx, [{ user_id, event: 'app_offered', about: `offer:${app_id}`, subject_id: app_id, app_id, mail }], {
    now,
  })
}

interface HandOver {
  app_id: string
  team_id: string | null
  owner_id: string
  actor_id: string
  now: Date
}

/** Gives an app another owner, in every process immediately, and records it in the logs of both teams. */
async function handOver(deps: OAuthDeps, tx: Tx, { app_id, team_id, owner_id, actor_id, now }: HandOver) {
  const from = await setOwner(tx, { app_id, team_id, owner_id })
  await deps.invalidations.publish(tx, [appTag(app_id)])
  const change = { actor_id, subject_id: app_id, now }
  if (from !== null) await recordTeamChange(deps, tx, { ...change, team_id: from, action: 'team.give_app' })
  if (team_id !== null) {
    await recordTeamChange(deps, tx, { ...change, team_id, action: 'team.take_app' })
    await afterMembers(deps.invalidations, tx, [team_id])
  }
  if (from === null && team_id === null)
    await deps.events.acted(tx, { actor_id, action: 'app.move', target_id: app_id, details: {}, now })
}

/** Accepts an app that is offered to the caller, once. Fails with `email_not_verified` or `not_found`. */
export const acceptApp = (deps: OAuthDeps, caller: UserCaller, app_id: string) =>
  deps.db.transaction(async (tx) => {
    const { user_id } = caller
    const now = deps.clock()
    await requireSession(deps, tx, caller)
    if (!(await getUser(tx, user_id)).email_verified) throw new Failure('email_not_verified', { user_id })
    const from = (await findApp(tx, app_id))?.team_id
    await lockTeams(tx, typeof from === 'string' ? [from] : [])
    await lockMembership(tx, app_id, user_id)
    await orFail(takeOffer(tx, { app_id, user_id, now }), 'not_found', { app_id })
    await handOver(deps, tx, { app_id, team_id: null, owner_id: user_id, actor_id: user_id, now })
  })
