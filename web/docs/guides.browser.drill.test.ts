import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { disconnectApp } from '../../contract/oauth.ts'
import { createHold } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { package_version } from '../../server/platform/package.ts'
import { startForwarder } from '../../server/test/forwarder.ts'
import { sampleText } from '../../server/test/samples.ts'
import { pointsOf, someApp, someUser, world } from '../../server/test/world.ts'
import { startConsole, type Page } from '../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole()

/** Browsers ask before a page of the Internet calls a server on the same machine. */
const permissions = ['local-network-access']

/** Shows this page at every address of https://app.test. */
const serveApp = (page: Page, body: string, files: Record<string, string> = {}) =>
  page.route('https://app.test/**', (route) => {
    const file = files[new URL(route.request().url()).pathname]
    return file === undefined
      ? route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>App</title>${body}` })
      : route.fulfill({ contentType: 'text/javascript', body: file })
  })

/** Serves a page at another origin; stops when the test ends. */
async function startApp(body: string) {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(body))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

/** Opens the app's page with a token, and with the permission to call this machine. */
async function openWithToken(page: Page, access_token: string, body: string) {
  await serveApp(page, '')
  await page.goto('https://app.test/')
  await page.evaluate((token) => sessionStorage.setItem('token', token), access_token)
  await page.unroute('https://app.test/**')
  await serveApp(page, body)
  await page.reload()
}

const asModule = (code: string) => `<script type="module">${code}</script>`

test('the page of page-browser signs a person in, and says so when the person refuses', async () => {
  const scopes: Scope[] = ['profile:read', 'points:read']
  const app = await someApp(plaza, { scopes, redirect_uris: ['https://app.test/page'] })
  const user = await someUser(plaza)
  const page = await pageAs(user, { permissions })
  await serveApp(page, sampleText(plaza, 'pkce.md', 'page-browser').replace('YOUR_CLIENT_ID', app.client_id))
  await page.goto('https://app.test/page')
  await page.getByRole('button', { name: 'Sign in with Plaza' }).click()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('Not signed in: access_denied').waitFor()
  await page.getByRole('button', { name: 'Sign in with Plaza' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText(`Signed in: ${user.username}`).waitFor()
  expect(page.url()).toBe('https://app.test/page')
  await page.goto('https://app.test/page?state=another&code=stolen')
  await page.getByText('Not signed in: this answer is not for this page').waitFor()
})

test('oidc-client-ts with the settings of oidc-client-browser signs a person in', async () => {
  const app = await someApp(plaza, { redirect_uris: ['https://app.test/callback'] })
  const user = await someUser(plaza)
  const library = join(
    dirname(createRequire(import.meta.url).resolve('oidc-client-ts')),
    '../browser/oidc-client-ts.min.js',
  )
  const code = sampleText(plaza, 'sign-in.md', 'oidc-client-browser').replace('YOUR_CLIENT_ID', app.client_id)
  const page = await pageAs(user, { permissions })
  const body = `<button id="sign-in">Sign in</button><p id="person"></p><script src="/library.js"></script>${asModule(code)}`
  await serveApp(page, body, { '/library.js': await readFile(library, 'utf8') })
  await page.goto('https://app.test/')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText(`Hello, ${user.username}!`).waitFor()
})

test('a page of another origin spends with spend-browser, shows the balance with balance-browser, reads the version', async () => {
  const { user, tokens } = await world(plaza, { points: 100, scopes: ['points:read', 'points:spend'] })
  const page = await newPage({ permissions })
  const printed: string[] = []
  page.on('console', (message) => printed.push(message.text()))
  const code = [
    ['spending.md', 'spend-browser'],
    ['versions.md', 'version-browser'],
    ['browsers.md', 'balance-browser'],
  ].map(([file = '', id = '']) => asModule(sampleText(plaza, file, id)))
  await openWithToken(page, tokens.access_token, `<p id="balance"></p>${code.join('')}`)
  await expect.poll(() => pointsOf(user)).toBe(70)
  await expect.poll(() => printed).toContain(package_version)
  await page.reload()
  await page.getByText('70 points, 0 held').waitFor()
  expect(printed.filter((line) => line.startsWith('200'))).toHaveLength(2)
  expect(await pointsOf(user)).toBe(70)
})

test('the sample follow-browser shows each event in a browser, and resumes a broken stream', async () => {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes: ['points:read', 'points:spend'] })
  const forwarder = await startForwarder(plaza)
  const page = await newPage({ permissions })
  const printed: string[] = []
  page.on('console', (message) => printed.push(message.text()))
  const code = asModule(sampleText(forwarder, 'events.md', 'follow-browser'))
  // Also on this machine: a broken connection revokes the browser's permission to call this machine.
  const origin = await startApp(`<!doctype html><title>App</title><p id="balance"></p>${code}`)
  await page.addInitScript((token) => sessionStorage.setItem('token', token), tokens.access_token)
  await page.goto(origin)
  await page.getByText('100 points, 0 held').waitFor()
  await tokens.api.result(spendPoints, { body: { amount: 30 } })
  await page.getByText('70 points, 0 held').waitFor()

  forwarder.cut()
  const { hold } = await tokens.api.result(createHold, { body: { amount: 20 } })
  await page.getByText('50 points, 20 held').waitFor()
  await expect.poll(() => printed.filter((line) => line === `hold ${hold.id} open`)).toHaveLength(1)
  expect(forwarder.requests()).toBe(2)

  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  await page.getByText('connection_ended').waitFor()
})
