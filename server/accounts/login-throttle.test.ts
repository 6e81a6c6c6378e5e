import { expect, test } from 'vitest'
import { owasp_cost } from '../platform/passwords.ts'
import { countBy, race, startTestService } from '../test/harness.ts'
import { processorSecondsOf } from '../test/processor-time.ts'
import { outcome, refused } from '../test/refusals.ts'
import { raw, someUser, type SomeUser } from '../test/world.ts'

const plaza = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const other = await plaza.startAnother()
const wrong = 'not the password'
const nobody = { email: 'nobody@nowhere.test', password: wrong }
type Account = Pick<SomeUser, 'email' | 'password'>

const signIn = ({ email, password }: Account, address: string, service = plaza) =>
  raw(service, 'POST', '/api/auth/login', {
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email, password }),
  })
const guess = ({ email }: Account, address: string, service = plaza) =>
  signIn({ email, password: wrong }, address, service)
const good = { status: 200 }
const too_many = refused('too_many_failures')
const sessionsOf = ({ id }: SomeUser) => plaza.db.sql`select id from login_sessions where user_id = ${id}`
let networks = 0
/** A network address that no test has used. */
const freshAddress = () => `10.${++networks >> 8}.${networks & 255}.1`
/** Inserts the day's failures from many addresses directly; hashing all the passwords would take minutes. */
async function failToday({ email }: Account, count: number) {
  await guess({ email, password: wrong }, freshAddress())
  const keys = await plaza.db.sql`
    update rate_limits set count = ${count}
     where key ~ '^login failures [^ ]+$' and count = 1 and resets_at > ${plaza.clock.now()} returning key`
  expect(keys).toHaveLength(1)
}

for (const exists of [true, false])
  test(`D-91: 10 failures in 15 minutes, then 429 from that address, for an account that ${exists ? 'exists' : 'does not'}`, async () => {
    const account = exists ? await someUser(plaza) : { ...nobody, email: 'nobody1@nowhere.test' }
    const [here, there] = [freshAddress(), freshAddress()]
    for (let turn = 0; turn < 10; turn++)
      expect(outcome(await guess(account, here))).toEqual(refused('invalid_credentials'))
    plaza.clock.advance(60)
    for (const email of [account.email, account.email.toUpperCase()])
      for (const service of [plaza, other]) {
        const refusal = await signIn({ ...account, email }, here, service)
        expect(outcome(refusal)).toEqual(too_many)
        expect(refusal.headers.get('retry-after')).toBe('840')
      }
    const elsewhere = await signIn(account, there)
    expect(elsewhere.status).toBe(exists ? 200 : 401)
    plaza.clock.advance(840)
    expect((await signIn(account, here)).status).toBe(exists ? 200 : 401)
  })

test('D-91: a refused login begins no session, whatever its password', async () => {
  const user = await someUser(plaza)
  const before = await sessionsOf(user)
  const here = freshAddress()
  for (let turn = 0; turn < 10; turn++) await guess(user, here)
  expect(outcome(await signIn(user, here))).toEqual(too_many)
  expect(await sessionsOf(user)).toEqual(before)
})

test('D-91: an IPv6 network of /64 is one address, and another account is not concerned', async () => {
  const [user, neighbour] = [await someUser(plaza), await someUser(plaza)]
  for (let turn = 0; turn < 10; turn++) await guess(user, `2001:db8:9:9::${turn + 1}`)
  expect(outcome(await signIn(user, '2001:db8:9:9:ffff::1'))).toEqual(too_many)
  expect(await signIn(user, '2001:db8:9:10::1')).toMatchObject(good)
  expect(await signIn(neighbour, '2001:db8:9:9::1')).toMatchObject(good)
})

test('D-91: of 40 guesses side by side, in two processes, 10 get invalid_credentials; 20 right logins all succeed', async () => {
  const user = await someUser(plaza)
  const here = freshAddress()
  const right = await race(plaza, 20, (at) => signIn(user, here, at % 2 === 0 ? plaza : other))
  expect(countBy(right, ({ status }) => status)).toEqual({ 200: 20 })
  const replies = await race(plaza, 40, (at) =>
    signIn({ ...user, password: `${wrong} ${at}` }, here, at % 2 === 0 ? plaza : other),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 401: 10, 429: 30 })
})

test('D-91: a right guess in parallel with wrong ones is refused like them beyond the limit', async () => {
  const user = await someUser(plaza)
  const here = freshAddress()
  for (let turn = 0; turn < 9; turn++) await guess(user, here)
  const replies = await race(plaza, 20, (at) => signIn(at === 19 ? user : { ...user, password: wrong }, here))
  const counts = countBy(replies, ({ status }) => status)
  expect([counts[401], (counts[200] ?? 0) + (counts[429] ?? 0)]).toEqual([1, 19])
  expect(outcome(await signIn(user, here))).toEqual(too_many)
})

for (const exists of [true, false])
  test(`D-91: 300 failures a day over all addresses, for an account that ${exists ? 'exists' : 'does not'}`, async () => {
    const account = exists ? await someUser(plaza) : { ...nobody, email: 'nobody2@nowhere.test' }
    const home = freshAddress()
    if (exists) expect(await signIn(account, home)).toMatchObject(good)
    await failToday(account, 299)
    expect(outcome(await guess(account, freshAddress()))).toEqual(refused('invalid_credentials'))
    for (const service of [plaza, other]) {
      const refusal = await signIn(account, freshAddress(), service)
      expect(outcome(refusal)).toEqual(too_many)
      expect(refusal.headers.get('retry-after')).toBe('86400')
    }
    // From an address with an earlier login the owner can sign in; failures there still count.
    expect((await signIn(account, home)).status).toBe(exists ? 200 : 429)
    if (exists) {
      for (let turn = 0; turn < 10; turn++)
        expect(outcome(await guess(account, home))).toEqual(refused('invalid_credentials'))
      expect(outcome(await signIn(account, home))).toEqual(too_many)
    }
    plaza.clock.advance(86_400)
    expect((await signIn(account, freshAddress())).status).toBe(exists ? 200 : 401)
  })

test('D-91: an address from which a login failed, or another account was signed in, is not known', async () => {
  const [user, neighbour] = [await someUser(plaza), await someUser(plaza)]
  const here = freshAddress()
  await signIn(neighbour, here)
  await guess(user, here)
  const [day] = await plaza.db.sql`
    update rate_limits set count = 300 where key = ${`login failures ${user.id}`} returning key`
  expect(day).toBeDefined()
  expect(outcome(await signIn(user, here))).toEqual(too_many)
})

test('D-91, D-13: refusals of accounts that exist and that do not take about as long, before the limit and past it', async () => {
  // Hashing costs as much as in production, because the test compares durations.
  const slow = await plaza.startAnother({}, { hashing_cost: owasp_cost })
  const user = await someUser(slow)
  const accounts: [Account, Account] = [user, { ...nobody, email: 'nobody3@nowhere.test' }]
  async function quotient(turns: number, addressOf: (account: number) => string) {
    const costs: [number, number] = [0, 0]
    for (let turn = 0; turn < turns; turn++)
      for (const at of [0, 1] as const)
        costs[at] += await processorSecondsOf(() => guess(accounts[at], addressOf(at), slow))
    return costs[0] / costs[1]
  }
  const homes = [freshAddress(), freshAddress()]
  const before = await quotient(9, (at) => homes[at] ?? '')
  for (const [at, account] of accounts.entries())
    for (let turn = 0; turn < 2; turn++) await guess(account, homes[at] ?? '', slow)
  const past = await quotient(25, (at) => homes[at] ?? '')
  await plaza.db.sql`update rate_limits set count = 300 where key ~ '^login failures [^ ]+$'`
  const past_day = await quotient(25, freshAddress)
  for (const value of [before, past, past_day]) expect([value > 0.3, value < 3, value]).toEqual([true, true, value])
})

test('D-91: counters of unknown e-mail addresses do not contain them', async () => {
  await guess({ email: 'Secret.Love@nowhere.test', password: wrong }, freshAddress())
  const keys = await plaza.db.sql<{ key: string }>`select key from rate_limits`
  expect(keys.some(({ key }) => /love/i.test(key))).toBe(false)
  expect(plaza.logged()).not.toMatch(/secret\.love/i)
})
