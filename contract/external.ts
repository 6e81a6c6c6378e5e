import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { boolean, decided, email, nullable_date_time, nullable_integer, nullable_text, text, uuid } from './schema.ts'

export const getExternalUser = endpoint({
  method: 'GET',
  path: '/api/external/user',
  tag: 'External user',
  summary: 'The profile of the user for whom the token acts',
  description: 'The fields stand in `user`, and the standard claims at the top level too, where OAuth clients look.',
  auth: { scope: 'profile:read' },
  decision: 'D-35',
  response: Type.Object(
    {
      user: Type.Object(
        { id: uuid, username: text, email, email_verified: boolean, tier: text, tier_emoji: text },
        { additionalProperties: true },
      ),
      id: decided('D-35', uuid),
      sub: decided('D-35', uuid),
      name: decided('D-35', text),
      email: decided('D-35', email),
      email_verified: decided('D-35', boolean),
    },
    { additionalProperties: true },
  ),
})

export const getSessionStatus = endpoint({
  method: 'GET',
  path: '/api/external/session/status',
  tag: 'External user',
  summary: 'The user’s session in this app',
  auth: { scope: 'profile:read' },
  decision: 'D-38',
  response: Type.Object({
    session_active: boolean,
    session_id: nullable_text,
    points_earned: nullable_integer,
    last_heartbeat: nullable_date_time,
    is_alive: boolean,
  }),
})

export const endSession = endpoint({
  method: 'POST',
  path: '/api/external/session/end',
  tag: 'External user',
  summary: 'End the user’s session in this app; its tokens stay good',
  auth: { scope: 'profile:read' },
  decision: 'D-38',
  response: Type.Object({ message: text, session_id: text }),
  fails: ['no_active_session'],
})
