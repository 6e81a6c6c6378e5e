import { expect, test } from 'vitest'
import { sharedService } from '../../test/harness.ts'
import { eventReaders, sendText, someChannel, messageTexts } from '../../test/social-world.ts'
import { someUser } from '../../test/world.ts'
import { events_channel } from './store.ts'

const plaza = await sharedService()
const read = eventReaders()

/** Events that cannot be delivered: the payload is null, or its message id is not a UUID. */
const brokenEvents = (channel_id: string, user_id: string) =>
  plaza.db.sql`
    with written as (
      insert into events (kind, channel_id, user_id, actor_id, payload, inserted_at)
      select e.kind, e.channel_id, e.user_id, ${user_id}, e.payload, now()
        from (values ('message', ${channel_id}::uuid, null::uuid, '{"message_id": "no id"}'::jsonb),
                     ('friendship', null, ${user_id}::uuid, 'null'::jsonb)) e(kind, channel_id, user_id, payload)
      returning 1
    )
    select pg_notify(${events_channel}, '') from (select count(*) from written) counted`

test('D-80: events that cannot be delivered are skipped and logged; all readers get those before and after', async () => {
  const [anna, ben] = await Promise.all([someUser(plaza), someUser(plaza)])
  const channel_id = await someChannel(anna)
  const readers = await Promise.all([anna, ben].map((user) => read(plaza, user, { channels: [channel_id] })))
  await sendText(anna, channel_id, 'before')
  await Promise.all(readers.map((reader) => reader.received(1)))
  const seen = readers[0]?.lastEventId() ?? ''
  await Promise.all([brokenEvents(channel_id, anna.id), sendText(ben, channel_id, 'beside')])
  await sendText(anna, channel_id, 'after')
  for (const reader of readers) expect(messageTexts(await reader.received(3))).toEqual(['before', 'beside', 'after'])
  const lines = plaza
    .logged()
    .split('\n')
    .filter((line) => line.includes('an event cannot be delivered and is skipped'))
  expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind).sort()).toEqual(['friendship', 'message'])

  const late = await read(plaza, anna, { channels: [channel_id], last_event_id: seen })
  expect(messageTexts(await late.received(2))).toEqual(['beside', 'after'])
  await sendText(anna, channel_id, 'live')
  expect(messageTexts(await late.received(3))).toEqual(['beside', 'after', 'live'])
})
