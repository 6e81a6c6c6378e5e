import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { listLearningPaths, listModules } from '../../contract/learning.ts'
import { example_registry } from '../../examples/world/hosting.ts'
import { example_admin, makeExampleWorld, type ExampleWorld } from '../../examples/world/world.ts'
import { startConsole, type Page } from './browser.ts'
import type { Viewer } from './page-addresses.ts'

const {
  plaza,
  page: newPage,
  pageAs,
} = await startConsole({
  ADMIN_EMAIL: example_admin.email,
  ADMIN_PASSWORD: example_admin.password,
  REGISTRY_CODE_HOST: example_registry,
})
const world = await makeExampleWorld(plaza.service)

const requests_max = 25

/** The font, which every page loads once. */
const font_kilobytes = 22

/** The most visited pages, with what they may load beside the font. */
const visited: [path: string, as: Viewer, kilobytes_max: number, at?: (world: ExampleWorld) => string][] = [
  ['/', 'user', 309],
  ['/account', 'user', 322],
  ['/points', 'user', 420],
  ['/connected-apps', 'user', 322],
  ['/learning', 'user', 322],
  ['/friends', 'user', 326],
  ['/people', 'user', 326],
  ['/chat', 'user', 326],
  ['/directory', 'user', 322],
  ['/apps', 'operator', 322],
  ['/apps/$id', 'operator', 322, ({ app }) => `/apps/${app.id}`],
  ['/playground', 'operator', 325],
  ['/deployments', 'operator', 322],
  ['/admin', 'admin', 332],
  ['/admin/users', 'admin', 332],
  ['/admin/audit', 'admin', 335],
]

/** Loads a page with an empty cache and returns its requests and bytes until the network is idle. */
async function load(page: Page, address: string) {
  const requests: string[] = []
  const sizes: Promise<number>[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  page.on('requestfinished', (request) =>
    sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize)),
  )
  let in_flight = 0
  const count = (by: number) => (request: Request) => {
    // The event stream does not end.
    if (!request.url().includes('/api/events')) in_flight += by
  }
  page.on('request', count(1)).on('requestfinished', count(-1)).on('requestfailed', count(-1))
  // The chunk of the dialogs is loaded last.
  const last_chunk = page.waitForResponse(/\/assets\/console-/)
  // The user is read by the page, or a few seconds later by refresh-user.ts.
  const renewal = page.waitForResponse(/\/api\/auth\/me$/)
  await page.goto(address)
  await page.locator('main h1').first().waitFor()
  await (await last_chunk).finished()
  await (await renewal).finished()
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  await expect.poll(() => in_flight, { interval: 400 }).toBe(0)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return { requests, kilobytes: bytes / 1000 }
}

test.each(visited)(
  'a first load of %s as %s makes at most 25 requests, for at most %d kB and the font',
  async (path, as, kilobytes_max, at) => {
    const page = as === 'nobody' ? await newPage() : await pageAs(world[as])
    const { requests, kilobytes } = await load(page, at?.(world) ?? path)
    process.stdout.write(`${path}: ${requests.length} requests, ${kilobytes.toFixed(0)} kB\n`)
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(requests_max)
    expect(kilobytes).toBeLessThanOrEqual(kilobytes_max + font_kilobytes)
    // No read is repeated, except messages: they are read again when the event stream opens after the first read.
    const reads = requests.filter((request) => request.startsWith('GET ') && !request.endsWith('/messages'))
    expect(reads.filter((request, place) => reads.indexOf(request) !== place)).toEqual([])
  },
)

test('the first calls of a page are made before the console’s code has arrived, and once', async () => {
  const page = await pageAs(world.user)
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/\/(?:available-modules|learning-paths)$/.test(pathname)) calls.push(`${request.method()} ${pathname}`)
  })
  let deliver = () => {}
  const delivered = new Promise<void>((resolve) => (deliver = resolve))
  await page.route(/\/assets\/base-/, async (route) => {
    await delivered
    await route.continue()
  })
  const loaded = page.goto('/learning')
  const first_calls = [listModules, listLearningPaths].map(({ method, path }) => `${method} ${path}`)
  await expect.poll(() => calls).toEqual(first_calls)
  deliver()
  await loaded
  await page.locator('main h1').first().waitFor()
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  expect(calls).toEqual(first_calls)
})

test('an answer that no first read has taken is not taken later', async () => {
  const page = await pageAs(world.user)
  await page.goto('/learning')
  await page.locator('main h1').first().waitFor()
  expect(await page.evaluate('globalThis.plaza_early')).toBeUndefined()
})
