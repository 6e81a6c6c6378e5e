import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { startConsole, type Page } from './browser.ts'
import { example_registry } from './example-hosting.ts'
import { example_admin, makeExampleWorld, type ExampleWorld, type Viewer } from './example-world.ts'

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

const requests_max = 15

/** Every page on which people begin or spend their time. */
const visited: [path: string, as: Viewer, kilobytes_max: number, at?: (world: ExampleWorld) => string][] = [
  ['/', 'user', 305],
  ['/account', 'user', 315],
  ['/points', 'user', 410],
  ['/connected-apps', 'user', 315],
  ['/learning', 'user', 325],
  ['/friends', 'user', 315],
  ['/people', 'user', 315],
  ['/chat', 'user', 315],
  ['/directory', 'user', 315],
  ['/apps', 'operator', 315],
  ['/apps/$id', 'operator', 315, ({ app }) => `/apps/${app.id}`],
  ['/playground', 'operator', 315],
  ['/deployments', 'operator', 315],
  ['/admin', 'admin', 315],
  ['/admin/users', 'admin', 315],
  ['/admin/audit', 'admin', 315],
]

/** Loads a page for the first time, and answers what came over the line until nothing more does. */
async function load(page: Page, address: string) {
  const requests: string[] = []
  const sizes: Promise<number>[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  page.on('requestfinished', (request) =>
    sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize)),
  )
  let under_way = 0
  const count = (by: number) => (request: Request) => {
    // The stream of events never ends.
    if (!request.url().includes('/api/events')) under_way += by
  }
  page.on('request', count(1)).on('requestfinished', count(-1)).on('requestfailed', count(-1))
  // What may be wanted on any page comes last.
  const last_part = page.waitForResponse(/\/assets\/console-/)
  // Who is signed in is read by the page, or a few seconds after it.
  const renewal = page.waitForResponse(/\/api\/auth\/me$/)
  await page.goto(address)
  await page.locator('main h1').first().waitFor()
  await (await last_part).finished()
  await (await renewal).finished()
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  await expect.poll(() => under_way, { interval: 400 }).toBe(0)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return { requests, kilobytes: bytes / 1000 }
}

test.each(visited)(
  'a first load of %s as %s makes at most fifteen requests, for at most %d kB',
  async (path, as, kilobytes_max, at) => {
    const page = as === 'nobody' ? await newPage() : await pageAs(world[as])
    const { requests, kilobytes } = await load(page, at?.(world) ?? path)
    process.stdout.write(`${path}: ${requests.length} requests, ${kilobytes.toFixed(0)} kB\n`)
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(requests_max)
    expect(kilobytes).toBeLessThanOrEqual(kilobytes_max)
    // Nothing is asked for twice, but messages where the stream came after them: what was said in between.
    const reads = requests.filter((request) => request.startsWith('GET ') && !request.endsWith('/messages'))
    expect(reads.filter((request, place) => reads.indexOf(request) !== place)).toEqual([])
  },
)
