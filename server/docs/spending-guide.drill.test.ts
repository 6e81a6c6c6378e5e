import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { getPoints, spendPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { startForwarder } from '../test/forwarder.ts'
import { sharedService } from '../test/harness.ts'
import { runSample, credentialsOf } from '../test/samples.ts'
import { pointsOf, someTokens, someUser, world } from '../test/world.ts'

const file = 'spending.md'
const plaza = await sharedService()
const scopes: Scope[] = ['points:read', 'points:spend']

test.each(['spend-curl', 'spend-node', 'spend-python'])(
  '%s spends 30 points, and run again it spends none',
  async (id) => {
    const { user, tokens } = await world(plaza, { points: 100, scopes })
    const first = await runSample(plaza, file, id, { TOKEN: tokens.access_token })
    expect(first).toMatch(/30/)
    await runSample(plaza, file, id, { TOKEN: tokens.access_token })
    expect(await pointsOf(user)).toBe(70)
  },
)

test.each(['retry-node', 'retry-python'])('%s books once although the first answer is lost', async (id) => {
  const { user, tokens } = await world(plaza, { points: 100, scopes })
  const proxy = await startForwarder(plaza)
  proxy.loseNextAnswer()
  const output = await runSample(proxy, file, id, { TOKEN: tokens.access_token })
  expect(output).toMatch(/points['"]?: 80/)
  expect([proxy.requests(), await pointsOf(user)]).toEqual([2, 80])
})

test.each(['retry-node', 'retry-python'])('%s does not repeat a refused call', async (id) => {
  const { tokens } = await world(plaza, { points: 10, scopes })
  const proxy = await startForwarder(plaza)
  await expect(runSample(proxy, file, id, { TOKEN: tokens.access_token })).rejects.toThrow('insufficient_points')
  expect(proxy.requests()).toBe(1)
})

test.each(['hold-curl', 'hold-node', 'hold-python'])('%s holds 50 points and takes 35', async (id) => {
  const { app, user, tokens } = await world(plaza, { points: 100, scopes })
  const output = await runSample(plaza, file, id, { TOKEN: tokens.access_token, ...credentialsOf(app) })
  expect(output).toMatch(/captured/)
  expect(await pointsOf(user)).toBe(65)
  expect(await new PlazaClient(plaza.url).withToken(tokens.access_token).result(getPoints)).toEqual({
    points: 65,
    held: 0,
  })
})

test.each(['refund-curl', 'refund-node', 'refund-python'])('%s returns 10 points', async (id) => {
  const { app, user, tokens } = await world(plaza, { points: 100, scopes })
  const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 30 } })
  await runSample(plaza, file, id, { ...credentialsOf(app), TRANSFER_ID: transfer_id })
  expect(await pointsOf(user)).toBe(80)
})

test.each(['pay-curl', 'pay-all-node', 'pay-all-python'])(
  '%s pays the prizes, and run again it pays none',
  async (id) => {
    const { app, user, tokens } = await world(plaza, { points: 100, scopes })
    await tokens.api.result(spendPoints, { body: { amount: 50 } })
    const second = await someUser(plaza)
    await someTokens(plaza, app, second)
    const env = { ...credentialsOf(app), USER_ID: user.id, USER_IDS: `${user.id},${second.id},${app.owner.id}` }
    const output = await runSample(plaza, 'paying.md', id, env)
    if (id !== 'pay-curl') expect(output).toContain(`${app.owner.id} recipient_not_connected`)
    expect(await runSample(plaza, 'paying.md', id, env)).toBe(output)
    expect([await pointsOf(user), await pointsOf(second)]).toEqual(id === 'pay-curl' ? [80, 0] : [80, 20])
  },
)
