import { expect, test } from 'vitest'
import { updateProfile } from '../../contract/profiles.ts'
import { getBoard, getStreak, setListing } from '../../contract/boards.ts'
import { chooseLearningPath, completeStep, listModules } from '../../contract/learning.ts'
import { blockUser } from '../../contract/social.ts'
import { decisions } from '../../contract/decisions.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { befriend, someUsers } from '../test/social-world.ts'
import { someUser, type SomeUser } from '../test/world.ts'
import { othersOf, placesOf, type Learner } from './boards.rules.ts'

const { counted_max } = decisions.boards
const learner = (user_id: string, steps: number, minute = 0): Learner => ({
  user_id,
  username: user_id,
  display_name: null,
  steps,
  reached_at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
})
const shown = (places: ReturnType<typeof placesOf>) => places.map(({ rank, user_id }) => `${rank} ${user_id}`)

test('D-163: a board has its first places, and the own place with its neighbours; of equals the earlier one is first', () => {
  const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, at) => learner(name, 20 - at))
  const me = learner('me', 15, 1)
  expect(shown(placesOf(me, othersOf(me, others, 2, 1)))).toEqual(['1 a', '2 b', '6 f', '7 me', '8 g'])
  expect(shown(placesOf(me, othersOf(me, others, 10, 1)))).toEqual([
    '1 a',
    '2 b',
    '3 c',
    '4 d',
    '5 e',
    '6 f',
    '7 me',
    '8 g',
    '9 h',
  ])
  expect(shown(placesOf(undefined, othersOf(undefined, others, 2, 1)))).toEqual(['1 a', '2 b'])
  expect(shown(placesOf(me, othersOf(me, [], 2, 1)))).toEqual(['1 me'])
  const far = {
    first: others.slice(0, 2),
    ahead: [learner('x', 16)],
    behind: [learner('y', 14)],
    ahead_count: counted_max,
  }
  expect(shown(placesOf(me, far))).toEqual(['1 a', '2 b', 'null x', 'null me', 'null y'])
})

const plaza = await sharedService()

async function learn(user: SomeUser, path: string, steps: number) {
  await user.api.result(chooseLearningPath, { body: { path } })
  const { modules } = await user.api.result(listModules)
  const ids = modules.flatMap((module) => module.steps.map(({ step_id }) => step_id)).slice(0, steps)
  for (const step_id of ids) await user.api.result(completeStep, { params: { step_id } })
}
const path = 'bitcoin-basics'
const board = async ({ api }: SomeUser, of: 'friends' | 'all') => {
  const { places, is_listed } = await api.result(getBoard, { params: { path }, query: { of } })
  return { names: places.map(({ username }) => username), places, is_listed }
}

test('D-163: friends are on the board of friends; strangers see only those who agreed, and nobody sees whom a block separates', async () => {
  const [anna, berta, carla] = (await someUsers(plaza, 3)) as [SomeUser, SomeUser, SomeUser]
  await learn(anna, path, 1)
  await learn(berta, path, 3)
  await learn(carla, path, 2)
  await befriend(anna, berta)
  expect((await board(anna, 'friends')).places.map(({ rank, username, steps }) => [rank, username, steps])).toEqual([
    [1, berta.username, 3],
    [2, anna.username, 1],
  ])
  const before = await board(carla, 'all')
  expect([before.is_listed, before.names.filter((name) => [anna.username, berta.username].includes(name))]).toEqual([
    false,
    [],
  ])
  expect(outcome(await berta.api.call(setListing, { body: { is_listed: true } }))).toEqual([200, { is_listed: true }])
  expect((await board(carla, 'all')).names).toContain(berta.username)
  expect((await board(anna, 'all')).names).not.toContain(carla.username)
  await carla.api.result(blockUser, { body: { user_id: berta.id } })
  await carla.api.result(setListing, { body: { is_listed: true } })
  expect((await board(carla, 'all')).names).not.toContain(berta.username)
  expect((await board(berta, 'all')).names).not.toContain(carla.username)
  expect((await board(anna, 'all')).names).toEqual(expect.arrayContaining([berta.username, carla.username]))
})

test('D-163: an unknown path is 404, and so is listing oneself without one', async () => {
  const user = await someUser(plaza)
  expect(outcome(await user.api.call(getBoard, { params: { path: 'nowhere' } }))).toEqual(refused('not_found'))
  expect(outcome(await user.api.call(setListing, { body: { is_listed: true } }))).toEqual(refused('not_found'))
})

test('D-163: a completed step counts for the day of the time zone that the profile has then', async () => {
  const user = await someUser(plaza)
  await user.api.result(updateProfile, { body: { time_zone: 'Pacific/Kiritimati' } })
  const streak = () => user.api.result(getStreak)
  expect(await streak()).toEqual({ current: 0, longest: 0, completed_today: false, time_zone: 'Pacific/Kiritimati' })
  await learn(user, path, 2)
  expect(await streak()).toMatchObject({ current: 1, longest: 1, completed_today: true })
  await user.api.result(updateProfile, { body: { time_zone: 'Pacific/Pago_Pago' } })
  expect(await streak()).toMatchObject({ current: 1, completed_today: true, time_zone: 'Pacific/Pago_Pago' })
})
