import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { changeEmail, confirmEmail } from '../../contract/account-upkeep.ts'
import {
  forgotPassword,
  login,
  me,
  register,
  resetPassword,
  sendVerification,
  verifyEmail,
} from '../../contract/accounts.ts'
import { checkLedger, updateUser } from '../../contract/admin.ts'
import { PlazaClient } from '../../contract/client.ts'
import { chooseLearningPath, completeStep } from '../../contract/learning.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { listNotices } from '../../contract/notices.ts'
import { getReferral, updateProfile } from '../../contract/profiles.ts'
import { myPointsHistory, spendPoints, transferPoints } from '../../contract/points.ts'
import { setEmailVerified } from '../accounts/store.ts'
import { race, startTestService, type TestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { pointsOf, someApp, someTokens, someUser, theAdmin, type SomeUser } from '../test/world.ts'
import { gatherPointNotices } from './notices.service.ts'
import { giveReward, payForgottenRewards } from './rewards.service.ts'

const steps = Array.from({ length: 20 }, (_, at) => `step-${at}`)
const folder = await mkdtemp(join(tmpdir(), 'plaza-rewards-'))
await writeFile(
  join(folder, 'path.yaml'),
  `title: Path
summary: Twenty steps
modules:
  - module_number: 1
    title: Module
    summary: All steps
    steps:
${steps.map((step_id) => `      - { step_id: ${step_id}, title: Title of ${step_id}, reward: 10, body: Text. }`).join('\n')}
`,
)
afterAll(() => rm(folder, { recursive: true, force: true }))

const plaza = await startTestService({ LEARNING_DIR: folder, SIGNUP_POINTS: '25', REFERRAL_POINTS: '40' })
const anonymous = new PlazaClient(plaza.url)
const deps = { db: plaza.db, clock: plaza.clock.now }

async function learner(service: TestService = plaza) {
  const user = await someUser(service, { verified: false })
  await user.api.result(chooseLearningPath, { body: { path: 'path' } })
  return user
}
const complete = ({ api }: SomeUser, step_id = 'step-0') => api.result(completeStep, { params: { step_id } })
const waitingRewards = ({ id }: SomeUser) =>
  plaza.db.sql<{ kind: string; amount: number; description: string | null }>`
    select kind, amount, description from waiting_rewards where user_id = ${id} order by seq`
const waitingOf = async (user: SomeUser) => (await waitingRewards(user)).reduce((sum, { amount }) => sum + amount, 0)
const movementsOf = async ({ api }: SomeUser) =>
  (await api.result(myPointsHistory, { query: { limit: 100 } })).data.map(({ kind, amount }) => [kind, amount])
async function mailedCode({ api, email }: SomeUser) {
  await api.result(sendVerification)
  return /code is (\d{6})\r\n/.exec(await plaza.mailTo(email))?.[1] ?? 'no code'
}
const verify = async (user: SomeUser) => user.api.result(verifyEmail, { body: { code: await mailedCode(user) } })
const expectBalancedBooks = async () =>
  expect(await (await theAdmin(plaza)).api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })

test('D-116: rewards of an unverified account are recorded and shown, and cannot be spent', async () => {
  const [user, friend] = [await learner(), await someUser(plaza)]
  expect(await complete(user)).toEqual({ step_id: 'step-0', status: 'completed', reward: 10 })
  expect(await complete(user)).toEqual({ step_id: 'step-0', status: 'already_completed', reward: null })
  expect([await pointsOf(user), await movementsOf(user)]).toEqual([0, []])
  expect(await waitingRewards(user)).toEqual([
    { kind: 'signup', amount: 25, description: null },
    { kind: 'reward', amount: 10, description: 'Title of step-0' },
  ])
  const app = await someApp(plaza, { scopes: ['profile:read', 'points:spend', 'points:transfer'] })
  const tokens = await someTokens(plaza, app, user)
  expect(outcome(await tokens.api.call(spendPoints, { body: { amount: 1 } }))).toEqual(refused('insufficient_points'))
  expect(outcome(await tokens.api.call(transferPoints, { body: { amount: 1, to_user_id: friend.id } }))).toEqual(
    refused('insufficient_points'),
  )
  await expectBalancedBooks()
})

test('D-116: the verification pays the waiting rewards in order, and later steps are paid immediately', async () => {
  const user = await learner()
  await complete(user)
  await verify(user)
  expect(await waitingRewards(user)).toEqual([])
  expect([await pointsOf(user), await movementsOf(user)]).toEqual([
    35,
    [
      ['reward', 10],
      ['signup', 25],
    ],
  ])
  expect((await complete(user, 'step-1')).reward).toBe(10)
  expect(await pointsOf(user)).toBe(45)
  await expectBalancedBooks()
})

test('D-116: twenty parallel verifications, in two processes, pay once', async () => {
  const other = await plaza.startAnother()
  const user = await learner()
  await complete(user)
  const code = await mailedCode(user)
  const there = new PlazaClient(other.url).withToken(user.token)
  const answers = await race(plaza, 20, (at) => (at % 2 ? user.api : there).call(verifyEmail, { body: { code } }))
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  expect([await pointsOf(user), await waitingOf(user)]).toEqual([35, 0])
  await expectBalancedBooks()
})

test('D-116: steps completed during the verification are each paid once; none keeps waiting', async () => {
  const user = await learner()
  const code = await mailedCode(user)
  await race(plaza, 21, async (at) =>
    at === 10 ? user.api.result(verifyEmail, { body: { code } }) : complete(user, steps[at < 10 ? at : at - 1]),
  )
  expect([await pointsOf(user), await waitingOf(user)]).toEqual([225, 0])
  expect(await movementsOf(user)).toHaveLength(21)
  await expectBalancedBooks()
})

test('D-164: a referral code says who invites and the points for both; the reward for a referral is a notice', async () => {
  const [ann, admin] = [await someUser(plaza), await theAdmin(plaza)]
  const { referral_code } = (await ann.api.result(me)).user
  const ask = async (code: string) => outcome(await anonymous.call(getReferral, { params: { code } }))
  const answer = { username: ann.username, display_name: null, reward: 40, signup_points: 25 }
  expect(await ask(referral_code)).toEqual([200, answer])
  await ann.api.result(updateProfile, { body: { display_name: 'Ann' } })
  await admin.api.result(updateUser, { params: { id: ann.id }, body: { signup_multiplier: 3 } })
  expect(await ask(referral_code)).toEqual([200, { ...answer, display_name: 'Ann', reward: 120 }])
  expect(await ask('nobodys')).toEqual(refused('not_found'))

  const body = { email: 'invited@people.test', password: 'a few words in a row', username: 'invited', referral_code }
  const { user } = await anonymous.result(register, { body })
  const { token } = await anonymous.result(login, { body })
  await verify({ ...ann, ...body, id: user.id, token, api: anonymous.withToken(token) })
  for (const _ of [1, 2]) await gatherPointNotices(deps)
  expect((await ann.api.result(listNotices, {})).data).toMatchObject([
    { event: 'points_referred', count: 1, amount: 120 },
  ])

  await admin.api.result(updateUser, { params: { id: ann.id }, body: { suspended: true } })
  expect(await ask(referral_code)).toEqual(refused('not_found'))
})

test('D-116: the reward of an unverified referrer waits too, with the multiplier of the time of the referral', async () => {
  const referrer = await someUser(plaza, { verified: false })
  const { referral_code } = (await referrer.api.result(me)).user
  for (const name of ['first', 'second']) {
    const body = { email: `${name}-referred@people.test`, password: 'password of them', username: `${name}-referred` }
    const { user } = await anonymous.result(register, { body: { ...body, referral_code } })
    expect(user.points).toBe(0)
    const { token } = await anonymous.result(login, { body })
    await verify({ ...body, id: user.id, token, api: anonymous.withToken(token) })
  }
  expect([await pointsOf(referrer), await waitingOf(referrer)]).toEqual([0, 105])
  await verify(referrer)
  expect([await pointsOf(referrer), await waitingOf(referrer)]).toEqual([105, 0])
})

test('D-116: a reset by mail and a confirmed new address also verify, and pay waiting rewards', async () => {
  const [by_reset, by_change] = [await learner(), await learner()]
  await complete(by_reset)
  await anonymous.result(forgotPassword, { body: { email: by_reset.email } })
  const reset = /plz_pw_[\w-]{43}/.exec(await plaza.mailTo(by_reset.email))?.[0] ?? ''
  await anonymous.result(resetPassword, { body: { code: reset, new_password: 'another password' } })
  const { token } = await anonymous.result(login, { body: { email: by_reset.email, password: 'another password' } })
  expect(await pointsOf({ ...by_reset, api: anonymous.withToken(token) })).toBe(35)

  const email = `new-${by_change.email}`
  await by_change.api.result(changeEmail, { body: { email, password: by_change.password } })
  const code = /is (\d{6})/.exec(await plaza.mailTo(email))?.[1] ?? ''
  await by_change.api.result(confirmEmail, { body: { code } })
  expect(await pointsOf(by_change)).toBe(25)
})

test('D-116: with REWARDS=at_once nothing waits; paid rewards remain and are not paid again', async () => {
  const closed = await plaza.startAnother({ REWARDS: 'at_once' })
  const user = await learner(closed)
  await complete(user)
  expect([await pointsOf(user), await waitingOf(user)]).toEqual([35, 0])
  const here = { ...user, api: anonymous.withToken(user.token) }
  expect((await complete(here)).status).toBe('already_completed')
  expect(await complete(here, 'step-1')).toMatchObject({ reward: 10 })
  expect([await pointsOf(here), await waitingOf(here)]).toEqual([35, 10])
  await verify(here)
  expect(await pointsOf(here)).toBe(45)
})

test('D-116: when an unverified person leaves, waiting rewards are deleted', async () => {
  const user = await learner()
  await complete(user)
  await user.api.result(deleteAccount, { body: { password: user.password } })
  expect(await plaza.db.sql`select from waiting_rewards where user_id = ${user.id}`).toEqual([])
  await expectBalancedBooks()
})

test('D-116: rewards that wait although the address is verified are paid by the next run of the job, once', async () => {
  const user = await learner()
  await complete(user)
  await setEmailVerified(plaza.db, user.id)
  expect([await pointsOf(user), await waitingOf(user)]).toEqual([0, 35])
  await Promise.all([payForgottenRewards(deps), payForgottenRewards(deps)])
  expect([await pointsOf(user), await waitingOf(user)]).toEqual([35, 0])
  await expectBalancedBooks()
})

test('D-116: nothing waits for a referrer who left while the reward was decided', async () => {
  const gone = await someUser(plaza)
  await plaza.db.sql`delete from waiting_rewards where user_id = ${gone.id}`
  const given = await plaza.db.transaction(async (tx) => {
    await tx.sql`delete from users where id = ${gone.id}`
    const reward = { user_id: gone.id, kind: 'referral', amount: 5 } as const
    return giveReward(tx, plaza.clock.now(), 'when_verified', reward)
  })
  expect([given, await waitingRewards(gone)]).toEqual([false, []])
})
