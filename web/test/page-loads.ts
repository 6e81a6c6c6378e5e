import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { package_root } from '../../server/platform/package.ts'
import type { Page } from './browser.ts'

const requests_max = 25
const landing_kilobytes_max = 260
const kilobytes_max = 450

/** Bytes of a file as the console's build has compressed it. */
function compressedBytes(path: string, ending: '.br' | '.gz') {
  const file = join(package_root, 'dist/web', path + ending)
  return existsSync(file) ? statSync(file).size : undefined
}

type Request = Awaited<ReturnType<Page['waitForRequest']>>

/** Loads a page; returns its requests, its reads until it is complete, and its kilobytes with each compression. */
async function load(page: Page, path: string, signed_in: boolean) {
  const requests: string[] = []
  const sizes: Promise<{ br: number; gzip: number }>[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const count = async (request: Request) => {
    const { responseHeadersSize, responseBodySize } = await request.sizes()
    const { pathname } = new URL(request.url())
    return {
      br: responseHeadersSize + (compressedBytes(pathname, '.br') ?? responseBodySize),
      gzip: responseHeadersSize + (compressedBytes(pathname, '.gz') ?? responseBodySize),
    }
  }
  const onFinished = (request: Request) => sizes.push(count(request))
  page.on('requestfinished', onFinished)
  // Loaded last: two seconds after the page.
  const dialogs = signed_in
    ? page.waitForEvent('requestfinished', (request) => /\/dialogs-/.test(request.url()))
    : undefined
  await page.goto(path)
  await page.locator('main h1').first().waitFor()
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  // Later ones are polls.
  const reads = requests.filter((request) => request.startsWith('GET '))
  await dialogs
  // The stream of events does not end, but its response has begun.
  await expect.poll(() => sizes.length, { interval: 500 }).toBeGreaterThanOrEqual(requests.length - 1)
  page.off('requestfinished', onFinished)
  const all = await Promise.all(sizes)
  const kilobytesOf = (encoding: 'br' | 'gzip') => Math.round(all.reduce((sum, size) => sum + size[encoding], 0) / 1000)
  return { requests, reads, br: kilobytesOf('br'), gzip: kilobytesOf('gzip') }
}

/** Loads a page with an empty cache; returns where it asks too often or for too much. */
export async function loadFaults(page: Page, path: string, { signed_in }: { signed_in: boolean }) {
  const { requests, reads, br, gzip } = await load(page, path, signed_in)
  process.stdout.write(`${path}: ${requests.length} requests, ${br} kB (br), ${gzip} kB (gzip)\n`)
  const max = path === '/' && !signed_in ? landing_kilobytes_max : kilobytes_max
  // No read is repeated, except messages and notices: they are read again when the event stream opens after the first read.
  const once = reads.filter((read) => !/\/(?:messages|notices)$/.test(read))
  return [
    ...(requests.length > requests_max ? [`${path}: ${requests.length} requests: ${requests.join(', ')}`] : []),
    ...(gzip > max || br > max ? [`${path}: ${gzip} kB (gzip), ${br} kB (br)`] : []),
    ...once.filter((read, place) => once.indexOf(read) !== place).map((read) => `${path}: twice ${read}`),
  ]
}
