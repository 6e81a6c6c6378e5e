import { expect, test } from 'vitest'
import { sharedService } from '../test/harness.ts'
import { world } from '../test/world.ts'
import { createLastUseRecorder } from './last-use.service.ts'

const plaza = await sharedService()

test('uses that cannot be written keep no others from being written, and are tried again', async () => {
  const { user, app } = await world(plaza)
  const [connection] = await plaza.db.sql<{ grant_id: string }>`
    select grant_id from app_sessions where user_id = ${user.id} and app_id = ${app.id}`
  plaza.clock.advance(600)
  const uses = createLastUseRecorder(plaza.db, plaza.clock.now)
  const broken = Array.from({ length: 1_000 }, (_, at) => `no id ${at}`)
  for (const grant_id of broken) uses.record({ grant_id, user_id: user.id, app_id: app.id })
  const grant_id = connection?.grant_id ?? ''
  uses.record({ grant_id, user_id: user.id, app_id: app.id })
  await expect(uses.flush()).rejects.toThrow('invalid input syntax for type uuid')
  expect([uses.pending(grant_id), uses.pending('no id 0')]).toEqual([undefined, plaza.clock.now()])
  const [written] = await plaza.db.sql<{ last_used_at: Date }>`
    select last_used_at from connections where user_id = ${user.id} and app_id = ${app.id}`
  expect(written?.last_used_at).toEqual(plaza.clock.now())
})
