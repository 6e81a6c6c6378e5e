import { expect, test } from 'vitest'
import { operations } from '../../contract/operations.ts'
import { scope_names } from '../../contract/kinds/scopes.ts'
import { canAsk, listedTools, requestOf, tools } from './tools.rules.ts'

test('D-156: the tools are the marked endpoints of the contract, with its texts and schemas; a token lists those of its scopes', () => {
  const marked = Object.entries(operations).filter(([, { tool }]) => tool)
  const listed = listedTools(scope_names)
  expect(listed.map(({ name, title }) => [name, title])).toEqual(marked.map(([name, { summary }]) => [name, summary]))
  expect(listed.map(({ name }) => name).toSorted()).toEqual([
    'getExternalUser',
    'getPoints',
    'pointsHistory',
    'spendPoints',
    'transferPoints',
  ])
  const spend = listed.find(({ name }) => name === 'spendPoints')!
  expect(Object.keys(spend.inputSchema.properties ?? {})).toEqual([
    'idempotency_key',
    'amount',
    'description',
    'reference',
    'metadata',
  ])
  expect([spend.inputSchema.required, spend.annotations?.readOnlyHint]).toEqual([['amount'], false])
  expect(JSON.stringify(listed)).not.toContain('"x-')
  expect(listedTools(['points:read']).map(({ name }) => name)).toEqual(['getPoints', 'pointsHistory'])
  expect(listedTools([])).toEqual([])
})

test('D-156: arguments go where the endpoint has them: query, header or body', () => {
  expect(requestOf(tools.get('pointsHistory')!, { limit: 2, kind: 'spend', other: 1 })).toEqual({
    method: 'GET',
    url: '/api/external/points/history?kind=spend&limit=2',
    headers: {},
  })
  expect(requestOf(tools.get('spendPoints')!, { amount: 5, idempotency_key: 'k', metadata: { a: 'b' } })).toEqual({
    method: 'POST',
    url: '/api/external/points/spend',
    headers: { 'idempotency-key': 'k' },
    body: { amount: 5, metadata: { a: 'b' } },
  })
})

test('D-156: a client can ask if it shows forms', () => {
  expect([undefined, {}, { elicitation: { url: {} } }].map(canAsk)).toEqual([false, false, false])
  expect([{ elicitation: {} }, { elicitation: { form: {}, url: {} } }].map(canAsk)).toEqual([true, true])
})
