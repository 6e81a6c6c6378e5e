import { Type } from 'typebox'
import { login, register } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { email, id, inserted_at, username } from './fields.ts'
import { date_time, described, integer, page_of, page_query, text, uuid } from './schema.ts'

const { play_points_max, play_points_per_day, test_persons_max, mails_kept_days } = decisions.sandbox

const points = described('The points that are available', integer)

/** The endpoints of a sandbox (D-102); elsewhere each of these paths returns 404. */
const in_sandbox = { tag: 'Sandbox', auth: 'user', origin: 'extension', decision: 'D-102' } as const

export const takePlayPoints = endpoint({
  ...in_sandbox,
  method: 'POST',
  path: '/api/sandbox/points',
  summary: 'Give yourself play points',
  description: `In a sandbox only. At most ${play_points_max} in a call, and ${play_points_per_day} in 24 hours.`,
  body: Type.Object({
    amount: described('How many, in whole points', Type.Integer({ minimum: 1, maximum: play_points_max })),
  }),
  response: Type.Object({ points, transfer_id: described('The movement that brought them', uuid) }),
  fails: ['play_points_limit_reached', 'points_limit_reached'],
})

/** A mail from the service to a person. */
export const sandbox_mail = Type.Object({
  id,
  subject: described('The subject', text),
  text: described('Its body, as plain text', text),
  sent_at: described('When it was written', date_time),
})

export const listMyMails = endpoint({
  ...in_sandbox,
  method: 'GET',
  path: '/api/sandbox/mails',
  summary: 'The mails that were written to your address, newest first',
  description: `In a sandbox only. They are kept for ${mails_kept_days} days.`,
  query: page_query({}),
  response: page_of(sandbox_mail),
})

/** An account for its creator, with a verified address and a password that nobody knows. */
export const test_person = Type.Object({ id, username, email, points, inserted_at })

export const listTestPersons = endpoint({
  ...in_sandbox,
  method: 'GET',
  path: '/api/sandbox/persons',
  summary: 'The test persons that you made, newest first',
  description: 'In a sandbox only.',
  response: Type.Object({ persons: described('All of them', Type.Array(test_person)) }),
})

export const createTestPerson = endpoint({
  ...in_sandbox,
  method: 'POST',
  path: '/api/sandbox/persons',
  summary: 'Make a test person',
  description:
    `In a sandbox only, at most ${test_persons_max}. It has a verified address that receives no mail outside, and a password that nobody ` +
    'knows: only you sign in as this person.',
  body: Type.Object({
    username: Type.Optional(
      described('A name for the person; made up where it is left out', register.body.properties.username),
    ),
  }),
  status: [201],
  response: Type.Object({ person: described('Who was made', test_person) }),
  fails: ['username_taken', 'too_many_test_persons', 'test_person_only'],
})

export const signInAsTestPerson = endpoint({
  ...in_sandbox,
  method: 'POST',
  path: '/api/sandbox/persons/{id}/session',
  summary: 'Sign in as a test person that you made',
  description: 'In a sandbox only. Returns the same as a sign-in; your own session continues.',
  params: Type.Object({ id: described('The id of the test person', uuid) }),
  response: login.response,
  fails: ['not_found', 'account_suspended'],
})
