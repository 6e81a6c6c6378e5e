import { expect, test } from 'vitest'
import { spendPoints } from '../../contract/points.ts'
import { sharedService } from '../test/harness.ts'
import { allowHosting } from '../test/hosting-world.ts'
import { runSample, credentialsOf } from '../test/samples.ts'
import { waitUntil } from '../test/wait.ts'
import { someApp, world } from '../test/world.ts'
import { package_version } from '../platform/package.ts'

const plaza = await sharedService()

test.each(['error-curl', 'error-node', 'error-python'])('%s prints status, code and fields', async (id) => {
  const { tokens } = await world(plaza, { scopes: ['points:spend'] })
  const output = await runSample(plaza, 'errors.md', id, { TOKEN: tokens.access_token })
  expect(output).toMatch(/^422 validation_failed/)
  if (id !== 'error-curl') expect(output).toMatch(/amount.*must be >= 1/s)
})

const refusals = () => plaza.logged().split('"rate_limited"').length

test.each(['wait-curl', 'wait-node', 'wait-python'])(
  '%s waits until the window is over, then gets its answer',
  async (id) => {
    const app = await someApp(plaza)
    await allowHosting(plaza, app)
    const authorization = `Basic ${btoa(`${app.client_id}:${app.client_secret}`)}`
    const call = () => fetch(`${plaza.url}/api/deploy/tiers`, { headers: { authorization } })
    const [, seconds] = /t=(\d+)/.exec((await call()).headers.get('RateLimit') ?? '') ?? []
    for (let made = 1; made < 30; made++) expect((await call()).status).toBe(200)
    plaza.clock.advance(Number(seconds) - 1)
    const before = refusals()
    const running = runSample(plaza, 'limits.md', id, credentialsOf(app))
    // The program sleeps in real time, so the service's clock advances after the refusal.
    await waitUntil(() => refusals() > before, 'a refusal')
    plaza.clock.advance(2)
    expect(await running).toMatch(id === 'wait-curl' ? /"tiers":\[/ : /^200 .*r=\d+/)
  },
)

test.each(['pages-curl', 'pages-node', 'pages-python'])('%s walks all pages', async (id) => {
  const { app, tokens } = await world(plaza, { points: 1_000, scopes: ['points:spend'] })
  const spends = Array.from({ length: 120 }, (_, at) =>
    tokens.api.result(spendPoints, { body: { amount: 1, reference: `order ${at}` } }),
  )
  await Promise.all(spends)
  const lines = (await runSample(plaza, 'paging.md', id, credentialsOf(app))).trim().split('\n')
  expect(new Set(lines.map((line) => /order \d+/.exec(line)?.[0])).size).toBe(120)
})

test.each(['version-curl', 'version-node', 'version-python'])('%s prints the version', async (id) => {
  expect((await runSample(plaza, 'versions.md', id, {})).trim()).toBe(package_version)
})
