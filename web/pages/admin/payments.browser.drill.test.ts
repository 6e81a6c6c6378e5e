import { expect, test } from 'vitest'
import { createHold } from '../../../contract/payments.ts'
import { spendPoints } from '../../../contract/points.ts'
import { createWebhook } from '../../../contract/webhooks.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { world } from '../../../server/test/world.ts'
import { expectAccessible, startConsole } from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { plaza, pageAs } = await startConsole({ WEBHOOK_ADDRESSES: 'any' })

test('an admin finds any movement by its id, sees holds of all apps, and webhooks that fail', async () => {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes: ['points:spend'] })
  const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 7, reference: 'order 7' } })
  await tokens.api.result(createHold, { body: { amount: 30, reference: 'order 8' } })
  const url = 'http://127.0.0.1:9/hooks'
  await app.owner.api.result(createWebhook, { params: { id: app.id }, body: { url } })
  await plaza.db.sql`update webhooks set failing_since = ${plaza.clock.now()}`

  const page = await pageAs(firstAdmin)
  await page.goto('/admin/payments')
  const field = page.getByLabel('Id of the movement')
  await field.fill('order 7')
  await page.getByText('An id has 36 characters').waitFor()
  await field.fill('0198c1e2-7b3a-7c4d-9e5f-0a1b2c3d4e5f')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('No movement has this id').waitFor()
  await field.fill(transfer_id)
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('order 7').waitFor()
  await page.getByRole('main').getByRole('link', { name: user.username }).waitFor()
  await expectAccessible(page)

  await page.getByText('Holds', { exact: true }).click()
  await page.getByRole('region', { name: 'Holds' }).getByText('order 8').waitFor()
  await page.getByText('captured', { exact: true }).click()
  await page.getByText('No holds').waitFor()
  expect(new URL(page.url()).search).toBe('?view=holds&status=captured')
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByText('None fits the filter.').waitFor()
  expect(new URL(page.url()).search).toBe('?view=holds&status=captured&from=2020-01-01')
  await page.getByText('Failing webhooks', { exact: true }).click()
  await page.getByRole('region', { name: 'Failing webhooks' }).getByText(url).waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
})
