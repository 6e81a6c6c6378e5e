import { Type } from 'typebox'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { notice_kind } from './notice-fields.ts'
import { boolean, bounded_text, date_time, described, nullable_text, text, uuid } from './schema.ts'

const ours = { tag: 'Notices', auth: 'user', origin: 'extension', decision: 'D-160' } as const
const { devices_max } = decisions.push

const device_id = described('The id of the device', uuid)
const kinds = described('The kinds of notices that it gets', Type.Array(notice_kind))
const with_texts = described('Whether push messages show the text of direct messages', boolean)
const device = Type.Object({
  id: device_id,
  kinds,
  with_texts,
  user_agent: described('The `User-Agent` of the sign-in; null if none was sent', nullable_text),
  is_this_session: described('Whether the session of this call registered it', boolean),
  inserted_at: described('When it was registered', date_time),
})

export const listDevices = endpoint('GET /api/notices/devices', {
  ...ours,
  summary: 'The devices that get your notices as push messages',
  description: 'Only devices with active sessions, oldest first.',
  response: Type.Object({
    public_key: described('This Plaza’s key for a browser’s subscription (`applicationServerKey`)', text),
    devices: described('All of them', Type.Array(device)),
  }),
})

export const registerDevice = endpoint('POST /api/notices/devices', {
  ...ours,
  summary: 'Send notices to this browser',
  description: `Registers the push subscription of a browser for this session, at most ${devices_max} a person. The same endpoint again changes the kinds and the keys.`,
  limit: { requests: 60, seconds: 3600 },
  body: Type.Object({
    endpoint: described('The address of the subscription', bounded_text(1, 2048)),
    keys: described(
      'Its keys, in base64url',
      Type.Object({
        p256dh: described('The public key of the browser: a point of P-256', bounded_text(1, 128)),
        auth: described('The secret of the subscription: 16 bytes', bounded_text(1, 64)),
      }),
    ),
    kinds: described('The kinds of notices that it gets', Type.Array(notice_kind, { minItems: 1, maxItems: 20 })),
    with_texts: Type.Optional(
      described(
        'Whether push messages show the text of direct messages. If absent, the setting does not change; a new device shows none',
        boolean,
      ),
    ),
  }),
  response: device,
  fails: ['too_many_devices'],
})

export const forgetDevice = endpoint('DELETE /api/notices/devices/{id}', {
  ...ours,
  summary: 'Stop sending notices to a device',
  description: 'The device is deleted. Its browser may keep the subscription, but nothing is sent to it.',
  params: Type.Object({ id: device_id }),
  response: message_response,
  fails: ['not_found'],
})
