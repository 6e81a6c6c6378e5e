import { expect, test } from 'vitest'
import { spendPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { createWebhook, listAppEvents, listDeliveries, listWebhooks } from '../../contract/webhooks.ts'
import { PlazaClient } from '../../contract/client.ts'
import { freePort } from '../test/free-port.ts'
import { startTestService } from '../test/harness.ts'
import { endAfterwards, runSample, startSample, credentialsOf } from '../test/samples.ts'
import { waitUntil } from '../test/wait.ts'
import { someApp, world } from '../test/world.ts'

const file = 'webhooks.md'
const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any' })
const scopes: Scope[] = ['points:spend']

test.each(['register-curl', 'register-node', 'register-python'])(
  '%s registers an address for two types of events',
  async (id) => {
    const { id: app_id, owner } = await someApp(plaza)
    const output = await runSample(plaza, file, id, {
      TOKEN: owner.token,
      APP_ID: app_id,
      WEBHOOK_URL: 'http://127.0.0.1:4001/',
    })
    expect(output).toContain('whsec_')
    const { webhooks } = await owner.api.result(listWebhooks, { params: { id: app_id } })
    expect(webhooks).toMatchObject([{ url: 'http://127.0.0.1:4001/', events: ['points.spent', 'connection.ended'] }])
  },
)

test.each(['receiver-node', 'receiver-python'])(
  '%s accepts Plaza’s requests, each once, and refuses others',
  async (id) => {
    const { app, tokens } = await world(plaza, { points: 100, scopes })
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    const params = { id: app.id }
    const { secret, webhook } = await app.owner.api.result(createWebhook, { params, body: { url } })
    const program = startSample(plaza, file, id, { WEBHOOK_SECRET: secret, PORT: String(port) })
    endAfterwards(program)
    await waitUntil(
      () => program.stdout().startsWith('listening'),
      () => program.stderr(),
    )
    const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 30, reference: '1042' } })
    await waitUntil(
      () => program.stdout().includes(transfer_id),
      () => `the event (${program.stderr()})`,
    )
    expect(program.stdout()).toMatch(/points\.spent \{.*"amount": ?30/)
    const succeeded = async () => {
      const page = await app.owner.api.result(listDeliveries, { params: { ...params, webhook_id: webhook.id } })
      return page.data[0]?.status === 'succeeded'
    }
    await waitUntil(succeeded, 'the delivery')

    const forged = {
      'webhook-id': 'a',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    }
    const old = { ...forged, 'webhook-timestamp': '1700000000' }
    for (const headers of [forged, old, {}])
      expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(400)
  },
)

test.each(['catch-up-curl', 'catch-up-node', 'catch-up-python'])('%s reads the events after the cursor', async (id) => {
  const { app, tokens } = await world(plaza, { points: 100, scopes })
  const own = new PlazaClient(plaza.url).withClient(app)
  const { next_cursor } = await own.result(listAppEvents, { query: {} })
  for (const amount of [1, 2, 3]) await tokens.api.result(spendPoints, { body: { amount } })
  await waitUntil(async () => (await own.result(listAppEvents, { query: {} })).data.length === 3, 'the events')
  const env = { ...credentialsOf(app), CURSOR: next_cursor ?? '' }
  const output = await runSample(plaza, file, id, env)
  expect(output.match(/points\.spent/g)).toHaveLength(3)
  const [cursor = ''] = /(?<=next time from |"next_cursor":")[\w-]+/.exec(output) ?? []
  expect((await runSample(plaza, file, id, { ...env, CURSOR: cursor })).includes('points.spent')).toBe(false)
})
