import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkLedger } from '../../contract/admin.ts'
import { getAppBalance, spendPoints, transferPoints } from '../../contract/points.ts'
import { sharedService } from '../test/harness.ts'
import {
  givePoints,
  pointsOf,
  someApp,
  someTokens,
  someUser,
  theAdmin,
  type SomeTokens,
  type SomeUser,
} from '../test/world.ts'

const plaza = await sharedService()
const scopes = ['points:read', 'points:spend', 'points:transfer', 'app:balance:read'] as const
const people = 3

type Step =
  | { does: 'award'; who: number; amount: number }
  | { does: 'spend'; who: number; amount: number; key: string | undefined }
  | { does: 'transfer'; who: number; to: number; amount: number; key: string | undefined }

const who = fc.nat(people - 1)
const amount = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 50))
/** Few keys, so that sequences replay and misuse them. */
const key = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ does: fc.constant('award' as const), who, amount }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('spend' as const), who, amount, key }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('transfer' as const), who, to: who, amount, key }) },
)

/** The expected ledger, in memory. */
class Model {
  readonly points = Array<number>(people).fill(0)
  earned = 0
  private readonly keys = new Map<string, { request: string; points: number }>()

  apply(step: Step): [status: number, points: number | undefined, replayed: boolean] {
    if (step.does === 'award') {
      this.points[step.who]! += step.amount
      return [200, this.points[step.who], false]
    }
    if (step.does === 'transfer' && step.to === step.who) return [422, undefined, false]
    const slot = step.key && `${step.who} ${step.does} ${step.key}`
    const request = JSON.stringify([step.amount, step.does === 'transfer' && step.to])
    const earlier = slot ? this.keys.get(slot) : undefined
    if (earlier) return earlier.request === request ? [200, earlier.points, true] : [422, undefined, false]
    if (this.points[step.who]! < step.amount) return [409, undefined, false]
    this.points[step.who]! -= step.amount
    if (step.does === 'spend') this.earned += step.amount
    else this.points[step.to]! += step.amount
    if (slot) this.keys.set(slot, { request, points: this.points[step.who]! })
    return [200, this.points[step.who], false]
  }
}

async function perform(step: Exclude<Step, { does: 'award' }>, users: SomeUser[], tokens: SomeTokens[]) {
  const { api } = tokens[step.who]!
  const headers = step.key === undefined ? {} : { 'idempotency-key': step.key }
  const reply =
    step.does === 'spend'
      ? await api.call(spendPoints, { body: { amount: step.amount }, headers })
      : await api.call(transferPoints, { body: { amount: step.amount, to_user_id: users[step.to]!.id }, headers })
  const replayed = reply.headers.get('idempotency-replayed') === 'true'
  return [reply.status, reply.ok ? reply.body.points : undefined, replayed]
}

test('random sequences of award, spend, transfer and replay end as in a one-thread model, and the books agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const app = await someApp(plaza, { scopes: [...scopes] })
      const users = await Promise.all(Array.from({ length: people }, () => someUser(plaza)))
      const tokens = await Promise.all(users.map((user) => someTokens(plaza, app, user)))
      const model = new Model()
      for (const next of steps) {
        const expected = model.apply(next)
        if (next.does === 'award') await givePoints(plaza, users[next.who]!, next.amount)
        else expect([next, ...(await perform(next, users, tokens))]).toEqual([next, ...expected])
      }
      expect(await Promise.all(users.map(pointsOf))).toEqual(model.points)
      expect(await tokens[0]!.api.result(getAppBalance)).toEqual({ points: model.earned })
    }),
    { numRuns: 10, seed: 20261121, endOnFailure: true },
  )
  const { balanced, faults } = await (await theAdmin(plaza)).api.result(checkLedger)
  expect([balanced, faults]).toEqual([true, []])
})
