import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { checkLedger } from '../../contract/admin.ts'
import { setDailyLimit } from '../../contract/oauth.ts'
import { withdrawFromMyApp } from '../../contract/app-payments.ts'
import {
  captureHold,
  createHold,
  createPayouts,
  createRefund,
  getOwnBalance,
  voidHold,
} from '../../contract/payments.ts'
import { getPoints, spendPoints } from '../../contract/points.ts'
import { sharedService } from '../test/harness.ts'
import { givePoints, someApp, someTokens, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const another = await plaza.startAnother()
const given = 100

type Step =
  | { does: 'spend'; amount: number; key: string | undefined }
  | { does: 'hold'; amount: number; key: string | undefined }
  | { does: 'capture'; of: number; amount: number | undefined }
  | { does: 'refund'; of: number; amount: number | undefined }
  | { does: 'void'; of: number }
  | { does: 'limit'; limit: number | null }
  | { does: 'pay'; amounts: number[]; key: string | undefined }
  | { does: 'withdraw'; amount: number }

const amount = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 60))
const part = fc.option(amount, { nil: undefined })
const of = fc.nat(5)
const key = fc.option(fc.constantFrom('a', 'b'), { nil: undefined })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('spend' as const), amount, key }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('hold' as const), amount, key }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('capture' as const), of, amount: part }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('refund' as const), of, amount: part }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('void' as const), of }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('pay' as const),
      amounts: fc.array(amount, { minLength: 1, maxLength: 3 }),
      key,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('withdraw' as const), amount }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('limit' as const), limit: fc.option(fc.nat(40), { nil: null }) }),
  },
)

interface Hold {
  id: string
  amount: number
  is_open: boolean
}
interface Spend {
  id: string
  left: number
}

/** The expected ledger, in memory: the status of each step and the balances after it. */
class Model {
  total = given
  app = 0
  spent = 0
  limit: number | null = null
  readonly holds: Hold[] = []
  readonly spends: Spend[] = []
  readonly keys = new Map<string, number>()
  readonly batches = new Map<string, { amounts: number[]; paid: boolean[] }>()

  get held() {
    return this.holds.reduce((sum, hold) => sum + (hold.is_open ? hold.amount : 0), 0)
  }

  /** Whether the app can pay this to the user; if so, the user has it. */
  pays(wanted: number) {
    if (this.app < wanted) return false
    this.app -= wanted
    this.total += wanted
    return true
  }

  /** The status of a spend or hold, before it is applied. */
  admits({ does, amount: wanted, key: name }: { does: string; amount: number; key: string | undefined }) {
    const earlier = name === undefined ? undefined : this.keys.get(`${does} ${name}`)
    if (earlier !== undefined) return earlier === wanted ? 'replay' : 422
    if (this.total - this.held < wanted) return 409
    return this.limit !== null && this.spent + this.held + wanted > this.limit ? 409 : 'apply'
  }
}

interface World {
  model: Model
  user: PlazaClient
  tokens: PlazaClient
  shop: PlazaClient
  app_id: string
  user_id: string
  owner: SomeUser
}

async function spendOrHold({ model, tokens }: World, next: Step & { does: 'spend' | 'hold' }) {
  const verdict = model.admits(next)
  const headers = next.key === undefined ? {} : { 'idempotency-key': next.key }
  const body = { amount: next.amount }
  const reply =
    next.does === 'spend'
      ? await tokens.call(spendPoints, { body, headers })
      : await tokens.call(createHold, { body, headers })
  const success = next.does === 'spend' ? 200 : 201
  expect([next, reply.status]).toEqual([next, typeof verdict === 'number' ? verdict : success])
  if (verdict !== 'apply' || !reply.ok) return
  if (next.key !== undefined) model.keys.set(`${next.does} ${next.key}`, next.amount)
  if ('hold' in reply.body) {
    model.holds.push({ id: reply.body.hold.id, amount: next.amount, is_open: true })
    return
  }
  model.total -= next.amount
  model.app += next.amount
  model.spent += next.amount
  model.spends.push({ id: reply.body.transfer_id, left: next.amount })
}

async function settle({ model, shop }: World, next: Step & { does: 'capture' | 'void' }) {
  const hold = model.holds[next.of]
  if (!hold) return
  const params = { id: hold.id }
  if (next.does === 'void') {
    const reply = await shop.call(voidHold, { params })
    expect([next, reply.status]).toEqual([next, hold.is_open ? 200 : 409])
    hold.is_open = false
    return
  }
  const reply = await shop.call(captureHold, { params, body: next.amount === undefined ? {} : { amount: next.amount } })
  const taken = next.amount ?? hold.amount
  expect([next, reply.status]).toEqual([next, taken > hold.amount ? 422 : hold.is_open ? 200 : 409])
  if (!reply.ok) return
  hold.is_open = false
  model.total -= taken
  model.app += taken
  model.spent += taken
  model.spends.push({ id: reply.body.hold.transfer_id ?? '', left: taken })
}

async function refund({ model, shop }: World, next: Step & { does: 'refund' }) {
  const spend = model.spends[next.of]
  if (!spend) return
  const body = { transfer_id: spend.id, ...(next.amount !== undefined && { amount: next.amount }) }
  const reply = await shop.call(createRefund, { body })
  const returned = next.amount ?? spend.left
  const is_possible = returned > 0 && returned <= spend.left && returned <= model.app
  expect([next, reply.status]).toEqual([next, is_possible ? 201 : 409])
  if (!reply.ok) return
  spend.left -= returned
  model.total += returned
  model.app -= returned
}

/** Pays the user, item by item; a used key answers as before. */
async function payAll({ model, shop, user_id }: World, next: Step & { does: 'pay' }) {
  const { amounts, key: name } = next
  const body = { payouts: amounts.map((each) => ({ to_user_id: user_id, amount: each })) }
  const reply = await shop.call(createPayouts, { body, headers: name === undefined ? {} : { 'idempotency-key': name } })
  const earlier = name === undefined ? undefined : model.batches.get(name)
  const is_other = earlier !== undefined && String(earlier.amounts) !== String(amounts)
  expect([next, reply.status]).toEqual([next, is_other ? 422 : 200])
  if (!reply.ok) return
  const paid = earlier?.paid ?? amounts.map((each) => model.pays(each))
  expect([next, reply.body.outcomes.map(({ payout }) => payout !== null)]).toEqual([next, paid])
  if (name !== undefined) model.batches.set(name, { amounts, paid })
}

async function withdraw({ model, app_id, owner }: World, next: Step & { does: 'withdraw' }) {
  const body = { amount: next.amount, password: owner.password }
  const reply = await owner.api.call(withdrawFromMyApp, { params: { id: app_id }, body })
  expect([next, reply.status]).toEqual([next, next.amount <= model.app ? 201 : 409])
  if (reply.ok) model.app -= next.amount
}

async function perform(world: World, next: Step) {
  if (next.does === 'pay') return payAll(world, next)
  if (next.does === 'withdraw') return withdraw(world, next)
  if (next.does === 'spend' || next.does === 'hold') return spendOrHold(world, next)
  if (next.does === 'capture' || next.does === 'void') return settle(world, next)
  if (next.does === 'refund') return refund(world, next)
  world.model.limit = next.limit
  await world.user.result(setDailyLimit, { params: { app_id: world.app_id }, body: { daily_limit: next.limit } })
}

test('random sequences of spends, holds, captures, voids, refunds, payouts, withdrawals and limits, on two processes, end as in a model, and the ledger balances', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const app = await someApp(plaza, { scopes: ['points:read', 'points:spend'] })
      const user = await someUser(plaza)
      await givePoints(plaza, user, given)
      const { access_token } = await someTokens(plaza, app, user)
      const { client_id, client_secret } = app
      const model = new Model()
      for (const [at, next] of steps.entries()) {
        const { url } = at % 2 === 0 ? plaza : another
        const tokens = new PlazaClient(url, access_token)
        const shop = new PlazaClient(url, { client_id, client_secret })
        await perform({ model, user: user.api, tokens, shop, app_id: app.id, user_id: user.id, owner: app.owner }, next)
        const { held } = model
        expect([next, await tokens.result(getPoints)]).toEqual([next, { points: model.total - held, held }])
        expect(await shop.result(getOwnBalance)).toMatchObject({ points: model.app, held_for_app: held })
      }
    }),
    { numRuns: 8, seed: 20261122, endOnFailure: true },
  )
  const { balanced, faults } = await (await theAdmin(plaza)).api.result(checkLedger)
  expect([balanced, faults]).toEqual([true, []])
})
