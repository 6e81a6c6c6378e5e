import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { email_verified, tier_emoji } from './account-fields.ts'
import { email, id, message, username } from './fields.ts'
import {
  boolean,
  decided,
  described,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  text,
  uuid,
} from './schema.ts'

export const external_user = Type.Object(
  { id, username, email, email_verified, tier: described('The rank of the person', text), tier_emoji },
  { additionalProperties: true },
)

const of_session = { tag: 'External user', auth: { scope: 'profile:read' } } as const

export const getExternalUser = endpoint('GET /api/external/user', {
  ...of_session,
  summary: 'The profile of the user for whom the token acts',
  description:
    'The fields are in `user`; the standard claims are also at the top level, where OAuth clients expect them.',
  tool: 'reads',
  decision: 'D-35',
  response: Type.Object(
    {
      user: described('The person; later versions may add fields', external_user),
      id: described('The id of the person, which never changes', decided('D-35', uuid)),
      sub: described('The same as `id`, as OpenID Connect calls it', decided('D-35', uuid)),
      name: described('The same as `username`', decided('D-35', text)),
      email: decided('D-35', email),
      email_verified: decided('D-35', email_verified),
    },
    { additionalProperties: true },
  ),
})

export const getSessionStatus = endpoint('GET /api/external/session/status', {
  ...of_session,
  summary: 'The user’s session in this app',
  description: 'It begins with a code exchange. Any call with its tokens counts as a heartbeat, including this one.',
  decision: 'D-38',
  response: Type.Object({
    session_active: described('Whether there is an active session', boolean),
    session_id: described('Its id; null without a session', nullable_text),
    points_earned: described('Points that the app awarded since it began; null without a session', nullable_integer),
    last_heartbeat: described('When the app last called for this person; null without a session', nullable_date_time),
    is_alive: described('Whether that was within the last two minutes (the default)', boolean),
  }),
})

export const endSession = endpoint('POST /api/external/session/end', {
  ...of_session,
  summary: 'End the user’s session in this app; its tokens stay valid',
  description: 'Only the session token stops working. To end all access, revoke the refresh token.',
  decision: 'D-38',
  response: Type.Object({ message, session_id: described('The id of the ended session', text) }),
  fails: ['no_active_session'],
})
