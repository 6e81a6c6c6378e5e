import { expect, test } from 'vitest'
import { listLoginSessions } from '../../contract/accounts.ts'
import { sharedService } from '../test/harness.ts'
import { someUser } from '../test/world.ts'

const plaza = await sharedService()
const forget = () => plaza.service.app.jobs.find(({ name }) => name === 'accounts.forget_old_logins')!.run({}, 'test')

test('D-15: one run purges all expired login sessions, however many; active ones stay', async () => {
  const user = await someUser(plaza)
  await plaza.db.sql`
    insert into login_sessions (id, user_id, inserted_at, expires_at)
    select gen_random_uuid(), ${user.id}, timestamptz '2000-01-01', timestamptz '2000-01-02'
      from generate_series(1, 25000)`
  await forget()
  const left = await plaza.db.sql`select id from login_sessions where user_id = ${user.id}`
  expect(left.length).toBe(1)
  expect((await user.api.result(listLoginSessions)).sessions.length).toBe(1)
})

test('D-15: a login session is purged 30 days after it expired and no sooner', async () => {
  const user = await someUser(plaza)
  const kept = async () => (await plaza.db.sql`select id from login_sessions where user_id = ${user.id}`).length
  plaza.clock.advance(43_200 + 30 * 86_400)
  await forget()
  expect(await kept()).toBe(1)
  plaza.clock.advance(1)
  await forget()
  expect(await kept()).toBe(0)
})

test('D-11: one run purges all expired mailed codes, however many; a valid one stays', async () => {
  const left = () => plaza.db.sql<{ id: string }>`
    select user_id as id from mailed_codes union all select user_id from reset_codes`
  // Expires codes of other files.
  plaza.clock.advance(901)
  const [{ id } = { id: '' }] = await plaza.db.sql<{ id: string }>`
    insert into mailed_codes (user_id, purpose, code_hash, tries_left, expires_at)
    values (gen_random_uuid(), 'verify_email', '\\x00', 5, ${new Date(plaza.clock.now().getTime() + 900_000)})
    returning user_id as id`
  await plaza.db.sql`
    insert into mailed_codes (user_id, purpose, code_hash, tries_left, expires_at)
    select gen_random_uuid(), 'verify_email', '\\x00', 1, timestamptz '2000-01-01' from generate_series(1, 12500)`
  await plaza.db.sql`
    insert into reset_codes (user_id, code_hash, expires_at)
    select gen_random_uuid(), sha256(n::text::bytea), timestamptz '2000-01-01' from generate_series(1, 12500) n`
  plaza.clock.advance(900)
  await forget()
  expect(await left()).toEqual([{ id }])
  plaza.clock.advance(1)
  await forget()
  expect(await left()).toEqual([])
})
