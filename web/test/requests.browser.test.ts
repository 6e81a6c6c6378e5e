import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../../server/platform/package.ts'
import { givePoints, someApp, someUser, theAdmin, type SomeUser } from '../../server/test/world.ts'
import { startConsole, type Page } from './browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole()
const operator = await someUser(plaza)
await givePoints(plaza, operator, 100)
const app = await someApp(plaza, { owner: operator })
const admin = await theAdmin(plaza)

const requests_max = 25
const landing_kilobytes_max = 260
const kilobytes_max = 450
/** The library of charts alone is 118 kB. */
const gzipped_charts_kilobytes_max = 500

const first_pages: { path: string; as?: SomeUser; max?: number; gzip_max?: number }[] = [
  { path: '/', max: landing_kilobytes_max },
  { path: '/sign-in' },
  { path: '/directory' },
  { path: '/', as: operator },
  { path: '/points', as: operator, gzip_max: gzipped_charts_kilobytes_max },
  { path: '/chat', as: operator },
  { path: '/learning', as: operator },
  { path: '/playground', as: operator },
  { path: `/apps/${app.id}`, as: operator },
  { path: '/admin', as: admin },
  { path: '/admin/users', as: admin },
]

/** Bytes of a file as the console's build has compressed it. */
function compressedBytes(path: string, ending: '.br' | '.gz') {
  const file = join(package_root, 'dist/web', path + ending)
  return existsSync(file) ? statSync(file).size : undefined
}

/** Loads a page with an empty cache and returns its requests, and its kilobytes with each compression. */
async function load(page: Page, path: string, signed_in: boolean) {
  const requests: string[] = []
  const sizes: Promise<{ br: number; gzip: number }>[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  page.on('requestfinished', (request) =>
    sizes.push(
      request.sizes().then(({ responseHeadersSize, responseBodySize }) => {
        const { pathname } = new URL(request.url())
        return {
          br: responseHeadersSize + (compressedBytes(pathname, '.br') ?? responseBodySize),
          gzip: responseHeadersSize + (compressedBytes(pathname, '.gz') ?? responseBodySize),
        }
      }),
    ),
  )
  // Loaded last: two seconds after the page.
  const palette = signed_in
    ? page.waitForEvent('requestfinished', (request) => /\/palette-/.test(request.url()))
    : undefined
  await page.goto(path)
  await page.locator('main h1').first().waitFor()
  await palette
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  // The stream of events does not end, but its response has begun.
  await expect.poll(() => sizes.length, { interval: 500 }).toBeGreaterThanOrEqual(requests.length - 1)
  const all = await Promise.all(sizes)
  const kilobytesOf = (encoding: 'br' | 'gzip') => Math.round(all.reduce((sum, size) => sum + size[encoding], 0) / 1000)
  return { requests, br: kilobytesOf('br'), gzip: kilobytesOf('gzip') }
}

test('a first page makes at most 25 requests, for at most 260 kB on the landing page and 450 kB on others', async () => {
  const loaded = await Promise.all(
    first_pages.map(async ({ path, as, max = kilobytes_max, gzip_max = max }) => {
      const page = as ? await pageAs(as) : await newPage()
      const { requests, br, gzip } = await load(page, path, as !== undefined)
      process.stdout.write(`${path}: ${requests.length} requests, ${br} kB (br), ${gzip} kB (gzip)\n`)
      // No read is repeated, except messages: they are read again when the event stream opens after the first read.
      const reads = requests.filter((request) => request.startsWith('GET ') && !request.endsWith('/messages'))
      const repeated = reads.filter((request, place) => reads.indexOf(request) !== place)
      return { path, requests, repeated, over: requests.length > requests_max || br > max || gzip > gzip_max, br, gzip }
    }),
  )
  expect(loaded.filter(({ over, repeated }) => over || repeated.length > 0)).toEqual([])
})
