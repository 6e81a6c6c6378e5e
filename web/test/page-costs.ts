import type { BrowserContext, CDPSession } from 'playwright-core'
import { startExample } from '../../examples/world/service.ts'
import { makeExampleWorld } from '../../examples/world/world.ts'
import { launchBrowser, openContext } from './launch.ts'
import { addresses, viewerOf, type Viewer } from './page-addresses.ts'
import { pages } from '../pages.ts'
import { median } from '../../bench/lib/world.ts'

/**
 * `npx tsx web/test/page-costs.ts`: the cost of a first visit to the console's pages over a slow line on a slow machine: requests,
 * transferred bytes, first and largest contentful paint. `npx tsx web/test/page-costs.ts /points` for some pages.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
/** "Slow 4G" in browsers' developer tools, and a quarter of this machine's processor. */
const line = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const processor_divisor = 4

const docs = [
  '/docs',
  '/docs/guides/spending',
  '/docs/reference/points',
  '/docs/reference/payments',
  '/docs/reference/administration',
]

interface Visited {
  path: string
  as: Viewer
}

/** Every page of the console, `/` also for visitors, and pages of the documentation. */
const looked_at: Visited[] = [
  { path: '/', as: 'nobody' },
  ...pages.map((page) => ({ path: page.path, as: viewerOf(page) })),
  ...docs.map((path) => ({ path, as: 'nobody' as const })),
]

interface Visit {
  requests: number
  kilobytes: number
  /** The part before the largest contentful paint. */
  kilobytes_before: number
  first_paint_ms: number
  largest_paint_ms: number
}

/** Counts requests and bytes; the chat's event stream never ends and counts as one request. */
function count(session: CDPSession) {
  const seen = { requests: 0, bytes: 0, loaded: [] as { at: number; bytes: number }[] }
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith('http')) seen.requests += 1
  })
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    seen.bytes += encodedDataLength
    seen.loaded.push({ at: Date.now(), bytes: encodedDataLength })
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
  const painted_at = await tab.evaluate<number>('performance.timeOrigin + largest_paint_ms')
  const before = seen.loaded.reduce((sum, { at, bytes }) => sum + (at <= painted_at ? bytes : 0), 0)
  await tab.close()
  return {
    requests: seen.requests,
    kilobytes: seen.bytes / 1000,
    kilobytes_before: before / 1000,
    first_paint_ms,
    largest_paint_ms,
  }
}

const wanted = process.argv.slice(2)
const browser = await launchBrowser()
const { service, url, stop } = await startExample()
try {
  const world = await makeExampleWorld(service)
  const { user, operator, admin } = world
  const people = { nobody: undefined, user, operator, admin }
  process.stdout.write(
    '| page | requests | kB | before the largest paint | first paint, s | largest paint, s |\n|---|---|---|---|---|---|\n',
  )
  for (const { path, as } of looked_at) {
    if (wanted.length > 0 && !wanted.includes(path)) continue
    const visits: Visit[] = []
    for (let round = 0; round < rounds; round++) {
      const context = await openContext(browser, url, { baseURL: url }, people[as])
      visits.push(await visit(context, addresses[path]?.at?.(world) ?? path))
      await context.close()
    }
    const of = (name: keyof Visit) => median(visits.map((each) => each[name]))
    const seconds = (name: keyof Visit) => (of(name) / 1000).toFixed(2)
    process.stdout.write(
      `| ${path} (${as}) | ${of('requests')} | ${Math.round(of('kilobytes'))} | ${Math.round(of('kilobytes_before'))} | ${seconds('first_paint_ms')} | ${seconds('largest_paint_ms')} |\n`,
    )
  }
} finally {
  await browser.close()
  await stop()
}
