import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { me, register } from '../../../contract/accounts.ts'
import { awardPoints } from '../../../contract/admin.ts'
import { listConnectedApps } from '../../../contract/oauth.ts'
import { createHold, createRefund } from '../../../contract/payments.ts'
import { myPointsHistory, spendPoints } from '../../../contract/points.ts'
import { insertEvents } from '../../../server/social/events/store.ts'
import { givePoints, someUser, theAdmin, world } from '../../../server/test/world.ts'
import { desktop, expectAccessible, phone, startConsole, type Page } from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { plaza, pageAs } = await startConsole()
const anonymous = new PlazaClient(plaza.url)

test('the overview lists next steps, sends a new code and copies the referral link', async () => {
  const user = await someUser(plaza, { verified: false })
  const page = await pageAs(user, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/account')
  await page.getByRole('heading', { name: 'What to do next' }).waitFor()
  for (const name of ['Enter the code', 'Set it up']) await page.getByRole('link', { name }).first().waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)

  await page.getByRole('button', { name: 'Copy your referral link' }).click()
  await page.getByRole('button', { name: 'Copied your referral link' }).waitFor()
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()))
  const { user: profile } = await user.api.result(me)
  expect([link.origin, link.pathname, link.searchParams.get('ref')]).toEqual([
    plaza.url,
    '/register',
    profile.referral_code,
  ])
  await anonymous.result(register, {
    body: {
      email: 'friend@people.test',
      username: 'friend',
      password: 'password of friend',
      referral_code: profile.referral_code,
    },
  })
  await page.reload()
  await page.getByText('One person has used it.').waitFor()

  await page.getByRole('button', { name: 'Mail me a new code' }).click()
  await page.waitForURL('**/verify-email?sent=yes')
  expect(await plaza.mailTo(user.email)).toMatch(/\d{6}/)
})

test('the history is read page by page, going back refetches the first pages; it is filtered and exported', async () => {
  const { user, tokens } = await world(plaza, { scopes: ['points:read', 'points:spend'] })
  const admin = await theAdmin(plaza)
  for (let at = 1; at <= 210; at++)
    await admin.api.result(awardPoints, {
      body: { user_id: user.id, amount: at, description: at === 210 ? '=SUM(A1:A9), "quoted"' : `Award ${at}` },
    })
  await tokens.api.result(spendPoints, { body: { amount: 15, description: 'A sticker' } })
  const page = await pageAs(user)
  await page.goto('/points')
  await page.getByRole('figure', { name: /22,140 now/ }).waitFor()
  const rows = page.getByRole('table', { name: 'Movements of your points' }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(50)
  // If the next page fails, the rows already shown stay.
  await page.route('**/api/**cursor=*', (route) => route.fulfill({ status: 429, headers: { 'retry-after': '0' } }))
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('Too many attempts').waitFor()
  expect(await rows.count()).toBe(50)
  await page.unroute('**/api/**cursor=*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => rows.count()).toBe(100)
  for (const shown of [150, 200]) {
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText(`The newest ${shown} are shown.`).waitFor()
  }
  await page.getByRole('link', { name: 'Account' }).first().click()
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  await page.goBack()
  await page.getByText('The newest 150 are shown.').waitFor()

  await page.getByText('Out', { exact: true }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect(await rows.first().textContent()).toContain('A sticker')
  expect(new URL(page.url()).search).toBe('?direction=out')
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('Award')
  await page.getByText('Nothing matches the filter').waitFor()
  await page.getByText('In', { exact: true }).click()
  await expect.poll(() => rows.count()).toBe(50)
  expect(new URL(page.url()).search).toBe('?kind=award&direction=in')

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^points-award-in-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n')
  const { data } = await user.api.result(myPointsHistory, { query: { kind: 'award', limit: 1 } })
  expect(lines).toHaveLength(212)
  expect(lines[0]).toBe(
    'id,inserted_at,kind,direction,amount,points_after,description,app_id,app_name,reference,refunded_transfer_id,other_user_id,other_username',
  )
  const [newest] = data
  const cell = `"'=SUM(A1:A9), ""quoted"""`
  expect(lines[1]).toBe(`${newest?.id},${newest?.inserted_at},award,in,210,22155,${cell},,,,,,`)
  expect(lines[210]).toMatch(/^[^,]+,[^,]+,award,in,1,1,Award 1,,,/)
  await page.getByText('The movements are saved').waitFor()

  await rows.first().click()
  const drawer = page.getByRole('dialog', { name: 'Movement' })
  await drawer.getByRole('heading', { name: 'Something wrong?' }).waitFor()
  await drawer.getByText(`=SUM(A1:A9), "quoted"`).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await page.goto('/points/statement?from=2026-11-30&to=2026-11-01')
  await page.getByText('The last day is before the first one.').waitFor()
  expect(await page.getByText('Opening balance').count()).toBe(0)
  await page.goto('/points/statement?from=2020-01-01')
  await expect.poll(() => page.getByRole('main').locator('tbody tr').count()).toBe(211)
  const figures = page.getByText('Opening balance').locator('xpath=ancestor::dl')
  expect(await figures.innerText()).toMatch(/Opening balance\s+0\s+Closing balance\s+22,140/i)
  await page.getByText(user.email).first().waitFor()
  await expectAccessible(page)
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
})

test('a statement is printed without navigation and in light colours, in every language; other words than days are no limit', async () => {
  const page = await pageAs(await someUser(plaza), { locale: 'de', colorScheme: 'dark' })
  await page.goto('/points/statement?from=garbage&to=2026-11-30')
  await page.getByText('… – 30. November 2026').waitFor()
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  expect(await page.getByRole('navigation').count()).toBe(0)
  const scheme = () => page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme'))
  expect(await scheme()).toBe('light')
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  expect(await scheme()).toBe('dark')
})

test('D-97, D-99, D-100: holds and movements of an app are shown; it is limited, and disconnected', async () => {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes: ['points:spend'] })
  await tokens.api.result(createHold, { body: { amount: 30, reference: 'order 1' } })
  await tokens.api.result(spendPoints, { body: { amount: 5, reference: 'order 2' } })
  const page = await pageAs(user)
  await page.goto('/')
  await page.getByText('30 held by apps').waitFor()
  await page.goto('/points/statement')
  const figures = page.getByText('Closing balance').locator('xpath=ancestor::dl')
  await expect.poll(() => figures.innerText()).toMatch(/Closing balance\s+95\s+Of these held by apps\s+30/i)
  await page.getByRole('cell', { name: '−5', exact: true }).waitFor()
  await page.goto('/points')
  await page.getByRole('table', { name: 'Held by apps' }).getByText('order 1').waitFor()
  expect(await page.getByRole('main').getByText('65', { exact: true }).count()).toBeGreaterThan(0)
  await page.getByLabel('Held until').fill('2000-01-02')
  await page.getByText('None was made on these days.').waitFor()
  expect(new URL(page.url()).search).toBe('?held_to=2000-01-02')
  await page.reload()
  await page.getByText('None was made on these days.').waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
  const rows = page.getByRole('table', { name: 'Movements of your points' }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByLabel('Reference').fill('order 2')
  await expect.poll(() => new URL(page.url()).search).toBe('?reference=order+2&held_to=2000-01-02')
  await page.getByRole('link', { name: 'Show all open holds' }).click()
  await page.getByRole('table', { name: 'Held by apps' }).getByText('order 1').waitFor()
  expect(new URL(page.url()).search).toBe('?reference=order+2')
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByLabel('From', { exact: true }).fill('2000-01-01')
  await page.getByLabel('Until', { exact: true }).fill('2000-01-02')
  await page.getByText('Nothing matches the filter').waitFor()
  await expectFitsPhone(page)
  await page.setViewportSize(phone)
  await page.getByRole('button', { name: 'Filter (3)' }).click()
  const sheet = page.getByRole('dialog', { name: 'Filter' })
  await sheet.getByLabel('Reference').fill('')
  await expectAccessible(page)
  await sheet.getByRole('button', { name: 'Show the list' }).click()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  await page.setViewportSize(desktop)

  await page.goto('/connected-apps')
  await page.getByText('No daily limit').waitFor()
  await page.getByRole('button', { name: /Daily limit/ }).click()
  const dialog = page.getByRole('dialog', { name: /Daily limit/ })
  await dialog.getByLabel('Points in 24 hours').fill('0')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('At most 0 points in 24 hours', { exact: true }).waitFor()
  await page.getByText('Used in the last 24 hours: 35 points', { exact: true }).waitFor()
  expect((await tokens.api.call(spendPoints, { body: { amount: 1 } })).status).toBe(409)
  await page.getByRole('link', { name: 'Its movements' }).click()
  await page.getByRole('button', { name: /^App: / }).waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).searchParams.get('app')).toBe(app.id)

  await page.goBack()
  const { connected_apps } = await user.api.result(listConnectedApps)
  const name = connected_apps[0]?.app_name ?? ''
  const question = page.getByRole('dialog', { name: `Disconnect ${name}?` })
  await page.getByRole('button', { name: `Disconnect ${name}` }).click()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect((await user.api.result(listConnectedApps)).connected_apps).toHaveLength(1)
  await page.getByRole('button', { name: `Disconnect ${name}` }).click()
  await question.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('No connected apps').waitFor()
  expect((await tokens.api.call(spendPoints, { body: { amount: 1 } })).status).toBe(401)
})

test('a refund moves balance, chart and first row of two tabs, through one connection; times go on', async () => {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes: ['points:spend'] })
  const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 30 } })
  const page = await pageAs(user)
  const connected: Page[] = []
  page.context().on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/events') connected.push(request.frame().page())
  })
  const other = await page.context().newPage()
  for (const tab of [page, other]) await tab.goto('/points')
  const expectShown = async (tab: Page, balance: string, first: string) => {
    await tab.getByText(balance, { exact: true }).first().waitFor()
    await tab.getByRole('table').getByRole('row').nth(1).getByText(first).first().waitFor()
    await tab.getByRole('figure', { name: `${balance} now` }).waitFor()
  }
  for (const tab of [page, other]) await expectShown(tab, '70', '−30')
  await expect.poll(() => connected.length).toBe(1)
  const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret: app.client_secret })
  await client.result(createRefund, { body: { transfer_id, amount: 13 } })
  for (const tab of [page, other]) await expectShown(tab, '83', '+13')
  const time = page.getByRole('table').getByRole('row').nth(1).locator('time').first()
  const before = await time.textContent()
  await expect.poll(() => time.textContent()).not.toBe(before)
  // The tab with the connection is closed; the other one opens it.
  await connected[0]!.close()
  await expect.poll(() => connected.length).toBe(2)
  await givePoints(plaza, user, 7)
  await expectShown(connected[1]!, '90', '+7')
  expect(connected).toHaveLength(2)
})

test('1,000 events within seconds are gathered: a list is read once a second at most', async () => {
  const { user, tokens } = await world(plaza, { points: 1_000, scopes: ['points:spend'] })
  const page = await pageAs(user)
  await page.goto('/points')
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await page.waitForRequest('**/api/events?*')
  const reads = new Map<string, number>()
  page.on('request', (sent) => {
    const { pathname } = new URL(sent.url())
    reads.set(pathname, (reads.get(pathname) ?? 0) + 1)
  })
  const notice = { kind: 'notice', user_id: user.id, actor_id: user.id, payload: {} } as const
  const started = performance.now()
  for (let round = 0; round < 60; round++) {
    await plaza.db.transaction((tx) => insertEvents(tx, Array(17).fill(notice), plaza.clock.now()))
    await tokens.api.result(spendPoints, { body: { amount: 1 } })
    await new Promise((next) => setTimeout(next, 100))
  }
  await page.getByText('940', { exact: true }).first().waitFor()
  // The first time immediately, then once a second.
  const seconds = (performance.now() - started) / 1_000
  expect(Math.max(0, ...reads.values())).toBeLessThan(seconds + 3)
})

test('the home shows figures that lead to their pages, the next step, the balance and the last movements, live', async () => {
  const { user } = await world(plaza, { points: 100 })
  const page = await pageAs(user)
  await page.goto('/')
  const tile = (name: RegExp) => page.getByRole('link', { name })
  await tile(/^Points 100 /).waitFor()
  for (const name of [/^Friends online 0$/, /^Unread messages 0$/]) await tile(name).waitFor()
  await page.getByText(/^\d of 5 steps done$/).waitFor()
  await page.getByRole('figure', { name: '100 now' }).waitFor()
  await givePoints(plaza, user, 11)
  await tile(/^Points 111 /).waitFor()
  await page.getByRole('table').getByRole('row').nth(1).getByText('+11').first().waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
  await tile(/^Points 111 /).click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
})
