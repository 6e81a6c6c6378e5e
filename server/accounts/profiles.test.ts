import { expect, test } from 'vitest'
import { me } from '../../contract/accounts.ts'
import { updateProfile } from '../../contract/profiles.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, outcome } from '../test/refusals.ts'
import { someUser, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()

type Change = { display_name?: string | null; time_zone?: string | null }
const update = async ({ api }: SomeUser, body: Change) => outcome(await api.call(updateProfile, { body }))
const profileOf = async ({ api }: SomeUser) => {
  const { display_name, time_zone } = (await api.result(me)).user
  return [display_name, time_zone]
}

test('D-165: a person sets display name and time zone, each alone, and clears them with null', async () => {
  const user = await someUser(plaza)
  expect(await profileOf(user)).toEqual([null, null])
  const [status, answer] = await update(user, { display_name: 'Ada Łovelace 🕯', time_zone: 'Europe/Berlin' })
  expect([status, answer]).toEqual([200, { user: (await user.api.result(me)).user }])
  expect(await profileOf(user)).toEqual(['Ada Łovelace 🕯', 'Europe/Berlin'])
  await update(user, { time_zone: 'UTC' })
  expect(await profileOf(user)).toEqual(['Ada Łovelace 🕯', 'UTC'])
  await update(user, { display_name: null })
  expect(await profileOf(user)).toEqual([null, 'UTC'])
})

test('D-165: names that deceive, bad words and unknown time zones are refused, and change nothing', async () => {
  const user = await someUser(plaza)
  await update(user, { display_name: 'Ada', time_zone: 'Asia/Kathmandu' })
  for (const display_name of ['Plaza Support', 'Mоderator', 'What a bitch'])
    expect(await update(user, { display_name, time_zone: 'UTC' })).toEqual(
      invalid('display_name', 'is not allowed as a name'),
    )
  expect(await update(user, { display_name: ' \u200b' })).toEqual(invalid('display_name', 'must not be blank'))
  for (const time_zone of ['Nowhere/Atlantis', 'CET', '+01:00', ''])
    expect(await update(user, { display_name: 'Eve', time_zone })).toEqual(
      invalid('time_zone', 'must be a time zone such as Europe/Berlin'),
    )
  expect(await profileOf(user)).toEqual(['Ada', 'Asia/Kathmandu'])
})
