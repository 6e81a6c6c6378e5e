import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { checkLedger } from '../../contract/admin.ts'
import {
  chooseLearningPath,
  completeStep,
  getModuleStatus,
  listLearningPaths,
  listModules,
  resetModule,
} from '../../contract/learning.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { countBy, race, startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { givePoints, pointsOf, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const first_path = `
title: First path
summary: The shorter one
modules:
  - module_number: 2
    title: Blocks
    summary: How they hang together
    cooldown_days: 2
    steps:
      - { step_id: block, title: A block, reward: 3, body: About a block. }
  - module_number: 1
    title: Coins
    summary: What a coin is
    sources:
      - { title: A source, url: https://example.org/coins }
    steps:
      - { step_id: coin, title: A coin, reward: 10, body: About a coin. }
      - { step_id: change, title: Change, reward: 5, body: About change. }
      - { step_id: pause, title: A pause, body: Nothing to earn. }
`
const second_path = `
title: Second path
summary: The other one
modules:
  - module_number: 1
    title: Keys
    summary: What a key is
    steps:
      - { step_id: key, title: A key, reward: 7, body: About a key. }
`

const folder = await mkdtemp(join(tmpdir(), 'plaza-course-'))
const shrunk = join(folder, 'shrunk')
await mkdir(shrunk)
await writeFile(join(folder, 'first.yaml'), first_path)
await writeFile(join(folder, 'second.yaml'), second_path)
await writeFile(join(shrunk, 'second.yaml'), second_path)
afterAll(() => rm(folder, { recursive: true, force: true }))

// Two services on one database; sessions outlive the simulated days.
const plaza = await startTestService({ LEARNING_DIR: folder, JWT_TTL: '31536000' })
const there = await plaza.startAnother()
const day = 86_400

const choose = (user: SomeUser, path: string) => user.api.call(chooseLearningPath, { body: { path } })
const complete = (user: SomeUser, step_id: string) => user.api.call(completeStep, { params: { step_id } })
const statusOf = (user: SomeUser, module_number: number) =>
  user.api.call(getModuleStatus, { params: { module_number } })
const reset = (user: SomeUser, module_number: number) => user.api.call(resetModule, { params: { module_number } })
const rewardsOf = async (user: SomeUser) =>
  (await user.api.result(myPointsHistory, { query: { kind: 'reward' } })).data.map(({ amount }) => amount)
const inDays = (days: number) => new Date(plaza.clock.now().getTime() + days * day * 1000).toISOString()

async function someLearner(path = 'first') {
  const user = await someUser(plaza)
  await user.api.result(chooseLearningPath, { body: { path } })
  return user
}

/** All stored learning data of a user. */
async function written(user: SomeUser) {
  const learners = await plaza.db.sql`select * from learners where user_id = ${user.id}`
  const steps = await plaza.db.sql`select * from step_completions where user_id = ${user.id} order by step_id`
  return { learners, steps, rewards: await rewardsOf(user) }
}

/** Makes a call that must be refused, and checks that it changes nothing. */
async function refusal(user: SomeUser, call: () => Promise<{ status: number; body: unknown }>) {
  const before = await written(user)
  const reply = await call()
  expect(await written(user)).toEqual(before)
  return outcome(reply)
}

test('D-77 learning-paths: lists the available paths', async () => {
  const user = await someUser(plaza)
  expect(await user.api.result(listLearningPaths)).toEqual({
    paths: [
      { path: 'first', title: 'First path', summary: 'The shorter one' },
      { path: 'second', title: 'Second path', summary: 'The other one' },
    ],
  })
})

test('D-77 available-modules: null and empty before a path is chosen', async () => {
  const user = await someUser(plaza)
  expect(outcome(await user.api.call(listModules))).toEqual([200, { learning_path: null, modules: [] }])
})

test('spec available-modules, D-77: the chosen path, its modules by number, with status, sources and steps', async () => {
  const user = await someLearner()
  await complete(user, 'block')
  await complete(user, 'change')
  expect(outcome(await user.api.call(listModules))).toEqual([
    200,
    {
      learning_path: 'first',
      modules: [
        {
          module_number: 1,
          status: 'incomplete',
          completed: 1,
          total: 3,
          repeat_eligible_at: null,
          title: 'Coins',
          summary: 'What a coin is',
          sources: [{ title: 'A source', url: 'https://example.org/coins' }],
          steps: [
            { step_id: 'coin', title: 'A coin', reward: 10, completed: false, body: 'About a coin.' },
            { step_id: 'change', title: 'Change', reward: 5, completed: true, body: 'About change.' },
            { step_id: 'pause', title: 'A pause', reward: null, completed: false, body: 'Nothing to earn.' },
          ],
        },
        {
          module_number: 2,
          status: 'completed',
          completed: 1,
          total: 1,
          repeat_eligible_at: inDays(2),
          title: 'Blocks',
          summary: 'How they hang together',
          sources: [],
          steps: [{ step_id: 'block', title: 'A block', reward: 3, completed: true, body: 'About a block.' }],
        },
      ],
    },
  ])
})

test('spec learning-path: sets a path, and another one before any step is completed', async () => {
  const user = await someUser(plaza)
  expect(outcome(await choose(user, 'first'))).toEqual([200, { learning_path: 'first', status: 'selected' }])
  expect(outcome(await choose(user, 'second'))).toEqual([200, { learning_path: 'second', status: 'selected' }])
  const { learning_path, modules } = await user.api.result(listModules)
  expect([learning_path, modules.map(({ title }) => title)]).toEqual(['second', ['Keys']])
})

test('spec Learning: the path cannot be changed after a start (D-77: 409), also after a reset', async () => {
  const user = await someLearner()
  await complete(user, 'block')
  expect(await refusal(user, () => choose(user, 'second'))).toEqual(refused('path_already_started'))
  expect(await refusal(user, () => choose(user, 'first'))).toEqual(refused('path_already_started'))
  plaza.clock.advance(2 * day)
  expect((await reset(user, 2)).status).toBe(200)
  expect(await refusal(user, () => choose(user, 'second'))).toEqual(refused('path_already_started'))
  expect((await user.api.result(listModules)).learning_path).toBe('first')
})

test('D-77 an unknown path is 422 with the available ones, before and after a start; nothing is written', async () => {
  const expected = refused('validation_failed', [{ path: 'path', message: 'must be one of first, second' }])
  const user = await someUser(plaza)
  for (const path of ['third', 'First', 'first.yaml', '../first', ' first', '__proto__', 'x'.repeat(100)])
    expect(await refusal(user, () => choose(user, path))).toEqual(expected)
  const learner = await someLearner()
  await complete(learner, 'coin')
  expect(await refusal(learner, () => choose(learner, 'third'))).toEqual(expected)
})

test('spec complete: completes a step, pays its reward from the rewards account, and returns both', async () => {
  const user = await someLearner()
  expect(outcome(await complete(user, 'coin'))).toEqual([200, { step_id: 'coin', status: 'completed', reward: 10 }])
  expect(await pointsOf(user)).toBe(10)
  const [entry] = (await user.api.result(myPointsHistory)).data
  expect(entry).toMatchObject({
    kind: 'reward',
    direction: 'in',
    amount: 10,
    points_after: 10,
    description: 'A coin',
    app_id: null,
    other_user_id: null,
  })
  const [transfer] = await plaza.db.sql`select from_account from transfers where to_account = ${user.id}`
  expect(transfer).toEqual({ from_account: '00000000-0000-7000-8000-000000000002' })
})

test('spec complete: a completed step returns already_completed, without a reward, and pays nothing', async () => {
  const user = await someLearner()
  await complete(user, 'coin')
  const again = await refusal(user, () => complete(user, 'coin'))
  expect(again).toEqual([200, { step_id: 'coin', status: 'already_completed', reward: null }])
  expect(await pointsOf(user)).toBe(10)
})

test('a step without a reward completes with reward null and moves no points', async () => {
  const user = await someLearner()
  expect(outcome(await complete(user, 'pause'))).toEqual([200, { step_id: 'pause', status: 'completed', reward: null }])
  expect([await pointsOf(user), await rewardsOf(user)]).toEqual([0, []])
})

test('D-77 steps may be completed in any order; the last one completes the module', async () => {
  const user = await someLearner()
  for (const step_id of ['pause', 'change']) await complete(user, step_id)
  const open = { module_number: 1, status: 'incomplete', completed: 2, total: 3, repeat_eligible_at: null }
  expect(outcome(await statusOf(user, 1))).toEqual([200, open])
  plaza.clock.advance(day)
  await complete(user, 'coin')
  const done = { module_number: 1, status: 'completed', completed: 3, total: 3, repeat_eligible_at: inDays(7) }
  expect(outcome(await statusOf(user, 1))).toEqual([200, done])
  expect((await rewardsOf(user)).toSorted((a, b) => a - b)).toEqual([5, 10])
})

test('D-77 an unknown step, a step of another path, and any step without a path are 404; nothing is written', async () => {
  const user = await someLearner()
  for (const step_id of ['nothing', 'key', 'Coin', 'module', 'learning-path', 'a/b', '%', '__proto__'])
    expect(await refusal(user, () => complete(user, step_id))).toEqual(refused('not_found'))
  const nowhere = await someUser(plaza)
  expect(await refusal(nowhere, () => complete(nowhere, 'coin'))).toEqual(refused('not_found'))
})

test('D-77 an unknown module, a module of another path, and any module without a path are 404', async () => {
  const user = await someLearner('second')
  const nowhere = await someUser(plaza)
  for (const [caller, module_number] of [
    [user, 2],
    [user, 0],
    [user, -1],
    [user, 99_999_999_999],
    [nowhere, 1],
  ] as const) {
    expect(await refusal(caller, () => statusOf(caller, module_number))).toEqual(refused('not_found'))
    expect(await refusal(caller, () => reset(caller, module_number))).toEqual(refused('not_found'))
  }
})

test('spec module reset, D-78: 409 before completion, 409 within the cooldown, then all steps are reopened', async () => {
  const user = await someLearner()
  expect(await refusal(user, () => reset(user, 1))).toEqual(refused('not_completed'))
  for (const step_id of ['coin', 'change', 'pause']) await complete(user, step_id)
  expect(await refusal(user, () => reset(user, 1))).toEqual(refused('cooldown_active'))
  plaza.clock.advance(7 * day - 1)
  expect(await refusal(user, () => reset(user, 1))).toEqual(refused('cooldown_active'))
  plaza.clock.advance(1)
  expect(outcome(await reset(user, 1))).toEqual([200, { module_number: 1, status: 'reset' }])
  const open = { module_number: 1, status: 'incomplete', completed: 0, total: 3, repeat_eligible_at: null }
  expect(outcome(await statusOf(user, 1))).toEqual([200, open])
  const [module] = (await user.api.result(listModules)).modules
  expect(module?.steps.map(({ completed }) => completed)).toEqual([false, false, false])
  expect(await refusal(user, () => reset(user, 1))).toEqual(refused('not_completed'))
})

test('D-78 a repeated step completes without a reward; the cooldown counts from the new completion', async () => {
  const user = await someLearner()
  await complete(user, 'block')
  plaza.clock.advance(2 * day)
  expect((await reset(user, 2)).status).toBe(200)
  const repeated = { step_id: 'block', status: 'completed', reward: null }
  expect(outcome(await complete(user, 'block'))).toEqual([200, repeated])
  expect(outcome(await complete(user, 'block'))).toEqual([200, { ...repeated, status: 'already_completed' }])
  const status = { module_number: 2, status: 'completed', completed: 1, total: 1, repeat_eligible_at: inDays(2) }
  expect(outcome(await statusOf(user, 2))).toEqual([200, status])
  expect(await refusal(user, () => reset(user, 2))).toEqual(refused('cooldown_active'))
  expect([await pointsOf(user), await rewardsOf(user)]).toEqual([3, [3]])
})

test('D-78 a reset touches its own module and its own user only', async () => {
  const [user, other] = [await someLearner(), await someLearner()]
  for (const learner of [user, other])
    for (const step_id of ['block', 'coin', 'change', 'pause']) await complete(learner, step_id)
  plaza.clock.advance(7 * day)
  const before = await written(other)
  expect((await reset(user, 2)).status).toBe(200)
  expect((await user.api.result(listModules)).modules.map(({ completed }) => completed)).toEqual([3, 0])
  expect(await written(other)).toEqual(before)
})

test('D-45 an account at the limit: the step completes without a reward', async () => {
  const user = await someLearner()
  await givePoints(plaza, user, Number.MAX_SAFE_INTEGER)
  expect(outcome(await complete(user, 'coin'))).toEqual([200, { step_id: 'coin', status: 'completed', reward: null }])
  expect([await pointsOf(user), await rewardsOf(user)]).toEqual([Number.MAX_SAFE_INTEGER, []])
})

test.each(['one process', 'two processes'])('of 50 concurrent completions of a step on %s one pays', async (where) => {
  const user = await someLearner()
  const elsewhere = new PlazaClient(where === 'one process' ? plaza.url : there.url, user.token)
  await race(there, 25, async () => {})
  const replies = await race(plaza, 50, (at) =>
    (at % 2 === 0 ? user.api : elsewhere).call(completeStep, { params: { step_id: 'coin' } }),
  )
  expect(countBy(replies, (reply) => JSON.stringify(outcome(reply)))).toEqual({
    '[200,{"step_id":"coin","status":"completed","reward":10}]': 1,
    '[200,{"step_id":"coin","status":"already_completed","reward":null}]': 49,
  })
  expect([await pointsOf(user), await rewardsOf(user)]).toEqual([10, [10]])
  expect(await (await theAdmin(plaza)).api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
})

test('of 20 concurrent resets on two processes one succeeds', async () => {
  const user = await someLearner()
  await complete(user, 'block')
  plaza.clock.advance(2 * day)
  const elsewhere = new PlazaClient(there.url, user.token)
  const replies = await race(plaza, 20, (at) =>
    (at % 2 === 0 ? user.api : elsewhere).call(resetModule, { params: { module_number: 2 } }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 409: 19 })
  const lost = replies.filter(({ ok }) => !ok).map(outcome)
  expect(lost).toEqual(lost.map(() => refused('not_completed')))
})

test('concurrent completions and a change of path: the path matches the completed steps in any order', async () => {
  for (let round = 0; round < 10; round++) {
    const user = await someLearner()
    const statuses = await race(plaza, 10, async (at) => {
      const { status } = await (at === round ? choose(user, 'second') : complete(user, 'coin'))
      return status
    })
    const changed = statuses[round] === 200
    expect(statuses).toEqual(statuses.map((_, at) => (changed === (at === round) ? 200 : changed ? 404 : 409)))
    expect((await user.api.result(listModules)).learning_path).toBe(changed ? 'second' : 'first')
    expect(await rewardsOf(user)).toEqual(changed ? [] : [10])
  }
})

test('a path removed from the content counts as none, and another may be set; paid rewards remain', async () => {
  const user = await someLearner()
  await complete(user, 'coin')
  const without = await plaza.startAnother({ LEARNING_DIR: shrunk })
  const api = new PlazaClient(without.url, user.token)
  expect(await api.result(listModules)).toEqual({ learning_path: null, modules: [] })
  expect(outcome(await api.call(completeStep, { params: { step_id: 'coin' } }))).toEqual(refused('not_found'))
  expect(await api.result(chooseLearningPath, { body: { path: 'second' } })).toMatchObject({ learning_path: 'second' })
  expect((await user.api.result(listModules)).learning_path).toBe('second')
  expect((await choose(user, 'first')).status).toBe(200)
  const { modules } = await user.api.result(listModules)
  expect(modules[0]?.steps.map(({ completed }) => completed)).toEqual([true, false, false])
  expect(outcome(await complete(user, 'coin'))).toEqual([
    200,
    { step_id: 'coin', status: 'already_completed', reward: null },
  ])
  expect(await rewardsOf(user)).toEqual([10])
})
