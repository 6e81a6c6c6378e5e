import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { movement_id } from '../../contract/fields.ts'
import { package_root } from '../../server/platform/package.ts'
import { example_registry } from '../../examples/world/hosting.ts'
import { example_admin, makeExampleWorld } from '../../examples/world/world.ts'
import { pages } from '../pages.ts'
import { startConsole, type Page } from './browser.ts'
import { addresses, viewerOf } from './page-addresses.ts'

const {
  plaza,
  page: newPage,
  pageAs,
} = await startConsole({
  ROLES: 'api',
  ADMIN_EMAIL: example_admin.email,
  ADMIN_PASSWORD: example_admin.password,
  REGISTRY_CODE_HOST: example_registry,
})
const world = await makeExampleWorld(plaza.service)
const people = { nobody: undefined, user: world.user, operator: world.operator, admin: world.admin }

const requests_max = 25
const landing_kilobytes_max = 260
const kilobytes_max = 450
const pages_at_once = 8

/** Every page of the console as a first page, for those who see it. */
const first_pages = [
  { path: '/', as: people.nobody, max: landing_kilobytes_max },
  ...pages
    .filter(({ sandbox }) => !sandbox)
    .map((page) => ({
      path: addresses[page.path]?.at?.(world) ?? page.path,
      as: people[viewerOf(page)],
      max: kilobytes_max,
    })),
]

/** Bytes of a file as the console's build has compressed it. */
function compressedBytes(path: string, ending: '.br' | '.gz') {
  const file = join(package_root, 'dist/web', path + ending)
  return existsSync(file) ? statSync(file).size : undefined
}

type Request = Awaited<ReturnType<Page['waitForRequest']>>

/** Loads a page with an empty cache and returns its requests, its reads until it is complete, and its kilobytes with each compression. */
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

/** Loads a page and returns its faults. */
async function faultsOf({ path, as, max }: (typeof first_pages)[number]) {
  const page = as ? await pageAs(as) : await newPage()
  const { requests, reads, br, gzip } = await load(page, path, as !== undefined)
  await page.context().close()
  process.stdout.write(`${path}: ${requests.length} requests, ${br} kB (br), ${gzip} kB (gzip)\n`)
  // No read is repeated, except messages and notices: they are read again when the event stream opens after the first read.
  const once = reads.filter((read) => !/\/(?:messages|notices)$/.test(read))
  return [
    ...(requests.length > requests_max ? [`${path}: ${requests.length} requests: ${requests.join(', ')}`] : []),
    ...(gzip > max || br > max ? [`${path}: ${gzip} kB (gzip), ${br} kB (br)`] : []),
    ...once.filter((read, place) => once.indexOf(read) !== place).map((read) => `${path}: twice ${read}`),
  ]
}

test(
  'every page as the first one makes at most 25 requests, for at most 450 kB, the landing page for 260 kB',
  {
    timeout: 600_000,
  },
  async () => {
    const left = [...first_pages]
    const faults: string[] = []
    const loadNext = async (): Promise<void> => {
      const next = left.shift()
      if (!next) return
      faults.push(...(await faultsOf(next)))
      await loadNext()
    }
    await Promise.all(Array.from({ length: pages_at_once }, loadNext))
    expect(faults).toEqual([])
  },
)

test('the page of components and the descriptions of the contract are not in the built console', () => {
  const code = builtText('.js')
  expect(code).not.toMatch(/\/dev\/components|The parts of web\/ui/)
  const { description } = movement_id as { description?: string }
  expect([typeof description, code.includes(description ?? '')]).toEqual(['string', false])
})

/** The library's names of classes in a text. */
const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))

/** All files of the built console with an ending. */
const builtText = (ending: string) => {
  const folder = join(package_root, 'dist/web/assets')
  const names = readdirSync(folder).filter((name) => name.endsWith(ending))
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
}

test('ui/mantine.css has the styles of every component that is used, and no others', () => {
  const folder = join(package_root, 'node_modules/@mantine/core/styles')
  const listed = readFileSync(join(package_root, 'web/ui/mantine.css'), 'utf8')
  const used = classesIn(builtText('.js'))
  const wrong = readdirSync(folder)
    .filter((name) => /^[A-Z]\w+\.css$/.test(name))
    .filter((name) => {
      const is_used = [...classesIn(readFileSync(join(folder, name), 'utf8'))].some((one) => used.has(one))
      return is_used !== listed.includes(`/${name}'`)
    })
  expect(wrong).toEqual([])
})
