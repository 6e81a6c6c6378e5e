import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { fastify as newFastify } from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { startTestService } from '../test/harness.ts'
import { buildConsole } from '../test/build.ts'
import { raw, someUser } from '../test/world.ts'
import { me } from '../../contract/accounts.ts'
import { updateProfile } from '../../contract/profiles.ts'
import { openPreviews } from './previews.service.ts'
import { openPages, pageRoutes } from './routes.ts'

// Builds the console, whose pages are tested.
await buildConsole()
const plaza = await startTestService({ SIGNUP_POINTS: '10', REFERRAL_POINTS: '25' })

const page = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  raw(plaza, 'GET', path, { headers })
const nonceOf = (policy: string | null) => /'nonce-([A-Za-z0-9+/=]{24})'/.exec(policy ?? '')?.[1] ?? 'no nonce'

const policyWith = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; ` +
  "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

test.each([
  '/',
  '/oauth/authorize',
  '/oauth/authorize?client_id=a',
  '/sign-in',
  '/apps/some-id',
  '/learning/1/2?a=b',
  '/Sign-In/',
])('D-30: %s is the page, with a Content-Security-Policy, not framable, and without a Referer', async (path) => {
  const { status, headers, text } = await page(path)
  expect(status).toBe(200)
  const nonce = nonceOf(headers.get('content-security-policy'))
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyWith(nonce),
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    // The popup of an app must keep its opener.
    'cross-origin-opener-policy': path.startsWith('/oauth/authorize') ? 'unsafe-none' : 'same-origin',
  })
  expect(headers.has('access-control-allow-origin')).toBe(false)
  expect(headers.has('set-cookie')).toBe(false)
  expect(text).toContain(`nonce="${nonce}"`)
})

test('D-30: every page has a unique nonce', async () => {
  const pages = await Promise.all(Array.from({ length: 20 }, () => page('/')))
  const nonces = pages.map(({ headers }) => nonceOf(headers.get('content-security-policy')))
  expect(new Set(nonces).size).toBe(20)
})

test('D-30: the page has no inline script, style or handler, and loads only files of this server', async () => {
  const { text } = await page('/oauth/authorize')
  expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+\s*=|javascript:/i)
  const scripts = [...text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/gi)].map(([, content]) => content)
  expect(scripts).toEqual(['', ''])
  const loaded = [...text.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address ?? '')
  expect(loaded.length).toBeGreaterThan(3)
  for (const address of loaded) {
    expect(address).toMatch(/^\/[\w./-]+$/)
    expect([address, (await page(address)).status]).toEqual([address, 200])
  }
})

test('the page contains the console’s settings and nothing else', async () => {
  const { text } = await page('/')
  const [, content = ''] = /<meta name="plaza-settings" content="([^"]*)"/.exec(text) ?? []
  expect(JSON.parse(content.replaceAll('&quot;', '"'))).toEqual({
    apps: { domain: 'apps.localhost', proxy_endpoint: null },
    is_billing_on: false,
    is_mail_sent: false,
    has_passkeys: false,
    is_sandbox: false,
    do_rewards_wait: true,
    admin_second_factor: 'advised' as const,
  })
})

/** The hashed files that the page references. */
async function assets() {
  const { text } = await page('/')
  return [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, address]) => address ?? '')
}

test('the font comes from this server, immutable and as a font', async () => {
  const address = (await assets()).find((path) => path.endsWith('.woff2')) ?? ''
  const font = await page(address)
  expect([font.status, font.headers.get('content-type'), font.headers.get('cache-control')]).toEqual([
    200,
    'font/woff2',
    'public, max-age=31536000, immutable',
  ])
})

test('hashed files are immutable, and compressed if the client accepts it', async () => {
  const address = (await assets()).find((path) => path.endsWith('.js')) ?? ''
  const get = (encoding: string) => page(address, { 'accept-encoding': encoding })
  const plain = await get('identity')
  expect(Object.fromEntries(plain.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  })
  expect(plain.headers.has('content-encoding')).toBe(false)
  const bytes = async (encoding: string) => {
    const reply = await plaza.service.app.fastify.inject({ url: address, headers: { 'accept-encoding': encoding } })
    return { encoding: reply.headers['content-encoding'], raw: reply.rawPayload }
  }
  const [br, gzip, refused] = [await bytes('gzip, br'), await bytes('gzip;q=0.8'), await bytes('br;q=0, gzip;q=0')]
  expect([br.encoding, gzip.encoding, refused.encoding]).toEqual(['br', 'gzip', undefined])
  expect(brotliDecompressSync(br.raw).toString()).toBe(plain.text)
  expect(gunzipSync(gzip.raw).toString()).toBe(plain.text)
  expect(br.raw.length).toBeLessThan(gzip.raw.length)
})

test('files without a hash are revalidated, and 304 if unchanged', async () => {
  const first = await page('/early.js', {})
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  const again = await page('/early.js', { 'if-none-match': first.headers.get('etag') ?? '' })
  expect([again.status, again.text]).toEqual([304, ''])
})

test.each(['/icon.svg', '/early.js', '/docs/docs.css', '/docs'])(
  'F12, D-127: %s has an entity tag per content coding, compared weakly, in lists and with *',
  async (path) => {
    const get = async (headers: Record<string, string>) => {
      const reply = await plaza.service.app.fastify.inject({ url: path, headers })
      return {
        status: reply.statusCode,
        etag: String(reply.headers.etag),
        bytes: reply.rawPayload.length,
        headers: reply.headers,
      }
    }
    const tags = new Set<string>()
    for (const coding of ['identity', 'gzip', 'br']) {
      const accepts = { 'accept-encoding': coding }
      const { etag, status, headers } = await get(accepts)
      expect(status).toBe(200)
      const content_coding = String(headers['content-encoding'] ?? 'identity')
      tags.add(`${content_coding} ${etag}`)
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, `W/"a,b",W/${etag} , "c"`, '*', ' * ']) {
        const again = await get({ ...accepts, 'if-none-match': sent })
        expect([sent, again.status, again.bytes, again.etag]).toEqual([sent, 304, 0, etag])
        expect(again.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': headers['cache-control'] })
      }
      for (const sent of ['"other"', etag.slice(1, -1), `"${etag.slice(1, -1)}-x"`, ''])
        expect([sent, (await get({ ...accepts, 'if-none-match': sent })).status]).toEqual([sent, 200])
    }
    expect(new Set([...tags].map((tag) => tag.split(' ')[1])).size).toBe(tags.size)
  },
)

test('a path that is neither a page nor a file is a 404 of the framework for every client', async () => {
  const missing = [
    '/assets/none-12345678.js',
    '/assets/../package.json',
    '/assets/%2e%2e/manifest.json',
    '/manifest.json',
    '/api/nothing',
    '/health/nothing',
    '/.well-known/nothing',
  ]
  for (const path of missing) {
    const { status, body } = await page(path)
    expect([path, status, body]).toEqual([path, 404, { errors: { detail: 'Not Found' } }])
  }
  expect((await page('/api/auth/login')).status).toBe(405)
})

test('a browser gets the console with status 404 if it has no such page, and the icon at /favicon.ico', async () => {
  const missing = [
    '/no/such/page',
    '/index.html',
    '/docs/nothing',
    '/apps/a/b',
    '/signin',
    '/apps//',
    '/sandbox/points',
    '/apps/$id/x',
  ]
  for (const path of missing) {
    const { status, text, headers } = await page(path)
    expect([path, status, text.includes('<div id="root">')]).toEqual([path, 404, true])
    expect(headers.get('content-security-policy')).toBe(policyWith(nonceOf(headers.get('content-security-policy'))))
  }
  expect((await page('/no/such/page', { accept: 'application/json' })).body).toEqual({
    errors: { detail: 'Not Found' },
  })
  const icon = await page('/favicon.ico')
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
})

test.each(['*/*', 'application/json', 'image/png', ''])(
  'D-164: the pages of the console are HTML for Accept: %s, and unknown paths are not',
  async (accept) => {
    for (const path of ['/', '/register?ref=x', '/directory', '/status', '/apps/some-id', '/admin/users']) {
      const { status, headers } = await page(path, { accept })
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    }
    expect((await page('/no/such/page', { accept })).body).toEqual({ errors: { detail: 'Not Found' } })
  },
)

/** The tags of a page by name, as services that preview links read them. */
async function tagsOf(path: string, headers: Record<string, string> = {}) {
  const { text } = await page(path, { accept: '*/*', ...headers })
  const unescaped = (words = '') => words.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&quot;', '"')
  const tags = text.matchAll(/<meta (?:name|property)="([\w:]+)" content="([^"]*)"/g)
  return {
    title: unescaped(/<title>([^<]*)<\/title>/.exec(text)?.[1]),
    ...Object.fromEntries([...tags].map(([, name, content]) => [name, unescaped(content)])),
  } as Record<string, string>
}

/** Width and height of a PNG. */
const sizeOf = (png: Buffer) => [png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]
const pictureAt = async (address: string) => {
  const reply = await plaza.service.app.fastify.inject(address)
  return [reply.statusCode, reply.headers['content-type'], ...sizeOf(reply.rawPayload)]
}

test('D-164: an invitation unfurls with who invites, the points for both, and a picture; a wrong code with the page', async () => {
  const ann = await someUser(plaza)
  await ann.api.result(updateProfile, { body: { display_name: 'Ann <3 & "co"' } })
  const { referral_code } = (await ann.api.result(me)).user
  const tags = await tagsOf(`/register?ref=${referral_code}`)
  expect(tags).toMatchObject({
    title: 'Ann <3 & "co" invited you to Plaza',
    description: 'Create an account and get 10 points. Your friend gets 25 points.',
    'twitter:card': 'summary_large_image',
    'og:title': tags.title,
    'og:description': tags.description,
    'og:url': expect.stringMatching(new RegExp(`^http://[^/]+/register\\?ref=${referral_code}$`)) as string,
  })
  const picture = new URL(tags['og:image'] ?? '')
  expect(await pictureAt(picture.pathname + picture.search)).toEqual([200, 'image/png', 'PNG', 1200, 630])
  expect((await tagsOf(`/register?ref=${referral_code}`, { 'accept-language': 'de' })).title).toContain('eingeladen')
  // The font lacks these letters.
  await ann.api.result(updateProfile, { body: { display_name: '安' } })
  expect((await tagsOf(`/register?ref=${referral_code}`)).title).toBe(`${ann.username} invited you to Plaza`)
  expect((await tagsOf('/register?ref=unknown')).title).toBe('Create a Plaza account')
})

test('D-164: pages have their own title, description and picture, that of a person names them; robots.txt names the sitemap', async () => {
  const titles = await Promise.all(['/', '/directory', '/status', '/docs', '/account'].map((path) => tagsOf(path)))
  expect(titles.map(({ title }) => title)).toEqual([
    'Plaza: one account and one balance for many apps',
    'Apps on Plaza',
    'Plaza status',
    'Plaza documentation',
    'Your account · Plaza',
  ])
  for (const tags of titles) {
    const { pathname, search } = new URL(tags['og:image'] ?? '')
    expect(await pictureAt(pathname + search)).toEqual([200, 'image/png', 'PNG', 1200, 630])
  }
  const named = ['/u/Ann.A-r_7?amount=20', '/u/Nobody/', '/u/Plaza_Support', `/u/${'a'.repeat(33)}`, '/u/%3Cb%3E']
  const people = await Promise.all(named.map(async (path) => (await tagsOf(path))['og:title']))
  const unnamed = 'Person · Plaza'
  expect(people).toEqual(['Ann.A-r_7 · Plaza', 'Nobody · Plaza', unnamed, unnamed, unnamed])
  for (const name of ['__proto__', 'constructor', 'nowhere'])
    expect(await pictureAt(`/preview.png?path=${name}`)).toEqual([200, 'image/png', 'PNG', 1200, 630])
  expect((await page('/robots.txt', {})).text).toMatch(/^Sitemap: http.+\/sitemap\.xml$/m)
  const { text } = await page('/sitemap.xml', {})
  const listed = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => new URL(address).pathname)
  expect(listed).toContain('/directory')
  for (const path of listed) expect([path, (await page(path)).status]).toEqual([path, 200])
})

test('without a build, the pages say how to make one, and everything else works', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-console-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const settings = {
    apps: { domain: 'apps.test', proxy_endpoint: null },
    is_billing_on: true,
    is_mail_sent: false,
    has_passkeys: false,
    is_sandbox: false,
    do_rewards_wait: true,
    admin_second_factor: 'advised' as const,
  }
  const bare = newFastify()
  const previews = openPreviews({
    public_url: 'https://plaza.test',
    findInvitation: async () => undefined,
    isStaffName: () => false,
  })
  pageRoutes(bare, openPages(previews, settings, folder))
  const reply = await bare.inject({ url: '/', headers: { accept: 'text/html' } })
  expect([reply.statusCode, reply.body]).toEqual([503, 'The console is not built: run `npm run build`.\n'])
  expect((await bare.inject('/early.js')).statusCode).toBe(404)

  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<meta nonce="%NONCE%"><p>%NONCE%</p>%SETTINGS%')
  await writeFile(join(folder, 'assets/a-1.js'), 'a()')
  await writeFile(join(folder, 'pages.json'), '[{"path":"/"},{"path":"/apps/$id"}]')
  const built = newFastify()
  pageRoutes(built, openPages(previews, settings, folder))
  const html = (await built.inject('/')).body
  expect(html).toMatch(/^<meta nonce="([A-Za-z0-9+/=]{24})"><p>\1<\/p>/)
  expect(JSON.parse(html.split('</p>')[1]?.replaceAll('&quot;', '"') ?? '')).toEqual(settings)
  expect((await built.inject('/assets/a-1.js')).body).toBe('a()')
})
