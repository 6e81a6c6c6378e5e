import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import * as fields from './fields.ts'
import { member_roles } from './kinds/member-roles.ts'
import { team_actions } from './kinds/team-actions.ts'
import {
  boolean,
  date_time,
  decided,
  described,
  display_name,
  integer,
  nullable_text,
  nullable_uuid,
  one_of,
  text,
  uuid,
} from './schema.ts'

const { name_max } = decisions.teams

export const team_id = described('The id of the team', uuid)
export const team_name = described(
  'The name of the team, as its members see it',
  decided('D-134', display_name(name_max)),
)
export const member_role = described('The role, which includes those below it', one_of(member_roles))
export const own_role = described('Your role, which includes those below it', one_of(member_roles))
export const require_second_factor = described(
  'Whether members without a second factor have no access to the team and its apps',
  boolean,
)
export const invitation_code = described(
  'The code of the invitation, as in its mail and in `GET /api/invitations`',
  uuid,
)

export const team = Type.Object({
  id: team_id,
  name: team_name,
  require_second_factor,
  role: own_role,
  members: described('The number of its members', integer),
  apps: described('The number of its apps', integer),
  inserted_at: fields.inserted_at,
})

export const member = Type.Object({
  user_id: fields.user_id,
  username: fields.username,
  ...fields.look,
  role: member_role,
  lacks_second_factor: described('Whether the person has no access until they set up a second factor', boolean),
  suspended: described('Whether an admin of the platform has suspended the account', boolean),
  joined_at: described('When the person joined the team', date_time),
})

export const invitation = Type.Object({
  id: invitation_code,
  email: described('The invited address', text),
  role: member_role,
  invited_by_username: described('The name of the member who invited', fields.nullable_username),
  inserted_at: fields.inserted_at,
  expires_at: fields.expires_at,
})

export const own_invitation = Type.Object({
  code: invitation_code,
  team_id,
  team_name,
  role: member_role,
  invited_by_username: described('The name of the member who invited', fields.nullable_username),
  expires_at: fields.expires_at,
})

export const offered_app = Type.Object({
  app_id: fields.app_id,
  app_name: fields.app_name,
  offered_by_username: described('The name of the person who gives it away', fields.nullable_username),
  expires_at: fields.expires_at,
})

export const team_log_entry = Type.Object({
  id: described('The id of the entry', uuid),
  action: described('The change', one_of(team_actions)),
  actor_id: fields.user_id,
  actor_username: fields.nullable_username,
  subject_id: described('The id of the changed person or app; null for the team', nullable_uuid),
  subject_name: described('Its current name; null if it has none or no longer exists', nullable_text),
  role: described(
    'The given role; null for other changes',
    Type.Unsafe<(typeof member_roles)[number] | null>({ type: ['string', 'null'], enum: [...member_roles, null] }),
  ),
  inserted_at: described('When it happened', date_time),
})
