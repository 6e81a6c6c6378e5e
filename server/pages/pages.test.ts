import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../kit/package.ts'
import { startTestService } from '../test/harness.ts'
import { raw } from '../test/world.ts'

const plaza = await startTestService()
const source = (file: string) => readFileSync(join(package_root, 'web/authorize', file), 'utf8')

const files = [
  ['/oauth/authorize', 'index.html', 'text/html; charset=utf-8'],
  ['/oauth/authorize.css', 'authorize.css', 'text/css; charset=utf-8'],
  ['/oauth/authorize.js', 'authorize.js', 'text/javascript; charset=utf-8'],
] as const

test.each(files)(
  'D-30: %s is served with its type, and nobody may frame it or learn where it was',
  async (path, file, type) => {
    const { status, headers, text } = await raw(plaza, 'GET', path)
    expect([status, text]).toEqual([200, source(file)])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': type,
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src https: data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(headers.has('access-control-allow-origin')).toBe(false)
    expect(headers.has('set-cookie')).toBe(false)
  },
)

test('D-30: the page is the authorization endpoint that the metadata names', async () => {
  const { body } = await raw(plaza, 'GET', '/.well-known/oauth-authorization-server')
  const { authorization_endpoint } = body as { authorization_endpoint: string }
  expect(authorization_endpoint).toBe(`${plaza.url}/oauth/authorize`)
})

test('D-30: a browser that comes to the API’s authorize is sent to the page with its whole query', async () => {
  const query =
    '?client_id=a&state=%26b%3D1&scope=profile%3Aread%20points%3Aread&redirect_uri=https%3A%2F%2Fapp.test%2Fcb'
  const { status, headers } = await raw(plaza, 'GET', `/api/oauth/authorize${query}`, {
    headers: { accept: 'text/html,application/xhtml+xml' },
  })
  expect([status, headers.get('location')]).toEqual([303, `/oauth/authorize${query}`])
  const page = await raw(plaza, 'GET', headers.get('location') ?? '', { headers: { accept: 'text/html' } })
  expect([page.status, page.text]).toEqual([200, source('index.html')])
})

test('D-30: the page holds no inline script, style or handler, and loads only what is served beside it', async () => {
  const html = source('index.html')
  expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+\s*=|javascript:/i)
  const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)]
  expect(scripts.map(([, attributes, content]) => [attributes?.trim(), content])).toEqual([
    ['type="module" src="authorize.js"', ''],
  ])
  const loaded = [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
  expect(loaded).toEqual(['data:,', 'authorize.css', 'authorize.js'])
})

test('D-30: the script puts what comes from outside in as text, and keeps the JWT in this tab only', () => {
  const script = source('authorize.js')
  expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/)
  expect(script).not.toMatch(/localStorage|indexedDB|document\.cookie/)
  expect(source('authorize.css')).not.toMatch(/@import|url\(/)
})

test('D-30: every element that the script looks for is in the page, once', () => {
  const wanted = [...source('authorize.js').matchAll(/(?:element|field|write)\(\s*'([\w-]+)'/g)].map(([, id]) => id)
  const ids = [...source('index.html').matchAll(/\sid="([\w-]+)"/g)].map(([, id]) => id)
  expect(wanted.filter((id) => !ids.includes(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})
