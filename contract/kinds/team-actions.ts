/**
 * Every change that a team's log records (D-134). The audit log has the same actions; the console has a text for each.
 */
export const team_actions = [
  'team.create',
  'team.rename',
  'team.require_second_factor',
  'team.allow_one_factor',
  'team.delete',
  'team.invite',
  'team.withdraw_invitation',
  'team.decline',
  'team.join',
  'team.change_role',
  'team.remove',
  'team.leave',
  'team.take_app',
  'team.give_app',
] as const
export type TeamAction = (typeof team_actions)[number]
