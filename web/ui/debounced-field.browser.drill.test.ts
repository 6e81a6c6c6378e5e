import { expect, test } from 'vitest'
import { someApp, someUser } from '../../server/test/world.ts'
import { phone, startConsole, waitForHeading } from '../test/browser.ts'

const { plaza, pageAs } = await startConsole()

/** Longer than the delay of the field. */
const chunk_delay_ms = 800

test('a search typed just before a click does not undo the click, and is kept beside a choice on the same page', async () => {
  const page = await pageAs(await someUser(plaza))
  await page.route(/\/assets\/friends-/, async (route) => {
    await new Promise((done) => setTimeout(done, chunk_delay_ms))
    await route.continue()
  })
  await page.goto('/points')
  await page.getByLabel('Reference').fill('order-1')
  await page.getByRole('link', { name: 'Friends' }).click()
  await waitForHeading(page, 'Friends')
  const { pathname, search } = new URL(page.url())
  expect(pathname + search).toBe('/friends')

  // Another tab has the same path.
  const app = await someApp(plaza)
  const of_owner = await pageAs(app.owner)
  await of_owner.goto(`/apps/${app.id}?tab=payments`)
  await of_owner.getByLabel('Reference').fill('order-1')
  await of_owner.getByRole('tab', { name: 'People' }).click()
  await of_owner.getByRole('tab', { name: 'People', selected: true }).waitFor()
  await of_owner.waitForLoadState('networkidle')
  expect(new URL(of_owner.url()).search).toBe('?tab=people')

  // A selection on the same page keeps it.
  await page.goto('/points')
  await page.getByLabel('Reference').fill('order-1')
  await page.getByRole('radiogroup', { name: 'Direction' }).getByText('Out').click()
  await page.waitForURL(/reference=/)
  expect(new URL(page.url()).searchParams.get('direction')).toBe('out')
  expect(await page.getByLabel('Reference').inputValue()).toBe('order-1')
})

test('on a phone, a search typed just before the sheet of filters closes is kept', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner, { viewport: phone })
  await page.goto(`/apps/${app.id}?tab=payments`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Reference').fill('order-1')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL(/reference=order-1/)
})
