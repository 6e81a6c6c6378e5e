import { expect, test } from 'vitest'
import { approveApp } from '../../../contract/admin-apps.ts'
import { decisions } from '../../../contract/decisions.ts'
import { listNotices, listNoticeSettings } from '../../../contract/notices.ts'
import { createApp } from '../../../contract/oauth-apps.ts'
import { openChannel, requestFriend, sendMessage } from '../../../contract/social.ts'
import { givePoints, someUser, theAdmin, type SomeUser } from '../../../server/test/world.ts'
import { expectAccessible, expectFits, phone, startConsole, waitForHeading, type Page } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole({})

const gather = (source: 'points' | 'social' | 'admin') => {
  // A message in an open conversation is read before it becomes a notice.
  if (source === 'social') plaza.clock.advance(decisions.notices.reading_seconds)
  return plaza.service.app.jobs.find(({ name }) => name === `${source}.gather_notices`)!.run({}, 'test')
}
const ask = ({ api }: SomeUser, { id }: SomeUser) => api.result(requestFriend, { body: { friend_id: id } })
const bell = (page: Page, name: string) => page.getByRole('banner').getByRole('link', { name, exact: true })
const rows = (page: Page) => page.getByRole('list', { name: 'Notices' }).getByRole('listitem')

test('the bell counts live on every page; a notice opens its page and is read', async () => {
  const [ada, bob, carl] = [await someUser(plaza), await someUser(plaza), await someUser(plaza)]
  const page = await pageAs(ada)
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await page.goto('/learning')
  await bell(page, 'Inbox').waitFor()
  await expect.poll(() => requests.filter((path) => path === '/api/events').length).toBe(1)
  await ask(bob, ada)
  await bell(page, 'Inbox, 1 unread notice').waitFor()
  await expect.poll(() => page.title()).toBe('(1) Learning · Plaza')
  await ask(carl, ada)
  await bell(page, 'Inbox, 2 unread notices').click()
  await waitForHeading(page, 'Inbox')
  await expect.poll(() => page.title()).toBe('(2) Inbox · Plaza')
  await expect.poll(() => rows(page).count()).toBe(2)
  // It arrives while the list is shown.
  for (const amount of [30, 12]) await givePoints(plaza, ada, amount)
  await gather('points')
  await rows(page).filter({ hasText: '42 points were awarded to you' }).waitFor()
  await page.getByRole('link', { name: `${bob.username} asks to be your friend` }).click()
  await waitForHeading(page, 'Friends')
  await bell(page, 'Inbox, 2 unread notices').waitFor()
  // The friends page already has the stream open; no second one is opened.
  await bell(page, 'Inbox, 2 unread notices').click()
  const mark = page.getByRole('button', { name: `Mark as read: ${carl.username} asks to be your friend` })
  const desktop = page.viewportSize()!
  await page.setViewportSize(phone)
  expect((await mark.boundingBox())?.x, 'beside the notice').toBeGreaterThan(phone.width / 2)
  await page.setViewportSize(desktop)
  await mark.click()
  await bell(page, 'Inbox, 1 unread notice').waitFor()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await bell(page, 'Inbox').waitFor()
  await expect.poll(() => page.title()).toBe('Inbox · Plaza')
  expect((await ada.api.result(listNotices, { query: { unread: true } })).data).toEqual([])
  await page.getByLabel('About', { exact: true }).selectOption('Points')
  await expect.poll(() => rows(page).count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?kind=points')
})

test('an empty inbox describes its notices; one that cannot be read shows the error; both fit a phone', async () => {
  const ada = await someUser(plaza)
  const page = await pageAs(ada, { viewport: phone })
  await page.goto('/inbox')
  await page.getByText('Nothing here').waitFor()
  await expectFits(page)
  await page.route('**/api/notices?*', (route) => route.fulfill({ status: 500, json: { errors: { detail: 'x' } } }))
  await page.route('**/api/notices', (route) => route.fulfill({ status: 500, json: { errors: { detail: 'x' } } }))
  await page.getByLabel('About', { exact: true }).selectOption('Friends')
  await page.getByRole('alert').first().waitFor()
  await page.unroute('**/api/notices?*')
  await page.unroute('**/api/notices')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Nothing here').waitFor()
  const { app } = await ada.api.result(createApp, {
    body: { app_name: 'A lantern with a long name', redirect_uris: ['https://app.test/cb'] },
  })
  await (await theAdmin(plaza)).api.result(approveApp, { params: { id: app.id }, body: {} })
  await page.getByLabel('About', { exact: true }).selectOption('Everything')
  await rows(page).first().waitFor()
  await expectFits(page)
  await page.keyboard.press('Tab')
  await page.getByRole('link', { name: 'A lantern with a long name is approved' }).focus()
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'A lantern with a long name')
})

test('offline, the inbox keeps its notices and reports it; a notice that cannot be marked is marked later', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  await ask(bob, ada)
  const page = await pageAs(ada)
  await page.goto('/inbox')
  const row = rows(page).filter({ hasText: `${bob.username} asks to be your friend` })
  await row.waitFor()
  await bell(page, 'Inbox, 1 unread notice').waitFor()
  await page.context().setOffline(true)
  const banner = page.getByText('You are offline.', { exact: false })
  await banner.waitFor()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByRole('main').getByRole('alert').waitFor()
  await row.waitFor()
  expect(await banner.isVisible()).toBe(true)
  // This changes the emulation, which also ends the offline mode.
  await expectAccessible(page)
  await page.context().setOffline(false)
  await banner.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await bell(page, 'Inbox').waitFor()
  await page.getByRole('main').getByRole('alert').waitFor({ state: 'detached' })
  expect((await ada.api.result(listNotices, { query: { unread: true } })).data).toEqual([])
})

test('a kind is muted and mailed by its switches, and stays so', async () => {
  const ada = await someUser(plaza)
  const page = await pageAs(ada)
  await page.goto('/account/notices')
  await page.getByRole('switch', { name: 'Friends by mail' }).click({ force: true })
  await page.getByRole('switch', { name: 'Messages in the inbox' }).click({ force: true })
  const chosen = async () =>
    (await ada.api.result(listNoticeSettings)).settings.filter(({ kind }) => kind === 'friends' || kind === 'messages')
  await expect.poll(chosen).toEqual([
    { kind: 'friends', console: true, mail: true },
    { kind: 'messages', console: false, mail: false },
  ])
  await page.reload()
  await expect.poll(() => page.getByRole('switch', { name: 'Friends by mail' }).isChecked()).toBe(true)
  expect(await page.getByRole('switch', { name: 'Messages in the inbox' }).isChecked()).toBe(false)
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('D-160: permission is asked for by the button only; a refusal is explained; each cause has its own notification', async () => {
  const page = await pageAs(await someUser(plaza), { serviceWorkers: 'allow' })
  await page.addInitScript(() => {
    Notification.requestPermission = async () => {
      document.body.dataset.asked = 'yes'
      return 'denied'
    }
  })
  const asked = page.locator('body[data-asked]')
  await page.goto('/account/notices')
  await page.getByRole('switch', { name: 'Friends by mail' }).waitFor()
  expect(await asked.count()).toBe(0)
  await page.getByRole('button', { name: 'Get notices on this device' }).click()
  await page.getByText('The browser blocks notices of Plaza.').waitFor()
  expect(await asked.count()).toBe(1)
  await expectAccessible(page)

  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/sw.js')
    await navigator.serviceWorker.ready
  })
  const worker = page.context().serviceWorkers()[0]!
  // The headless browser shows no notifications.
  await worker.evaluate(
    `shown = []; registration.showNotification = async (title, { tag }) => shown.push([title, tag])`,
  )
  const devtools = await page.context().newCDPSession(page)
  const registered = new Promise<string>((found) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => {
      if (one) found(one.registrationId)
    }),
  )
  await devtools.send('ServiceWorker.enable')
  const registrationId = await registered
  const pushes = [
    ['Bob wrote to you', 'direct:1'],
    ['Carl wrote to you', 'direct:2'],
  ]
  for (const [title, tag] of pushes) {
    const data = JSON.stringify({ kind: 'messages', title, link: '/chat', tag })
    await devtools.send('ServiceWorker.deliverPushMessage', { origin: plaza.url, registrationId, data })
  }
  await expect.poll(() => worker.evaluate('shown')).toEqual(pushes)
})

test('messages at an open table are read; an admin sees waiting cases', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const { id: channel_id } = await ada.api.result(openChannel, { body: { type: 'table', ref_id: 'round' } })
  const say = ({ api }: SomeUser, body: string) => api.result(sendMessage, { params: { channel_id }, body: { body } })
  await say(ada, 'hello')
  await say(bob, 'hello too')
  await gather('social')
  const page = await pageAs(ada)
  await page.goto('/inbox')
  await page.getByRole('link', { name: '1 new message at round' }).waitFor()
  await page.goto('/chat?table=round')
  await page.getByText('hello too', { exact: true }).waitFor()
  await bell(page, 'Inbox').waitFor()
  await say(bob, 'and more')
  await gather('social')
  await expect
    .poll(async () => (await ada.api.result(listNotices)).data.map(({ count, is_read }) => [count, is_read]))
    .toEqual([[1, true]])

  await ada.api.result(createApp, { body: { app_name: 'Waits', redirect_uris: ['https://app.test/cb'] } })
  await gather('admin')
  const admins = await pageAs(await theAdmin(plaza))
  await admins.goto('/inbox')
  await admins.getByRole('link', { name: '1 app is pending approval' }).click()
  await waitForHeading(admins, 'Review')
})
