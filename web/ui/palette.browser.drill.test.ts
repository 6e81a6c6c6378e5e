import { expect, test } from 'vitest'
import { listMyApps } from '../../contract/oauth-apps.ts'
import { spendPoints } from '../../contract/points.ts'
import { firstAdmin } from '../../server/test/harness.ts'
import { someUser, world } from '../../server/test/world.ts'
import {
  desktop,
  expectAccessible,
  expectFits,
  phone,
  startConsole,
  waitForHeading,
  type Page,
} from '../test/browser.ts'

const { plaza, pageAs } = await startConsole()

const query = (page: Page) => page.getByLabel('What are you looking for?')
const found = (page: Page) => page.getByRole('dialog').getByRole('button').allInnerTexts()
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

async function search(page: Page, words: string) {
  await page.keyboard.press('Control+k')
  await query(page).fill(words)
}

test('the palette finds a person by the beginning of a name, and a payment by its reference, for those who may see it', async () => {
  const { app, user, tokens } = await world(plaza, { points: 100, scopes: ['points:spend'] })
  await tokens.api.result(spendPoints, { body: { amount: 30, reference: 'order-7001', description: 'A lantern' } })
  const [friend, stranger] = [await someUser(plaza), await someUser(plaza)]

  const mine = await pageAs(user)
  await mine.goto('/')
  await waitForHeading(mine, /^Hello, /)
  await search(mine, friend.username)
  await expect.poll(() => found(mine)).toEqual([expect.stringMatching(new RegExp(`${friend.username}\\s+People`))])
  await mine.keyboard.press('Enter')
  await waitForHeading(mine, friend.username)
  await search(mine, 'order-7001')
  await expect.poll(() => found(mine)).toEqual([expect.stringMatching(/Reference order-7001\s+Your points/)])
  await mine.keyboard.press('Enter')
  await mine.waitForURL('/points?reference=order-7001')
  await mine.getByText('A lantern').waitFor()

  const owner = await pageAs(app.owner)
  await owner.goto('/apps')
  await waitForHeading(owner, 'My apps')
  await search(owner, 'order-7001')
  await expect.poll(() => found(owner)).toEqual([expect.stringContaining('Payments of')])
  await owner.keyboard.press('Enter')
  await owner.waitForURL(`/apps/${app.id}?tab=payments&reference=order-7001`)
  await owner.getByText('A lantern').waitFor()
  const [{ app_name } = { app_name: '' }] = await app.owner.api.result(listMyApps)
  await search(owner, app_name)
  await expect.poll(() => found(owner)).toContainEqual(expect.stringMatching(new RegExp(`${app_name}\\s+My apps`)))
  await owner.keyboard.press('Escape')

  const other = await pageAs(stranger)
  await other.goto('/')
  await waitForHeading(other, /^Hello, /)
  await search(other, 'order-7001')
  await other.getByText('Nothing found.').waitFor()
  // Addresses find accounts for admins only.
  await query(other).fill(friend.email)
  await other.getByText('Nothing found.').waitFor()
  const admin = await pageAs(firstAdmin)
  await admin.goto('/admin')
  await waitForHeading(admin, 'Overview')
  await search(admin, friend.email)
  await expect.poll(() => found(admin)).toEqual([expect.stringContaining(`Account, ${friend.email}`)])
  await query(admin).fill(friend.id)
  await expect.poll(() => found(admin)).toHaveLength(4)
  await expectAccessible(admin)
})

test('the palette asks the service once typing pauses, and says when it cannot', async () => {
  const page = await pageAs(await someUser(plaza))
  await page.goto('/')
  await waitForHeading(page, /^Hello, /)
  const asked: string[] = []
  await page.route(/\/api\/(?:social\/users\/search|points\/history)/, (route) => {
    asked.push(new URL(route.request().url()).search)
    return route.fulfill({ status: 500, json: { error: 'internal_error', message: 'no' } })
  })
  await page.keyboard.press('Control+k')
  await query(page).pressSequentially('qqzz')
  await page.getByText('People, deployments and payments could not be searched.', { exact: false }).waitFor()
  expect(asked.filter((search) => search.includes('qq')).toSorted()).toEqual(['?q=qqzz', '?reference=qqzz'])
})

test('the palette has groups and actions, finds them by synonyms, remembers the last ones, keeps its place, and sends points', async () => {
  const friend = await someUser(plaza)
  const page = await pageAs(await someUser(plaza), { colorScheme: 'light' })
  await page.goto('/')
  await waitForHeading(page, /^Hello, /)
  await search(page, '')
  const top = async () => (await query(page).boundingBox())?.y
  await expect.poll(top).toBeCloseTo(desktop.height * 0.15, -1)
  const at = await top()
  for (const [words, label] of [
    ['two factor', 'Set up a second factor'],
    ['language', 'Deutsch'],
    ['german', 'Deutsch'],
    ['logout', 'Sign out'],
    ['money', 'Points'],
    ['verify webhook', 'Receive webhooks'],
  ] as const) {
    await query(page).fill(words)
    await expect.poll(() => found(page)).toContainEqual(expect.stringContaining(label))
    expect(await top()).toBe(at)
  }
  await query(page).fill('inbox')
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Inbox')
  await page.setViewportSize(phone)
  await search(page, '')
  await expect.poll(async () => (await found(page))[0]).toMatch(/^Inbox/)
  await expectFits(page)
  await expectAccessible(page)
  await query(page).fill(`send 20 to ${friend.username}`)
  await expect.poll(async () => (await found(page))[0]).toContain(`Send 20 points to ${friend.username}…`)
  await query(page).fill('deutsch')
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Posteingang')
  await page.keyboard.press('Control+k')
  await page.getByLabel('Was suchst du?').fill('englisch')
  await expect.poll(async () => (await found(page))[0]).toContain('English')
  await page.getByLabel('Was suchst du?').fill(`20 an ${friend.username} senden`)
  await expect.poll(async () => (await found(page))[0]).toContain(`20 Punkte an ${friend.username} senden…`)
  await page.keyboard.press('Enter')
  await waitForHeading(page, friend.username)
  expect(await page.getByLabel('Punkte', { exact: true }).inputValue()).toBe('20')
  await expectFits(page)
})

test('? lists the shortcuts; keys lead to the spaces, not while one writes, and can be switched off', async () => {
  const page = await pageAs(await someUser(plaza))
  await page.goto('/people')
  await waitForHeading(page, 'Find people')
  await page.getByLabel('Username').fill('')
  await page.keyboard.type('g?b')
  expect(await page.getByLabel('Username').inputValue()).toBe('g?b')
  await page.locator('main h1').focus()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Shortcuts' })
  await list.getByText('Go to the space Build').waitFor()
  expect(await list.getByText('Go to the space Admin').count()).toBe(0)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await waitForHeading(page, 'My apps')
  await expect.poll(() => focused(page)).toBe('My apps')
  await page.keyboard.press('?')
  await list.getByRole('switch').click()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.keyboard.press('?')
  await page.reload()
  await waitForHeading(page, 'My apps')
  await page.keyboard.press('?')
  expect(await list.count()).toBe(0)
  // The menu leads there too, also on a phone.
  await page.setViewportSize(phone)
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Shortcuts' }).click()
  await list.waitFor()
  await expectFits(page)
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.getByRole('banner').getByRole('button').last().click()
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    'Your account',
    'Deutsch',
    'Light colours',
    'Dark colours',
    'Documentation',
    'Status',
    'Shortcuts',
    'Sign out',
  ])
})
