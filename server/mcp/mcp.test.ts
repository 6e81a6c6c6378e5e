import { expect, test } from 'vitest'
import { setLanguage } from '../../contract/accounts.ts'
import { failures, publicError, type FailureCode } from '../../contract/errors.ts'
import { mcp_path } from '../../contract/mcp.ts'
import { disconnectApp, listConnectedApps, setDailyLimit } from '../../contract/oauth.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { agentWorld, connectAgent, yes, type Answer } from '../test/agents.ts'
import { race, sharedService } from '../test/harness.ts'
import { long_lifetimes } from '../test/settings.ts'
import { pointsOf, raw, someUser } from '../test/world.ts'

const plaza = await sharedService(long_lifetimes)
const limit = 1_000

const failed = (code: FailureCode) => ({ failure: { error: publicError(code), message: failures[code].message } })

/** An agent that counts its questions and answers them all, by default with yes. */
async function asking(token: string, answer: Answer = yes) {
  const questions: string[] = []
  const onQuestion = (message: string) => {
    questions.push(message)
    return answer
  }
  return { questions, ...(await connectAgent(plaza, token, { onQuestion })) }
}

test('D-156: an agent reads the balance, asks once for each spend, and is refused beyond its daily limit; nothing else moves', async () => {
  const { user, app, tokens } = await agentWorld(plaza, { points: 3_000 })
  const { call, questions, client } = await asking(tokens.access_token)
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  expect(await call('getPoints')).toEqual({ result: { points: 3_000, held: 0 } })
  const { result } = await call('spendPoints', { amount: 1, description: 'a hat' })
  expect(result).toMatchObject({ success: true, points: 2_999, amount_spent: 1 })
  const name = (await user.api.result(listConnectedApps)).connected_apps[0]?.app_name
  expect(questions).toEqual([`Spend 1 point of yours? ${name} asks for it and gets the points. It says: “a hat”`])
  const friend = await someUser(plaza)
  expect(await call('transferPoints', { amount: 9, to_user_id: friend.id })).toMatchObject({
    result: { points: 2_990 },
  })
  expect(questions[1]).toBe(`Send 9 points of yours to ${friend.username}? ${name} asks for it.`)

  // The person sees the agent, its limit and its movements.
  expect(await call('spendPoints', { amount: limit - 9 })).toEqual(failed('spending_limit_reached'))
  expect(await call('spendPoints', { amount: limit - 10 })).toMatchObject({ result: { points: 2_000 } })
  expect(await call('spendPoints', { amount: 1 })).toEqual(failed('spending_limit_reached'))
  expect(await pointsOf(user)).toBe(2_000)
  const { data } = await user.api.result(myPointsHistory, { query: { app_id: app.id, by_agent: true } })
  expect(data.map(({ kind, amount, other_username, by_agent }) => [kind, amount, other_username, by_agent])).toEqual([
    ['spend', limit - 10, null, true],
    ['transfer', 9, friend.username, true],
    ['spend', 1, null, true],
  ])
  const others = await user.api.result(myPointsHistory, { query: { by_agent: false } })
  expect(others.data.map(({ kind, by_agent }) => [kind, by_agent])).toEqual([['award', false]])
  expect((await user.api.result(listConnectedApps)).connected_apps).toMatchObject([{ acts_as_agent: true }])
  plaza.clock.advance(86_400)
  expect(await call('spendPoints', { amount: limit })).toMatchObject({ result: { points: 1_000 } })
})

test('D-156: without a yes of the person nothing moves: declined, unable to ask, an older revision, another question’s answer', async () => {
  const { user, tokens } = await agentWorld(plaza, { points: 100 })
  const { access_token: token } = tokens
  const answers: Answer[] = [{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { yes: false } }]
  for (const answer of answers) {
    const { call, questions } = await asking(token, answer)
    expect(await call('spendPoints', { amount: 5 })).toEqual(failed('confirmation_declined'))
    expect(questions.length).toBe(1)
  }
  for (const mode of ['auto', 'legacy'] as const) {
    const { call } = await connectAgent(plaza, token, { mode, ...(mode === 'legacy' && { onQuestion: () => yes }) })
    expect([mode, await call('spendPoints', { amount: 5 })]).toEqual([mode, failed('confirmation_needed')])
    expect(await call('getPoints')).toEqual({ result: { points: 100, held: 0 } })
  }
  const { client } = await asking(token)
  const asked = await client.callTool({ name: 'spendPoints', arguments: { amount: 5 } }, { allowInputRequired: true })
  const { requestState } = asked as { requestState?: string }
  const answerTo = (amount: number, state = requestState) =>
    client.callTool(
      { name: 'spendPoints', arguments: { amount }, inputResponses: { confirm: yes }, requestState: state } as never,
      { allowInputRequired: true },
    )
  expect(await answerTo(50)).toMatchObject({ resultType: 'input_required' })
  await expect(answerTo(5, `${requestState}x`)).rejects.toThrow(/requestState/)
  plaza.clock.advance(1)
  expect(await pointsOf(user)).toBe(100)

  // Any number of parallel repetitions of one answer move points once.
  const results = await race(plaza, 6, () => answerTo(5))
  const ids = results.map(
    (result) => (result as { structuredContent?: { transfer_id?: string } }).structuredContent?.transfer_id,
  )
  expect([new Set(ids).size, ids[0] !== undefined]).toEqual([1, true])
  expect(await pointsOf(user)).toBe(95)
})

test('D-156: a daily limit of the person takes the place of the question, and bounds the agent', async () => {
  const { user, app, tokens } = await agentWorld(plaza, { points: 5_000 })
  const bound = (daily_limit: number | null) =>
    user.api.result(setDailyLimit, { params: { app_id: app.id }, body: { daily_limit } })
  await bound(1_500)
  const { call, questions } = await asking(tokens.access_token)
  expect(await call('spendPoints', { amount: 1_400 })).toMatchObject({ result: { points: 3_600 } })
  expect(await call('spendPoints', { amount: 101 })).toEqual(failed('spending_limit_reached'))
  expect(questions).toEqual([])
  const unable = await connectAgent(plaza, tokens.access_token)
  expect(await unable.call('spendPoints', { amount: 100 })).toMatchObject({ result: { points: 3_500 } })
  await bound(null)
  expect(await unable.call('spendPoints', { amount: 1 })).toEqual(failed('confirmation_needed'))
  expect(await call('spendPoints', { amount: 1 })).toEqual(failed('spending_limit_reached'))
  expect([questions.length, await pointsOf(user)]).toEqual([1, 3_500])
})

test('D-156: parallel spends of an agent stay within its limit together', async () => {
  const { user, tokens } = await agentWorld(plaza, { points: 5_000 })
  const { call } = await asking(tokens.access_token)
  const results = await race(plaza, 8, () => call('spendPoints', { amount: 300 }))
  const refusals = results.filter(({ failure }) => failure)
  expect(refusals).toEqual(Array.from({ length: 5 }, () => failed('spending_limit_reached')))
  expect(await pointsOf(user)).toBe(4_100)
})

test('D-156: wrong arguments, a missing scope, an unknown tool and a reused key are clear errors; nothing is asked or done', async () => {
  const { user, tokens } = await agentWorld(plaza, { points: 100, scopes: ['points:read', 'points:spend'] })
  const { client, call, questions } = await asking(tokens.access_token)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    'getPoints',
    'spendPoints',
    'pointsHistory',
  ])
  for (const sent of [{ amount: '5' }, {}, { amount: -1 }, { amount: 1.5 }, { amount: 5, description: 7 }])
    expect(await call('spendPoints', sent)).toMatchObject({ failure: { error: 'validation_failed', fields: [{}] } })
  expect(await call('transferPoints', { amount: 5, to_user_id: user.id })).toEqual(failed('insufficient_scope'))
  await expect(call('approveApp', {})).rejects.toThrow('Unknown tool: approveApp')
  expect(questions).toEqual([])
  expect(await call('spendPoints', { amount: 101 })).toEqual(failed('insufficient_points'))
  const keyed = { amount: 5, idempotency_key: 'one' }
  const first = await call('spendPoints', keyed)
  expect(await call('spendPoints', keyed)).toEqual(first)
  expect(await call('spendPoints', { ...keyed, amount: 6 })).toEqual(failed('idempotency_key_reused'))
  expect(await pointsOf(user)).toBe(95)
})

test('D-156: the question is in the language of the person; a token that is revoked ends an open stream', async () => {
  const { user, app, tokens } = await agentWorld(plaza, { points: 10 })
  await user.api.result(setLanguage, { body: { language: 'de' } })
  const { call, client, questions } = await asking(tokens.access_token)
  await call('spendPoints', { amount: 2 })
  expect(questions[0]).toMatch(/^2 Punkte von dir ausgeben\? App \w+ fragt danach und bekommt die Punkte\.$/)
  const subscription = await client.listen({ toolsListChanged: true })
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  await subscription.closed
  await expect(call('getPoints')).rejects.toThrow(/invalid_token/)
})

test('D-156: a message that is none of the protocol, too long or of another revision gets its error', async () => {
  const { user, app, tokens } = await agentWorld(plaza, { points: 10 })
  await user.api.result(setDailyLimit, { params: { app_id: app.id }, body: { daily_limit: 10 } })
  const rpc = (method: string, params: unknown, id: unknown = 1) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const call = (name: string, sent: unknown) => rpc('tools/call', { name, arguments: sent })
  const cases: [string, string, Record<string, string>, number, string][] = [
    ['cut off', '{"jsonrpc"', {}, 400, 'Bad Request'],
    ['no object', 'null', {}, 400, '-32600'],
    ['an empty batch', '[]', {}, 400, '-32600'],
    ['a batch', `[${call('spendPoints', { amount: 1 })},${rpc('tools/list', {}, 2)}]`, {}, 400, '-32600'],
    ['no version of JSON-RPC', '{"id":1,"method":"tools/list"}', {}, 400, '-32600'],
    ['an id that is an object', rpc('tools/list', {}, {}), {}, 400, '-32600'],
    ['200 kB', rpc('tools/list', { x: 'x'.repeat(200_000) }), {}, 413, 'Payload Too Large'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'Unsupported Media Type'],
    ['no stream wanted', rpc('tools/list', {}), { accept: 'text/html' }, 406, '-32000'],
    [
      'a revision of nobody',
      rpc('tools/list', {}),
      { 'mcp-protocol-version': '1999-01-01' },
      400,
      'Unsupported protocol',
    ],
    ['a name of JavaScript', call('__proto__', {}), {}, 200, '-32602'],
    ['arguments in a list', call('spendPoints', [1]), {}, 200, '-32602'],
    ['a NUL in a key', call('spendPoints', { amount: 1, idempotency_key: 'a\u0000' }), {}, 200, 'validation_failed'],
  ]
  for (const [name, body, headers, status, text] of cases) {
    const reply = await raw(plaza, 'POST', mcp_path, {
      headers: {
        authorization: `Bearer ${tokens.access_token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body,
    })
    expect([name, reply.status, reply.text]).toEqual([name, status, expect.stringContaining(text)])
  }
  expect(await pointsOf(user)).toBe(10)
})
