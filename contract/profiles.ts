import { Type } from 'typebox'
import { display_name, profile, time_zone } from './account-fields.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { while_muted } from './moderation-fields.ts'
import { described } from './schema.ts'

export const updateProfile = endpoint({
  method: 'PUT',
  path: '/api/auth/profile',
  tag: 'Accounts',
  summary: 'Set your display name and your time zone',
  description: 'A field that is left out stays as it is; null clears it.',
  auth: 'user',
  origin: 'extension',
  decision: 'D-165',
  limit: decisions.profiles.changes,
  body: Type.Object({ display_name: Type.Optional(display_name), time_zone: Type.Optional(time_zone) }),
  response: Type.Object({ user: described('Your account after the change', profile) }),
  fails: ['muted'],
  failure_fields: while_muted,
})
