import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { channel_id } from './fields.ts'
import { described, partial, uuid } from './schema.ts'

const ours = { tag: 'Notices', auth: 'user', origin: 'extension', decision: 'D-119' } as const
const { unread_max } = decisions.notices

export const notice_id = described(
  'The id of the notice; ids grow with time, and a repeated event changes the id',
  uuid,
)

export const unread = described(
  `The number of unread notices, counted up to ${unread_max}`,
  Type.Integer({ minimum: 0, maximum: unread_max }),
)

export const notices_event = Type.Object({ unread })

export const countUnreadNotices = endpoint('GET /api/notices/unread', {
  ...ours,
  summary: 'The number of unread notices',
  description: 'For a badge. `GET /api/events?notices=true` sends it whenever it changes.',
  response: Type.Object({ unread: unread }),
})

export const readNotices = endpoint('POST /api/notices/read', {
  ...ours,
  summary: 'Mark notices as read',
  description:
    'Exactly one of `id`, `upto` and `channel_id`. A notice that arrives while the call runs stays unread, and so does a notice to which more was added ' +
    'since it was listed. It can be repeated.',
  body: partial({
    id: described('Only this notice', notice_id),
    upto: described('This notice and all before it', notice_id),
    channel_id: described('The notice of the messages in this chat, if there is one', channel_id),
  }),
  response: Type.Object({ unread: unread }),
  fails: ['not_found'],
})
