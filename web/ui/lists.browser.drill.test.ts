import { test } from 'vitest'
import { someUser } from '../../server/test/world.ts'
import { expectAccessible, startConsole, waitForHeading } from '../test/browser.ts'

const { plaza, pageAs } = await startConsole()

test('a list that fails shows the error and can be retried', async () => {
  const page = await pageAs(await someUser(plaza))
  let is_down = true
  await page.route(/\/api\/points\/history\?|\/api\/points\/history$/, (route) =>
    is_down
      ? route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Something failed here.' } })
      : route.continue(),
  )
  await page.goto('/points')
  const alert = page.getByRole('alert').filter({ hasText: 'Something failed here.' })
  await alert.waitFor()
  await expectAccessible(page)
  is_down = false
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No points have moved yet').waitFor()
})

test('while the service does not answer, a page says so until it answers again', async () => {
  const page = await pageAs(await someUser(plaza))
  await page.goto('/points')
  await waitForHeading(page, 'Points')
  await page.waitForLoadState('networkidle')
  await page.route(/\/api\/|\/livez/, (route) => route.abort('connectionrefused'))
  await page.getByRole('navigation', { name: 'Pages' }).getByText('Connected apps').click()
  const banner = page.getByText(/^(?:Plaza does not answer at the moment|You are offline)\./)
  await banner.waitFor()
  await page.unroute(/\/api\/|\/livez/)
  await banner.waitFor({ state: 'detached' })
  await page.getByText('No connected apps').waitFor()
})
