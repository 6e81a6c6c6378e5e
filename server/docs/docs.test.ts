import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { failures, publicError, type FailureCode } from '../../contract/errors.ts'
import { framework_remedies, remedies } from '../../contract/remedies.ts'
import { webhook_payloads } from '../../contract/app-events.ts'
import { framework_details } from '../../contract/framework-failures.ts'
import { package_root } from '../platform/package.ts'
import { sharedService } from '../test/harness.ts'
import { raw } from '../test/world.ts'
import { readGuides } from './guides.ts'

const plaza = await sharedService()
const guides = readGuides(plaza.url)
const { endpoints } = plaza.service.app

const hrefsIn = (text: string) => [...text.matchAll(/\shref="([^"]+)"/g)].map(([, target]) => target ?? '')
const idsIn = (text: string) => [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id ?? '')

/** Every page of the documentation, found by following links from the first. */
async function crawl() {
  const pages = new Map<string, string>()
  const pending = ['/docs']
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (pages.has(path)) continue
    const { status, text, headers } = await raw(plaza, 'GET', path, { headers: { accept: 'text/html' } })
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    pages.set(path, text)
    const inner = hrefsIn(text).flatMap((href) => /^\/docs(?!\/docs\.)[\w/-]*(?=$|#)/.exec(href)?.[0] ?? [])
    pending.push(...inner)
  }
  return pages
}
const pages = await crawl()
const ids_by_page = new Map([...pages].map(([path, text]) => [path, idsIn(text)] as const))

test('there is a page for each guide, for each tag, and for all calls', () => {
  const tags = [...new Set(endpoints.map(({ tag }) => `/docs/reference/${tag.toLowerCase().replaceAll(' ', '-')}`))]
  expect([...pages.keys()].sort()).toEqual(
    [
      '/docs',
      '/docs/decisions',
      '/docs/reference',
      '/docs/reference/refusals',
      '/docs/reference/webhook-events',
      ...guides.map(({ name }) => `/docs/guides/${name}`),
      ...tags,
    ].sort(),
  )
})

test('pages need no other host and no inline script or style, and say so by their policy', async () => {
  const { headers } = await raw(plaza, 'GET', '/docs')
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'none'; " +
      "base-uri 'none'; frame-ancestors 'none'",
  )
  for (const [path, text] of pages) {
    const markup = text.replace(/data-call="[^"]*"/g, '')
    expect([
      path,
      /<style|\sstyle=|\son\w+=|<script>|<script src="(?!\/docs\/)|<img src="(?!\/icon.svg")/.test(markup),
    ]).toEqual([path, false])
  }
})

const console_pages = readFileSync(join(package_root, 'web/pages/build/pages.ts'), 'utf8')

test('every link leads to a page, a place on it, or a file that is served', async () => {
  const files = new Set<string>()
  for (const [path, text] of pages) {
    const ids = ids_by_page.get(path) ?? []
    expect([path, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([path, []])
    for (const href of hrefsIn(text)) {
      if (/^https?:/.test(href)) continue
      const [target = '', anchor] = href.split('#', 2)
      const places = target === '' ? ids : ids_by_page.get(target)
      if (!places) files.add(target)
      else if (anchor !== undefined && !places.includes(anchor)) expect([path, href]).toEqual([path, 'a place'])
    }
  }
  for (const file of files) {
    // The icon is a file of the console's build.
    if (file === '/icon.svg') expect(existsSync(join(package_root, 'web/public/icon.svg'))).toBe(true)
    // Every page links to the console, which this service serves only if it is built.
    else if (file === '/apps') expect(console_pages).toContain(`path: '${file}'`)
    else if (file !== '/') expect([file, (await raw(plaza, 'GET', file)).status]).toEqual([file, 200])
  }
})

test('only the page of decisions shows their ids; other pages link to it by a word', () => {
  for (const [path, text] of pages) {
    if (path === '/docs/decisions') continue
    const read = text.replace(/<[^>]*>/g, ' ')
    expect([path, /.{0,40}\bD-\d+.{0,20}/.exec(read)?.[0]]).toEqual([path, undefined])
  }
  for (const { name, text } of guides) expect([name, /\bD-\d+/.exec(text)]).toEqual([name, null])
})

test('every endpoint has its section, with who may call it, and every event of webhooks its payload', () => {
  const all = [...pages.values()].join('').replaceAll('<wbr />', '')
  const sections = [
    ...all.matchAll(/<article id="\w+"[^]*?<span class="method (\w+)"[^]*?<code class="path">([^<]*)</g),
  ]
  expect(sections.map(([, method = '', path]) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
  )
  for (const type of Object.keys(webhook_payloads))
    expect(pages.get('/docs/reference/webhook-events')).toContain(`<code>${type}</code>`)
})

test('every error code has a section with its message and remedy', () => {
  const page = pages.get('/docs/reference/refusals') ?? ''
  const read = page.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
  for (const [code, { message }] of Object.entries(failures)) {
    expect([code, idsIn(page).includes(publicError(code as FailureCode))]).toEqual([code, true])
    for (const sentence of [message, remedies[code as FailureCode]])
      expect(read).toContain(sentence.replaceAll('`', '').replaceAll("'", '&#39;'))
  }
  expect(Object.keys(framework_remedies)).toEqual(Object.keys(framework_details))
})

test('pages are prepared in each encoding, and 304 if unchanged', async () => {
  const get = async (headers: Record<string, string>) => {
    const reply = await plaza.service.app.fastify.inject({ url: '/docs', headers })
    return { status: reply.statusCode, headers: reply.headers, bytes: reply.rawPayload }
  }
  const [plain, br, gzip] = [
    await get({}),
    await get({ 'accept-encoding': 'gzip, br' }),
    await get({ 'accept-encoding': 'gzip' }),
  ]
  expect([plain, br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'br', 'gzip'])
  expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true)
  expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true)
  const again = await get({ 'if-none-match': String(plain.headers.etag) })
  expect([again.status, again.bytes.length]).toEqual([304, 0])
})

test('llms.txt lists the guides as Markdown with a line each, and the address of the OpenAPI document; any site may read them', async () => {
  const { status, text, headers } = await raw(plaza, 'GET', '/llms.txt')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(text).toMatch(/^# Plaza\n\n> /)
  expect(text).toContain(`(${plaza.url}/api/openapi.json)`)
  for (const { name, title, summary, text: markdown } of guides) {
    const address = `${plaza.url}/docs/guides/${name}.md`
    expect(text).toContain(`- [${title}](${address}): ${summary}\n`)
    const served = await raw(plaza, 'GET', address.slice(plaza.url.length))
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect([served.headers.get('access-control-allow-origin'), served.text]).toEqual(['*', markdown])
  }
})

test('the style sheet and the entries of the search are served; each entry leads somewhere', async () => {
  const style = await raw(plaza, 'GET', '/docs/docs.css')
  expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
  const { body } = await raw(plaza, 'GET', '/docs/search.json')
  const entries = body as { href: string; title: string; place: string; text: string }[]
  expect(new Set(entries.map(({ href }) => href)).size).toBe(entries.length)
  for (const { href } of entries) {
    const [path = '', anchor] = href.split('#', 2)
    const ids = ids_by_page.get(path)
    expect([href, ids && (anchor === undefined || ids.includes(anchor))]).toEqual([href, true])
  }
  for (const { summary } of endpoints)
    expect(entries.some(({ title }) => title === summary.replaceAll('`', ''))).toBe(true)
})
