import { expect, test } from 'vitest'
import { failures } from '../../contract/errors.ts'
import { approveApp, rejectApp } from '../../contract/admin-apps.ts'
import { updateMyApp } from '../../contract/oauth-apps.ts'
import { startTestDns } from '../test/dns-server.ts'
import { race, startTestService, type TestService } from '../test/harness.ts'
import { sample_images, startImageHost } from '../test/image-host.ts'
import { processorSecondsOf } from '../test/processor-time.ts'
import { raw, someApp, someUser, theAdmin } from '../test/world.ts'
import { pictureType } from './logos.rules.ts'

// The apps' host is on loopback; a second service has the default setting, which forbids that.
const [host, dns] = [await startImageHost(), await startTestDns()]
const plaza = await startTestService({ LOGO_ADDRESSES: 'any', DNS_SERVERS: dns.address })
const careful = await plaza.startAnother({ LOGO_ADDRESSES: 'public', DNS_SERVERS: dns.address })
const png = sample_images['image/png']
const none = { error: 'not_found', message: failures.not_found.message }

/** An app with its logo at this path of the host, or at this URL. */
async function appWithLogo(logo_url: string, options: Parameters<typeof someApp>[1] = {}) {
  const app = await someApp(plaza, options)
  const setLogo = (at: string) =>
    app.owner.api.result(updateMyApp, {
      params: { id: app.id },
      body: { logo_url: at.startsWith('/') ? host.url + at : at },
    })
  await setLogo(logo_url)
  return { ...app, setLogo }
}

async function logo(app: string, headers: Record<string, string> = {}, at: TestService = plaza) {
  const answer = await at.service.app.fastify.inject({ url: `/logos/${app}`, headers })
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload }
}
const asked = (path: string) => host.requests.filter(({ url }) => url === path).length

test('D-30: with LOGO_ADDRESSES=any, a name that only DNS_SERVERS know is found', async () => {
  dns.addresses.set('pictures.test', [['127.0.0.1']])
  const app = await appWithLogo(`http://pictures.test:${host.port}/inside.png`)
  expect((await logo(app.id)).status).toBe(200)
})

test('D-30: the logo is fetched by the server: the app’s host sees no user', async () => {
  const app = await appWithLogo('/visited.png')
  const visitor = { cookie: 'a=b', referer: 'https://x.test/', 'user-agent': 'Visitor', 'x-forwarded-for': '1.2.3.4' }
  const { status, headers, bytes } = await logo(app.id, visitor)
  expect([status, bytes]).toEqual([200, png])
  expect(headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'private, max-age=3600',
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  })
  expect(headers).not.toHaveProperty('set-cookie')
  expect(headers).not.toHaveProperty('access-control-allow-origin')
  expect(host.requests.at(-1)?.headers).toEqual({
    host: `127.0.0.1:${host.port}`,
    connection: 'close',
    accept: 'image/*',
    'accept-encoding': 'identity',
    'user-agent': 'Plaza',
  })
})

test('D-30: the consent page gets the same logo by client_id, without a second fetch', async () => {
  const app = await appWithLogo('/same.png')
  expect((await logo(app.client_id)).bytes).toEqual(png)
  expect((await logo(app.id)).bytes).toEqual(png)
  expect(asked('/same.png')).toBe(1)
})

test('the media type of an image is determined by its bytes, not its Content-Type', async () => {
  for (const [type, content] of Object.entries(sample_images)) {
    const path = `/kind-${type}`
    host.handlers.set(path, (_request, response) => response.setHeader('content-type', 'text/html').end(content))
    const { status, headers, bytes } = await logo((await appWithLogo(path)).id)
    expect([status, headers['content-type'], bytes]).toEqual([200, type, content])
  }
})

test('anything that is not an image is 404, whatever its Content-Type', async () => {
  const lies: Record<string, string | Buffer> = {
    html: '<!DOCTYPE html><svg></svg>',
    script: 'alert(1)',
    empty: '',
    pdf: '%PDF-1.7',
    mp4: Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1'),
    entities: '<!DOCTYPE svg [<!ENTITY a "aaaaaaaa">]><svg>&a;</svg>',
    svg_in_text: 'see <svg></svg>',
    wave: Buffer.from('RIFF\0\0\0\0WAVE'),
  }
  for (const [name, content] of Object.entries(lies)) {
    host.handlers.set(`/${name}`, (_request, response) => response.setHeader('content-type', 'image/png').end(content))
    const { status, headers, bytes } = await logo((await appWithLogo(`/${name}`)).id)
    expect([name, status, JSON.parse(bytes.toString())]).toEqual([name, 404, none])
    expect(headers['cache-control']).toBe('no-store')
  }
})

test('the detection of SVG is fast for any input', async () => {
  const twisted = [
    '<!---->'.repeat(1_000),
    '<!--'.repeat(1_000),
    '<?xml'.repeat(1_000),
    ' '.repeat(5_000),
    '<!DOCTYPE svg '.repeat(500),
  ]
  const detectAll = async () => twisted.map((text) => pictureType(Buffer.from(text)))
  expect(await detectAll()).toEqual(twisted.map(() => undefined))
  expect(await processorSecondsOf(detectAll)).toBeLessThan(0.5)
})

test('no logo, no app, an invalid id, too large, unreachable: 404', async () => {
  const bare = await someApp(plaza)
  host.handlers.set('/large.png', (_request, response) => response.end(Buffer.concat([png, Buffer.alloc(512 * 1024)])))
  host.handlers.set('/gone.png', (_request, response) => response.writeHead(410).end())
  const [large, gone] = [await appWithLogo('/large.png'), await appWithLogo('/gone.png')]
  const unknown = ['018f4d9e-0000-7000-8000-000000000000', 'f'.repeat(32), 'x', '%00', '..%2f', 'a'.repeat(400)]
  for (const app of [bare.id, bare.client_id, large.id, gone.id, ...unknown]) {
    const { status, body } = await raw(plaza, 'GET', `/logos/${app}`, { headers: { accept: 'text/html,image/*' } })
    expect([app, status, body]).toEqual([app, 404, none])
  }
  const full = await appWithLogo('/full.png')
  host.handlers.set('/full.png', (_request, response) =>
    response.end(Buffer.concat([png, Buffer.alloc(512 * 1024 - png.length)])),
  )
  expect((await logo(full.id)).bytes).toHaveLength(512 * 1024)
})

test('S-8: the logo of an app without approval is for its owner and admins only', async () => {
  const app = await appWithLogo('/pending.png', { approved: false })
  const as = (token: string) => logo(app.id, { authorization: `Bearer ${token}` })
  const admin = await theAdmin(plaza)
  for (const status of ['pending', 'rejected']) {
    if (status === 'rejected') await admin.api.result(rejectApp, { params: { id: app.id }, body: {} })
    for (const one of [app.id, app.client_id]) {
      const hidden = await logo(one)
      expect([hidden.status, JSON.parse(hidden.bytes.toString())]).toEqual([404, none])
    }
    expect((await as((await someUser(plaza)).token)).status).toBe(404)
    expect((await as('nonsense')).status).toBe(401)
    for (const { token } of [app.owner, admin]) expect((await as(token)).bytes).toEqual(png)
  }
  await admin.api.result(approveApp, { params: { id: app.id }, body: {} })
  expect((await logo(app.id)).bytes).toEqual(png)
})

test('S-8: a logo is a download unless a page shows it as an image, and an SVG of it runs nothing', async () => {
  host.handlers.set('/page.svg', (_request, response) => response.end(sample_images['image/svg+xml']))
  const app = await appWithLogo('/page.svg')
  for (const [dest, disposition] of [
    ['image', undefined],
    ['document', 'attachment'],
    ['iframe', 'attachment'],
    ['embed', 'attachment'],
    ['empty', 'attachment'],
    [undefined, 'attachment'],
  ] as const) {
    const { status, headers } = await logo(app.id, dest === undefined ? {} : { 'sec-fetch-dest': dest })
    expect([dest, status, headers['content-disposition']]).toEqual([dest, 200, disposition])
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none';/)
    // A browser must not open a cached image as a page.
    expect(headers.vary).toContain('sec-fetch-dest')
  }
})

test('by default internal addresses are not fetched, neither by IP nor by hostname', async () => {
  dns.addresses.set('inside.test', [['127.0.0.1']])
  dns.addresses.set('half.test', [['93.184.215.14', '10.0.0.7']])
  const before = host.requests.length
  const ports = `:${host.port}/secret.png`
  for (const at of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    'inside.test',
    'half.test',
  ]) {
    const app = await appWithLogo(`http://${at}${ports}`)
    expect([at, (await logo(app.id, {}, careful)).status]).toEqual([at, 404])
  }
  expect(host.requests.length).toBe(before)
  expect(careful.logged()).toContain('an address of the name is not allowed')
  expect(careful.logged()).not.toContain('secret.png')
})

test('one fetch serves all requests for an hour, also concurrent ones', async () => {
  let finish = () => {}
  host.handlers.set('/busy.png', (_request, response) => {
    finish = () => response.end(png)
  })
  const app = await appWithLogo('/busy.png')
  const many = race(plaza, 20, () => raw(plaza, 'GET', `/logos/${app.id}`))
  await expect.poll(() => asked('/busy.png')).toBe(1)
  finish()
  expect((await many).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  plaza.clock.advance(3_599)
  expect((await logo(app.id)).status).toBe(200)
  expect(asked('/busy.png')).toBe(1)
  plaza.clock.advance(2)
  host.handlers.delete('/busy.png')
  expect((await logo(app.id)).status).toBe(200)
  expect(asked('/busy.png')).toBe(2)
})

test('a failure is cached for five minutes', async () => {
  host.handlers.set('/later.png', (_request, response) => response.writeHead(503).end())
  const app = await appWithLogo('/later.png')
  expect((await logo(app.id)).status).toBe(404)
  host.handlers.delete('/later.png')
  plaza.clock.advance(299)
  expect((await logo(app.id)).status).toBe(404)
  expect(asked('/later.png')).toBe(1)
  plaza.clock.advance(2)
  expect((await logo(app.id)).status).toBe(200)
})

test('a changed or removed logo_url takes effect immediately', async () => {
  host.handlers.set('/new.gif', (_request, response) => response.end(sample_images['image/gif']))
  const app = await appWithLogo('/old.png')
  expect((await logo(app.id)).headers['content-type']).toBe('image/png')
  await app.setLogo('/new.gif')
  expect((await logo(app.id)).headers['content-type']).toBe('image/gif')
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { logo_url: '' } })
  expect((await logo(app.id)).status).toBe(404)
})

test('a matching If-None-Match is 304', async () => {
  const app = await appWithLogo('/known.png')
  const first = await logo(app.id)
  const again = await logo(app.id, { 'if-none-match': String(first.headers.etag) })
  expect([again.status, again.bytes.length]).toEqual([304, 0])
  expect((await logo(app.id, { 'if-none-match': '"other"' })).status).toBe(200)
})

test('fetches from hosts that do not respond are limited in number and to five seconds', async () => {
  const silent = await Promise.all(
    Array.from({ length: 32 }, async (_, at) => {
      host.handlers.set(`/silent-${at}.png`, () => {})
      return appWithLogo(`/silent-${at}.png`)
    }),
  )
  const late = await appWithLogo('/late.png')
  const waiting = silent.map(({ id }) => logo(id))
  await expect.poll(() => host.requests.filter(({ url }) => url?.startsWith('/silent-')).length).toBe(32)
  expect((await logo(late.id)).status).toBe(404)
  expect(asked('/late.png')).toBe(0)
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(silent.map(() => 404))
  // A refusal because of the limit is not cached.
  expect((await logo(late.id)).status).toBe(200)
})

test('S-9: changes of a logo cause few fetches of the apps of one person, and of one host', async () => {
  plaza.clock.advance(601)
  const owner = await someUser(plaza)
  const apps = [await appWithLogo('/s9?0', { owner }), await appWithLogo('/s9?1', { owner })]
  const before = host.requests.length
  for (let change = 0; change < 40; change++) {
    const app = apps[change % 2]
    await app?.setLogo(`/s9?change=${change}`)
    await logo(app?.id ?? '')
  }
  expect(host.requests.length - before).toBe(30)
  plaza.clock.advance(601)
  expect((await logo(apps[1]?.id ?? '')).status).toBe(200)

  // Many people, and a host that redirects to another.
  host.handlers.set('/on', (_request, response) => response.writeHead(302, { location: '/target.png' }).end())
  plaza.clock.advance(601)
  const start = host.requests.length
  const many = await Promise.all(Array.from({ length: 12 }, () => appWithLogo('/on')))
  for (const { id } of many)
    for (let change = 0; change < 28; change++) {
      await plaza.db.sql`update oauth_apps set logo_url = ${`${host.url}/on?${id}${change}`} where id = ${id}`
      await logo(id)
    }
  expect(host.requests.length - start).toBe(300)
})
