import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import * as payments from '../../contract/payments.ts'
import { spendPoints, transferPoints } from '../../contract/points.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, more, no_text, outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { someUser, world } from '../test/world.ts'

const plaza = await sharedService()
const friend = await someUser(plaza)
const { app, tokens } = await world(plaza, { points: 100, scopes: ['points:read', 'points:spend', 'points:transfer'] })
const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret: app.client_secret })
const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 10 } })
const { hold } = await tokens.api.result(payments.createHold, { body: { amount: 10 } })
const unknown_id = '01890000-0000-7000-8000-000000000000'

/** The calls that move or hold points, with their additions to a body. */
const movements = {
  spend: (body: object) => tokens.api.call(spendPoints, { body: { amount: 1, ...body } as { amount: number } }),
  transfer: (body: object) =>
    tokens.api.call(transferPoints, { body: { amount: 1, to_user_id: friend.id, ...body } as never }),
  hold: (body: object) => tokens.api.call(payments.createHold, { body: { amount: 1, ...body } as { amount: number } }),
}
const settlements = {
  capture: (body: object) => client.call(payments.captureHold, { params: { id: hold.id }, body }),
  refund: (body: object) => client.call(payments.createRefund, { body: { transfer_id, ...body } as never }),
}
const noName = (name: string) => invalid(`metadata.${name}`, 'must match pattern "^[A-Za-z0-9_.-]{1,40}$"')
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, 'v']))

test('D-96: metadata with too many, misnamed or too long values gets 422 at every call, and nothing is written', async () => {
  const cases: [body: object, refusal: unknown][] = [
    [{ metadata: names(17) }, invalid('metadata', more(16, 'properties'))],
    [{ metadata: { size: 'x'.repeat(501) } }, invalid('metadata.size', more(500))],
    [{ metadata: { size: 7 } }, invalid('metadata.size', no_text)],
    [{ metadata: { 'a b': 'v' } }, noName('a b')],
    [{ metadata: { ['x'.repeat(41)]: 'v' } }, noName('x'.repeat(41))],
  ]
  const before = await digestTables(plaza)
  for (const [name, call] of Object.entries(movements))
    for (const [body, refusal] of cases) expect([name, body, outcome(await call(body))]).toEqual([name, body, refusal])
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-97, D-98: amounts above the available, held or refundable points are refused, and so are ids of another kind', async () => {
  const before = await digestTables(plaza)
  for (const call of Object.values(movements))
    expect(outcome(await call({ amount: 81 }))).toEqual(refused('insufficient_points'))
  expect(outcome(await settlements.capture({ amount: 11 }))).toEqual(
    invalid('amount', 'must be at most the 10 that are held'),
  )
  expect(outcome(await settlements.refund({ amount: 11 }))).toEqual(refused('refund_exceeds_spend'))
  expect(outcome(await settlements.refund({ transfer_id: unknown_id }))).toEqual(refused('not_found'))
  expect(outcome(await settlements.refund({ transfer_id: hold.id }))).toEqual(refused('not_found'))
  expect(outcome(await client.call(payments.captureHold, { params: { id: transfer_id }, body: {} }))).toEqual(
    refused('not_found'),
  )
  expect(await digestTables(plaza)).toEqual(before)
})
