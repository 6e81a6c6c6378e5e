import { expect, test } from 'vitest'
import { spendPoints } from '../../contract/points.ts'
import { createWebhook } from '../../contract/webhooks.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { PlazaClient } from '../../contract/client.ts'
import { freePort } from '../test/free-port.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { apiProcess, startMain, untilAnswers } from '../test/processes.ts'
import { startReceiver } from '../test/receiver.ts'
import { waitUntil } from '../test/wait.ts'
import { world } from '../test/world.ts'

const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any' })
const scopes: Scope[] = ['points:spend']

test('drill: a process killed with kill -9 amid deliveries loses no event of an acknowledged spend, another delivers them', async () => {
  const { app, tokens } = await world(plaza, { points: 1_000, scopes })
  const receiver = await startReceiver()
  await app.owner.api.result(createWebhook, { params: { id: app.id }, body: { url: receiver.url } })
  const database = await databaseNameOf(plaza)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await plaza.stopAll()

  const killed = startMain(['serve'], {
    ...apiProcess(database, { port, public_url: plaza.url }),
    WEBHOOK_ADDRESSES: 'any',
  })
  await untilAnswers(killed, `${url}/health`)
  // From the 31st request on, the receiver does not respond: these are in progress when the process is killed.
  receiver.answer((response) => {
    if (receiver.received.length <= 30) response.writeHead(204).end()
  })
  const api = new PlazaClient(url).withToken(tokens.access_token)
  const acknowledged: string[] = []
  for (let at = 0; at < 100; at++) {
    const { transfer_id } = await api.result(spendPoints, { body: { amount: 1 } })
    acknowledged.push(transfer_id)
  }
  await receiver.nth(31)
  killed.child.kill('SIGKILL')
  await killed.ended
  const before = receiver.received.length

  receiver.answer((response) => response.writeHead(204).end())
  // The lease of the killed process has then expired.
  plaza.clock.advance(600)
  const other = await plaza.startAnother()
  const arrived = () => new Set(receiver.received.map(({ event }) => event.data.transfer_id))
  await waitUntil(
    () => arrived().size === 100,
    () => `all events (${arrived().size} of 100 came)`,
    { timeout_ms: 60_000 },
  )
  expect([...arrived()].sort()).toEqual([...acknowledged].sort())
  await waitUntil(async () => {
    const rows = await other.db.sql`select 1 from webhook_deliveries where status <> 'succeeded'`
    return rows.length === 0
  }, 'the end of all deliveries')
  // Events delivered twice were in progress at the kill, and have the same id.
  const twice = receiver.received.length - new Set(receiver.received.map(({ event }) => event.id)).size
  expect(twice).toBeGreaterThan(0)
  expect(twice).toBeLessThanOrEqual(before)
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(100)
})
