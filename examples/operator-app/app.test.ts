import { afterAll, expect, test } from 'vitest'
import { authorize } from '../../contract/oauth.ts'
import { listMyHolds } from '../../contract/payments.ts'
import { freePort } from '../../server/test/free-port.ts'
import { sharedService } from '../../server/test/harness.ts'
import { givePoints, pointsOf, someApp, someUser } from '../../server/test/world.ts'
import { startOperatorApp } from './app.ts'
import { Browser } from './demo-browser.ts'

const plaza = await sharedService()
const port = await freePort()
const app_url = `http://127.0.0.1:${port}`
const { client_id, client_secret } = await someApp(plaza, {
  scopes: ['profile:read', 'points:read', 'points:spend'],
  redirect_uris: [`${app_url}/callback`],
})
const shop = await startOperatorApp({ plaza_url: plaza.url, client_id, client_secret, port, app_url })
afterAll(() => shop.stop())

async function signedIn() {
  const user = await someUser(plaza)
  await givePoints(plaza, user, 100)
  const browser = new Browser()
  const { url } = await browser.visit(`${app_url}/sign-in`)
  const query = Object.fromEntries(new URL(url).searchParams) as never
  const { code, state = '', iss, redirect_uri } = await user.api.result(authorize, { query })
  await browser.visit(`${redirect_uri}?${new URLSearchParams({ code, state, iss }).toString()}`)
  return { user, browser }
}
const post = (browser: Browser, path: string, reference: string) => browser.visit(app_url + path, { reference })

test('S-1: the shop ships and gives back the orders of the person who is signed in only', async () => {
  const [ada, eve] = [await signedIn(), await signedIn()]
  await post(ada.browser, '/order', 'ada-1')
  const holdOfAda = async () => (await ada.user.api.result(listMyHolds, {})).data[0]
  for (const path of ['/ship', '/give-back'])
    for (const browser of [eve.browser, new Browser()])
      expect(await post(browser, path, 'ada-1')).toMatchObject({ status: 404 })
  expect(await holdOfAda()).toMatchObject({ status: 'open' })

  expect((await post(ada.browser, '/ship', 'ada-1')).status).toBe(200)
  expect(await holdOfAda()).toMatchObject({ status: 'captured', captured_amount: 25 })
  expect((await post(eve.browser, '/give-back', 'ada-1')).status).toBe(404)
  expect(await pointsOf(ada.user)).toBe(75)
  expect((await post(ada.browser, '/give-back', 'ada-1')).status).toBe(200)
  expect([await pointsOf(ada.user), await pointsOf(eve.user)]).toEqual([85, 100])
})

test('S-1: forms that another site sends do nothing, although the browser adds the cookie', async () => {
  const { user, browser } = await signedIn()
  await post(browser, '/order', 'ada-2')
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of foreign)
    for (const path of ['/ship', '/give-back', '/order', '/spend', '/sign-out'])
      expect(await browser.visit(app_url + path, { reference: 'ada-2', amount: '30' }, headers)).toMatchObject({
        status: 403,
      })
  expect((await user.api.result(listMyHolds, {})).data).toMatchObject([{ status: 'open', amount: 40 }])
  expect(await pointsOf(user)).toBe(60)
  expect((await browser.visit(app_url)).text).toContain('60 points')
})
