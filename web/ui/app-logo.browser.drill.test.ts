import sharp from 'sharp'
import { expect, test } from 'vitest'
import { approveApp } from '../../contract/admin-apps.ts'
import { updateMyApp } from '../../contract/oauth-apps.ts'
import { sample_images, startImageHost } from '../../server/test/image-host.ts'
import { authorizationQuery, pkce, someApp, someTokens, someUser, theAdmin } from '../../server/test/world.ts'
import { firstAdmin } from '../../server/test/harness.ts'
import { expectAccessible, expectFits, phone, startConsole, type Page } from '../test/browser.ts'

const { plaza, pageAs } = await startConsole({ LOGO_ADDRESSES: 'any' })
const host = await startImageHost()
host.handlers.set('/logo.svg', (_request, response) => response.end(sample_images['image/svg+xml']))
host.handlers.set('/no-logo.txt', (_request, response) => response.end('no picture'))

async function appWithLogo(app_name: string, path: string) {
  const app = await someApp(plaza)
  const body = { app_name, logo_url: host.url + path }
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body })
  return app
}

/** Collects the requests to other origins. */
function collectForeignRequests(page: Page) {
  const foreign: string[] = []
  page.on('request', (sent) => {
    if (!sent.url().startsWith(plaza.url) && !sent.url().startsWith('data:')) foreign.push(sent.url())
  })
  return foreign
}

const consentAddress = (app: Parameters<typeof authorizationQuery>[0]) =>
  `/oauth/authorize?${new URLSearchParams(authorizationQuery(app, pkce().code_challenge)).toString()}`

test('D-30: the consent page shows the logo, which only our server fetches from the app’s host', async () => {
  const app = await appWithLogo('Red Square', '/logo.svg')
  const page = await pageAs(await someUser(plaza), { viewport: phone })
  const foreign = collectForeignRequests(page)
  await page.goto(consentAddress(app))
  await page.getByRole('heading', { name: 'Red Square wants access to your account' }).waitFor()
  const picture = page.locator(`img[src^="/logos/${app.client_id}?"]`)
  await expect.poll(() => picture.evaluate((img) => getComputedStyle(img).opacity)).toBe('1')
  expect(await picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  await expectAccessible(page)
  await expectFits(page)
  expect(foreign).toEqual([])
  const seen = host.requests.filter(({ url }) => url === '/logo.svg')
  expect(seen.map(({ headers }) => headers['user-agent'])).toEqual(['Plaza'])
})

test('a logo that fails to load leaves the initials, at the same size', async () => {
  const [good, bad] = [await appWithLogo('Good Logo', '/logo.svg'), await appWithLogo('Bad Logo', '/no-logo.txt')]
  const page = await pageAs(await someUser(plaza))
  const boxOf = async (app: Parameters<typeof authorizationQuery>[0]) => {
    const answered = page.waitForResponse((response) => response.url().includes(`/logos/${app.client_id}`))
    await page.goto(consentAddress(app))
    const status = (await answered).status()
    const picture = page.locator(`img[src^="/logos/${app.client_id}?"]`)
    const opacity = status === 200 ? '1' : '0'
    await expect.poll(() => picture.evaluate((img) => getComputedStyle(img).opacity)).toBe(opacity)
    return { status, box: await picture.locator('..').boundingBox() }
  }
  const [with_logo, without] = [await boxOf(good), await boxOf(bad)]
  expect([with_logo.status, without.status]).toEqual([200, 404])
  await page.getByText('BL', { exact: true }).waitFor()
  expect(without.box).toEqual(with_logo.box)
})

test('S-8: the logo of an app that waits is shown to its owner and to admins, and to nobody else', async () => {
  const app = await someApp(plaza, { approved: false })
  const body = { logo_url: `${host.url}/logo.svg` }
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body })
  for (const [user, path] of [
    [app.owner, '/apps'],
    [firstAdmin, '/admin/review?status=pending'],
  ] as const) {
    const page = await pageAs(user)
    await page.goto(path)
    const picture = page.locator('img[src^="data:image/svg+xml"]').first()
    await expect.poll(() => picture.evaluate((img) => getComputedStyle(img).opacity)).toBe('1')
  }
  const stranger = await pageAs(await someUser(plaza))
  expect((await stranger.goto(`/logos/${app.id}`))?.status()).toBe(404)
})

test('the directory, connected apps, own apps and the admin queue show the logo', async () => {
  const app = await appWithLogo('Blue Circle', '/logo.svg')
  await (await theAdmin(plaza)).api.result(approveApp, { params: { id: app.id }, body: { listed: true } })
  const user = await someUser(plaza)
  await someTokens(plaza, app, user)
  const expectLogoOn = async (page: Page, path: string) => {
    await page.goto(path)
    const picture = page.locator(`img[src^="/logos/${app.id}?"]`).first()
    await expect.poll(() => picture.evaluate((img) => getComputedStyle(img).opacity)).toBe('1')
  }
  const page = await pageAs(user)
  for (const path of ['/directory', '/connected-apps']) await expectLogoOn(page, path)
  await expectLogoOn(await pageAs(app.owner), '/apps')
  await expectLogoOn(await pageAs(firstAdmin), '/admin/review?status=approved')
})

test('D-165: an owner uploads a logo, which others see at consent, and removes it', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=settings`)
  const file = {
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: await sharp(sample_images['image/svg+xml']).png().toBuffer(),
  }
  await page.locator('input[type=file]').setInputFiles(file)
  plaza.clock.advance(1)
  await page.getByRole('button', { name: 'Save the picture' }).click()
  await page.getByText('The picture is saved.').waitFor()
  const address = page.getByRole('textbox', { name: 'Address of the logo, if it is elsewhere' })
  await expect.poll(() => address.inputValue()).toContain(`/logos/${app.id}?`)
  const shown = page.locator(`img[src^="/logos/${app.id}?"]`).last()
  await expect.poll(() => shown.evaluate((img) => getComputedStyle(img).opacity)).toBe('1')
  await expectAccessible(page)
  const consent = await pageAs(await someUser(plaza), { viewport: phone })
  await consent.goto(consentAddress(app))
  const picture = consent.locator(`img[src^="/logos/${app.client_id}?"]`)
  await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(256)
  plaza.clock.advance(1)
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await page.getByText('The picture is removed.').waitFor()
  await expect.poll(() => address.inputValue()).toBe('')
})
