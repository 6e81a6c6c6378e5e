import { expect, test } from 'vitest'
import { awardPoints } from '../../contract/admin.ts'
import { PlazaClient } from '../../contract/client.ts'
import { freePort } from './free-port.ts'
import { databaseNameOf, startTestService } from './harness.ts'
import { apiProcess, startServing } from './processes.ts'
import { givePoints, raw, someApp, someTokens, someUser, theAdmin } from './world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)
const app = await someApp(plaza, { scopes: ['points:spend'] })
const name = await databaseNameOf(plaza)

test('a process that is frozen during awards does not block spends, and awards work again while it is frozen', async () => {
  const [rewarded, spender] = [await someUser(plaza), await someUser(plaza)]
  await givePoints(plaza, spender, 1_000_000)
  const { access_token } = await someTokens(plaza, app, spender, ['points:spend'])
  const spend = () =>
    raw(plaza, 'POST', '/api/external/points/spend', {
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: '{"amount":1}',
    })
  const other = await startServing(apiProcess(name, { port: await freePort(), public_url: plaza.url }))
  const there = new PlazaClient(other.url, admin.token)
  const award = (client: PlazaClient) => client.call(awardPoints, { body: { user_id: rewarded.id, amount: 1 } })

  let is_done = false
  const awarding = Array.from({ length: 16 }, async () => {
    while (!is_done) await award(there).catch(() => undefined)
  })
  // It usually freezes within a transaction, which then holds the lock of the account that pays awards.
  for (let round = 0; round < 5; round++) {
    await award(there)
    other.child.kill('SIGSTOP')
    const statuses = new Set<number>()
    for (let n = 0; n < 100; n++) statuses.add((await spend()).status)
    expect([...statuses]).toEqual([200])
    expect((await raw(plaza, 'GET', '/health')).status).toBe(200)
    if (round === 4)
      // PostgreSQL ends the frozen transaction after 10 s.
      await expect.poll(async () => (await award(admin.api)).status).toBe(200)
    other.child.kill('SIGCONT')
  }
  is_done = true
  await Promise.all(awarding)
  expect((await admin.api.call(awardPoints, { body: { user_id: rewarded.id, amount: 1 } })).status).toBe(200)
})
