import type { BrowserContext, CDPSession } from 'playwright-core'
import { startExample } from '../examples/world/service.ts'
import { makeExampleWorld, type ExampleWorld } from '../examples/world/world.ts'
import { launchBrowser, openContext } from '../web/test/launch.ts'
import type { Viewer } from '../web/test/page-addresses.ts'
import { median } from './lib/world.ts'

/**
 * `npx tsx bench/pages.ts`: the cost of a first visit to the console's pages over a slow line on a slow machine: requests,
 * transferred bytes, first and largest contentful paint. `npx tsx bench/pages.ts /points` for some pages.
 */
const rounds = 3
/** "Slow 4G" of browsers' developer tools, and a quarter of this machine's processor. */
const line = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const processor_divisor = 4

const looked_at: { path: string; at?: (world: ExampleWorld) => string; as: Viewer }[] = [
  { path: '/', as: 'nobody' },
  { path: '/', as: 'user' },
  { path: '/points', as: 'user' },
  { path: '/friends', as: 'user' },
  { path: '/chat', as: 'user' },
  { path: '/learning', as: 'user' },
  { path: '/apps', as: 'operator' },
  { path: '/apps/$id', at: ({ app }) => `/apps/${app.id}`, as: 'operator' },
  { path: '/deployments', as: 'operator' },
  { path: '/admin', as: 'admin' },
  { path: '/admin/users', as: 'admin' },
  { path: '/docs', as: 'nobody' },
  { path: '/docs/guides/spending', as: 'nobody' },
  { path: '/docs/reference/points', as: 'nobody' },
  { path: '/docs/reference/payments', as: 'nobody' },
  { path: '/docs/reference/administration', as: 'nobody' },
]

interface Visit {
  requests: number
  kilobytes: number
  first_paint_ms: number
  largest_paint_ms: number
}

/** Counts requests and bytes; the chat's event stream never ends and counts as one request. */
function count(session: CDPSession) {
  const seen = { requests: 0, bytes: 0 }
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith('http')) seen.requests += 1
  })
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    seen.bytes += encodedDataLength
  })
  return seen
}

async function visit(context: BrowserContext, address: string): Promise<Visit> {
  const tab = await context.newPage()
  const session = await context.newCDPSession(tab)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', line)
  await session.send('Emulation.setCPUThrottlingRate', { rate: processor_divisor })
  const seen = count(session)
  await tab.addInitScript(`new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.largest_paint_ms = entry.startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })`)
  await tab.goto(address)
  await tab.locator('main h1').first().waitFor()
  await tab.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  // Requests after the page has rendered count too.
  await tab.waitForTimeout(3_000)
  const first_paint_ms = await tab.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  )
  const largest_paint_ms = await tab.evaluate<number>('largest_paint_ms')
  await tab.close()
  return { requests: seen.requests, kilobytes: seen.bytes / 1000, first_paint_ms, largest_paint_ms }
}

const wanted = process.argv.slice(2)
const browser = await launchBrowser()
const { service, url, stop } = await startExample()
try {
  const world = await makeExampleWorld(service)
  const { user, operator, admin } = world
  const people = { nobody: undefined, user, operator, admin }
  process.stdout.write('| page | requests | kB | first paint, s | largest paint, s |\n|---|---|---|---|---|\n')
  for (const { path, at, as } of looked_at) {
    if (wanted.length > 0 && !wanted.includes(path)) continue
    const visits: Visit[] = []
    for (let round = 0; round < rounds; round++) {
      const context = await openContext(browser, url, { baseURL: url }, people[as])
      visits.push(await visit(context, at?.(world) ?? path))
      await context.close()
    }
    const of = (name: keyof Visit) => median(visits.map((each) => each[name]))
    const seconds = (name: keyof Visit) => (of(name) / 1000).toFixed(2)
    process.stdout.write(
      `| ${path} (${as}) | ${of('requests')} | ${Math.round(of('kilobytes'))} | ${seconds('first_paint_ms')} | ${seconds('largest_paint_ms')} |\n`,
    )
  }
} finally {
  await browser.close()
  await stop()
}
