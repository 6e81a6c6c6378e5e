import { success_messages } from '../../contract/success-messages.ts'
import * as contract from '../../contract/teams.ts'
import { mount, type Http } from '../http/mount.ts'
import { acceptApp, moveApp } from './owners.service.ts'
import type { OAuthDeps } from './service.ts'
import * as teams from './teams.service.ts'

export function teamRoutes(http: Http, deps: OAuthDeps) {
  mount(http, contract.createTeam, async ({ caller, body }) => ({
    team: await teams.createTeam(deps, caller, body.name),
  }))
  mount(http, contract.listTeams, async ({ caller }) => ({ teams: await teams.listTeams(deps, caller.user_id) }))
  mount(http, contract.getTeam, ({ caller, params }) => teams.getTeam(deps, caller.user_id, params.id))
  mount(http, contract.updateTeam, async ({ caller, params, body }) => ({
    team: await teams.updateTeam(deps, caller, params.id, body),
  }))
  mount(http, contract.deleteTeam, async ({ caller, params }) => {
    await teams.deleteTeam(deps, caller, params.id)
    return { message: success_messages.team_deleted }
  })
  mount(http, contract.updateMember, async ({ caller, params, body }) => ({
    member: await teams.updateMember(deps, caller, params.id, params.user_id, body.role),
  }))
  mount(http, contract.removeMember, async ({ caller, params }) => {
    const leaves = await teams.removeMember(deps, caller, params.id, params.user_id)
    return { message: leaves ? success_messages.team_left : success_messages.member_removed }
  })
  mount(http, contract.listTeamLog, ({ params, query }) => teams.listTeamLog(deps, params.id, query))
  invitationRoutes(http, deps)
  mount(http, contract.moveApp, ({ caller, params, body }) => moveApp(deps, caller, params.id, body))
  mount(http, contract.acceptApp, async ({ caller, params }) => {
    await acceptApp(deps, caller, params.id)
    return { message: success_messages.app_accepted }
  })
}

function invitationRoutes(http: Http, deps: OAuthDeps) {
  mount(http, contract.listInvitations, async ({ params }) => ({
    invitations: await teams.listInvitations(deps, params.id),
  }))
  mount(http, contract.inviteMember, async ({ caller, params, body }) => ({
    invitation: await teams.inviteMember(deps, caller, params.id, body),
  }))
  mount(http, contract.withdrawInvitation, async ({ caller, params }) => {
    await teams.withdrawInvitation(deps, caller, params.id, params.invitation_id)
    return { message: success_messages.invitation_withdrawn }
  })
  mount(http, contract.listOwnInvitations, ({ caller }) => teams.listOwnInvitations(deps, caller.user_id))
  mount(http, contract.acceptInvitation, async ({ caller, params }) => ({
    team: await teams.acceptInvitation(deps, caller, params.code),
  }))
  mount(http, contract.declineInvitation, async ({ caller, params }) => {
    await teams.declineInvitation(deps, caller, params.code)
    return { message: success_messages.invitation_declined }
  })
}
