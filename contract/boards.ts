import { Type } from 'typebox'
import { display_name } from './account-fields.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import * as fields from './fields.ts'
import { boolean, bounded_text, described, integer, nullable_integer, one_of, text } from './schema.ts'

const { counted_max } = decisions.boards
const ours = { tag: 'Learning', auth: 'user', origin: 'extension', decision: 'D-163' } as const

export const boards = ['friends', 'all'] as const

export const getStreak = endpoint('GET /api/btc-progress/streak', {
  ...ours,
  summary: 'Your streak: successive days on which you completed a step',
  description:
    'A day ends at midnight in the time zone of your profile, or of UTC. A day that counted keeps counting when you change the zone.',
  response: Type.Object({
    current: described('Successive days up to today, or up to yesterday while today has no step', integer),
    longest: described('Your longest streak', integer),
    completed_today: described('Whether today already counts', boolean),
    time_zone: described('The time zone of the days', text),
  }),
})

export const board_place = Type.Object({
  rank: described(`The place; null after the first ${counted_max}`, nullable_integer),
  user_id: described('The id of the person', fields.id),
  username: fields.username,
  display_name,
  steps: described('The number of steps of the path that the person has ever completed', integer),
})

export const getBoard = endpoint('GET /api/btc-progress/{path}/board', {
  ...ours,
  summary: 'The people with the most completed steps of a learning path',
  description:
    'Lists the first places, and yours with its neighbours. Among equal numbers, the earlier completion comes first. `all` lists ' +
    'people who agreed to be listed, `friends` your friends on this path. Neither lists people whom you blocked or who blocked you.',
  params: Type.Object({ path: described('The name of a learning path', bounded_text(1, 100)) }),
  query: Type.Object({
    of: Type.Optional(described('The people: your friends, or everyone who is listed', one_of(boards))),
  }),
  response: Type.Object({
    places: described('The places, in order', Type.Array(board_place)),
    is_listed: described('Whether you are listed in `all`', boolean),
  }),
  fails: ['not_found'],
})

export const setListing = endpoint('PUT /api/btc-progress/listing', {
  ...ours,
  summary: 'Agree to be listed on the board of your learning path, or withdraw it',
  description: 'Nobody is listed without their consent. Without a chosen path, the response is 404.',
  body: Type.Object({ is_listed: described('Whether you may be listed', boolean) }),
  response: Type.Object({ is_listed: described('Whether you are listed', boolean) }),
  fails: ['not_found'],
})
