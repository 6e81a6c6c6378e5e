import { expect, test } from 'vitest'
import { expectFits, expectStaticPageAccessible, phone, startConsole } from '../../../web/test/browser.ts'
import { putDeployment, routerPort, startNamedUpstream, switchTo } from '../../test/router.ts'
import { api_and_router } from '../../test/settings.ts'

const { plaza, page: newPage } = await startConsole({ ...api_and_router, ROUTER_HOLD: '0' })

const addressOf = (host: string) => `http://${host}:${routerPort(plaza)}/`

test('the pages of the router are readable in both schemes and on a phone, and request nothing', async () => {
  const page = await newPage()
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  const stopped = await putDeployment(plaza, { desired: 'stopped' })
  const failed = await putDeployment(plaza, { status: 'stopped', failed_generation: 1 })
  for (const [host, heading] of [
    ['nobody.apps.localhost', 'There is no site at this address.'],
    [stopped.host, 'This site is switched off.'],
    [failed.host, 'This site could not be started.'],
  ] as const) {
    await page.goto(addressOf(host))
    expect([await page.title(), await page.getByRole('heading', { level: 1 }).innerText()]).toEqual([heading, heading])
    // The style is applied, so the policy admits its hash.
    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).borderTopWidth)).toBe('1px')
    await expectStaticPageAccessible(page)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(phone)
    await expectFits(page)
  }
  expect(requested).toEqual(['nobody.apps.localhost', stopped.host, failed.host].map(addressOf))
})

test('the page of a starting site becomes the site by itself', async () => {
  const page = await newPage()
  const site = await startNamedUpstream('the site itself')
  const { id, host } = await putDeployment(plaza, { status: 'deploying' })
  await page.goto(addressOf(host))
  await page.getByRole('heading', { name: 'This site is just starting.' }).waitFor()
  await switchTo(plaza, id, 1, site.port)
  await page.getByText('the site itself').waitFor()
})
