import { Type } from 'typebox'
import { display_name, picture_body, picture_body_bytes_max, profile, time_zone } from './account-fields.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { while_muted } from './moderation-fields.ts'
import { bounded_text, described, integer } from './schema.ts'
import * as fields from './fields.ts'

const of_profile = { tag: 'Accounts', auth: 'user', origin: 'extension', decision: 'D-165' } as const

export const updateProfile = endpoint('PUT /api/auth/profile', {
  ...of_profile,
  summary: 'Set your display name and your time zone',
  description: 'Absent fields do not change; null clears a field.',
  limit: decisions.profiles.changes,
  body: Type.Object({ display_name: Type.Optional(display_name), time_zone: Type.Optional(time_zone) }),
  response: Type.Object({ user: described('Your account after the change', profile) }),
  fails: ['muted'],
  failure_fields: while_muted,
})

export const getReferral = endpoint('GET /api/public/referrals/{code}', {
  tag: 'Accounts',
  summary: 'The person behind a referral code, and the points for both people',
  description: 'For an invitation page. Codes of suspended people count as unknown.',
  auth: 'none',
  cors: 'any_origin',
  origin: 'extension',
  decision: 'D-164',
  params: Type.Object({ code: described('The `referral_code` of a person', bounded_text(1, 64)) }),
  response: Type.Object({
    username: fields.username,
    display_name: fields.look.display_name,
    reward: described('This person’s points for the new account', integer),
    signup_points: described('The points of the new account', integer),
  }),
  fails: ['not_found'],
})

export const setPicture = endpoint('PUT /api/auth/picture', {
  ...of_profile,
  summary: 'Set your picture',
  description:
    `Crops the picture to a square of ${decisions.profiles.side} pixels and removes its metadata. \`picture_url\` is its address; ` +
    'each picture has a new one.',
  limit: decisions.profiles.changes,
  body_bytes_max: picture_body_bytes_max,
  body: picture_body,
  response: Type.Object({ user: described('Your account after the change', profile) }),
  fails: ['muted'],
  failure_fields: while_muted,
})

export const removePicture = endpoint('DELETE /api/auth/picture', {
  ...of_profile,
  summary: 'Remove your picture',
  description: 'Does nothing if you have none.',
  response: Type.Object({ user: described('Your account after the change', profile) }),
})
