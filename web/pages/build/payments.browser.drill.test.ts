import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { captureHold, createHold, createPayout } from '../../../contract/payments.ts'
import { spendPoints } from '../../../contract/points.ts'
import { createWebhook } from '../../../contract/webhooks.ts'
import { startReceiver } from '../../../server/test/receiver.ts'
import { waitUntil } from '../../../server/test/wait.ts'
import { pointsOf, theAdmin, world } from '../../../server/test/world.ts'
import { expectAccessible, expectFits, phone, startConsole } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole()

async function shop() {
  const made = await world(plaza, { points: 1_000, scopes: ['points:spend'] })
  const { app, tokens } = made
  const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret: app.client_secret })
  const spend = async (amount: number, reference: string) =>
    (await tokens.api.result(spendPoints, { body: { amount, reference, description: `Order ${reference}` } }))
      .transfer_id
  return { ...made, client, spend }
}

test('an operator finds a payment by person and reference, understands it, and returns a part; the person has the points', async () => {
  const { app, user, client, tokens, spend } = await shop()
  const receiver = await startReceiver()
  await app.owner.api.result(createWebhook, { params: { id: app.id }, body: { url: receiver.url } })
  for (let n = 1; n <= 3; n++) await spend(n * 10, `A-${n}`)
  const { hold } = await tokens.api.result(createHold, { body: { amount: 80, reference: 'B-1' } })
  await client.result(captureHold, { params: { id: hold.id }, body: { amount: 50 } })
  await tokens.api.result(createHold, { body: { amount: 7, reference: 'open-1' } })

  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=payments`)
  const rows = page.getByRole('region', { name: 'Payments' }).getByRole('row')
  await rows.filter({ hasText: 'Captured hold' }).waitFor()
  expect(await rows.count()).toBe(5)
  const amounts = () => rows.getByRole('cell', { name: /^[+−]\d+$/ }).allTextContents()
  expect(await amounts()).toEqual(['+50', '+30', '+20', '+10'])
  const heading = page.getByRole('region', { name: 'Payments' }).getByRole('columnheader', { name: 'Reference' })
  for (const [order, references] of [
    ['descending', ['+50', '+30', '+20', '+10']],
    ['ascending', ['+10', '+20', '+30', '+50']],
    ['none', ['+50', '+30', '+20', '+10']],
  ] as const) {
    await heading.getByRole('button').click()
    expect([await heading.getAttribute('aria-sort'), await amounts()]).toEqual([order, references])
  }
  await page.getByRole('columnheader', { name: 'Points' }).last().getByRole('button').press('Enter')
  await page.getByRole('textbox', { name: 'Person' }).or(page.getByLabel('Person')).fill('nobody-at-all')
  await page.getByText('No payment matches the filter').waitFor()
  await page.getByLabel('Person').fill(user.username)
  await page.getByLabel('Reference').fill('B-1')
  await expect.poll(() => rows.count()).toBe(2)
  expect(new URL(page.url()).searchParams.get('reference')).toBe('B-1')
  await expectAccessible(page)

  await rows.getByRole('button', { name: 'Captured hold' }).click()
  const drawer = page.getByRole('dialog', { name: 'Payment' })
  await drawer.getByText('80 points were held, 50 points captured').waitFor()
  await drawer.getByText('hold.captured').waitFor()
  await drawer.getByLabel('Points').fill('51')
  await drawer.getByRole('button', { name: 'Refund…' }).click()
  await drawer.getByText('Between 1 and 50').waitFor()
  await drawer.getByLabel('Points').fill('20')
  await drawer.getByLabel('Reason').fill('arrived scratched')
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Refund…' }).click()
  await page.getByRole('button', { name: 'Return 20 points' }).click()
  await drawer.getByRole('table', { name: 'Refunds' }).getByText('arrived scratched').waitFor()
  await drawer.getByText('30 points can be returned.').waitFor()
  expect(await pointsOf(user)).toBe(1_000 - 60 - 50 - 7 + 20)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByLabel('Held from').fill('2000-01-01')
  await page.getByLabel('Held until').fill('2000-01-02')
  await page.getByText('None was made on these days.').waitFor()
  await page.reload()
  await page.getByText('None was made on these days.').waitFor()
  expect(await page.getByLabel('Held until').inputValue()).toBe('2000-01-02')
  await page.getByRole('button', { name: 'Show all open holds' }).click()
  expect(new URL(page.url()).search).toBe('?tab=payments')
  await page.getByRole('button', { name: `Release 7 points of ${user.username}` }).click()
  await page.getByRole('button', { name: 'Release', exact: true }).click()
  await page.getByRole('heading', { name: 'Open holds' }).waitFor({ state: 'detached' })
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  expect(saved.suggestedFilename()).toMatch(/^payments-\d{4}-\d\d-\d\d\.csv$/)

  await page.getByRole('region', { name: 'Days' }).getByRole('row').nth(1).getByText('90').waitFor()
  await page.getByText('12 months').click()
  await page.getByRole('region', { name: 'Months' }).getByRole('row').nth(1).waitFor()
  await expectAccessible(page)
})

test('D-130, D-131: an owner sees a payout, and withdraws income after a proof; an admin limits the payouts', async () => {
  const { app, user, client, spend } = await shop()
  await spend(100, 'A-1')
  await client.result(createPayout, { body: { to_user_id: user.id, amount: 30, description: 'First prize' } })
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=payments`)
  const rows = page.getByRole('region', { name: 'Payments' }).getByRole('row')
  await rows.getByRole('button', { name: 'Payout' }).click()
  const drawer = page.getByRole('dialog', { name: 'Payment' })
  await drawer.getByText('Paid to').waitFor()
  await drawer.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Withdraw points' }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw points' })
  await dialog.getByText('70 points can be withdrawn now').waitFor()
  await expectAccessible(page)
  await dialog.getByLabel('Points').fill('50')
  await dialog.getByRole('button', { name: 'Withdraw points' }).click()
  await page.getByLabel('Your password').fill(app.owner.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('50 points are in your account.').waitFor()
  await rows.getByRole('button', { name: 'Withdrawal' }).waitFor()
  expect(await pointsOf(app.owner)).toBe(50)

  const admin = await pageAs(await theAdmin(plaza))
  await admin.goto(`/admin/apps/${app.id}`)
  await admin.getByRole('button', { name: 'Change', exact: true }).click()
  await admin.getByLabel('Points in 24 hours').fill('500')
  await admin.getByRole('button', { name: 'Save' }).click()
  await admin.getByText('500 points').waitFor()
  await expectAccessible(admin)
})

test('an operator adds a webhook, saves its secret, sees what was sent and answered, and sends it again', async () => {
  const { app, spend } = await shop()
  const receiver = await startReceiver()
  receiver.answer((response) => void response.writeHead(500).end('the till is closed'))
  const page = await pageAs(app.owner, { viewport: phone })
  await page.goto(`/apps/${app.id}?tab=webhooks`)
  await page.getByText('No address yet').waitFor()
  await page.getByRole('button', { name: 'Add an address' }).click()
  const form = page.getByRole('dialog', { name: 'Add an address' })
  await form.getByLabel('Address').fill('http://10.0.0.1/hooks')
  await form.getByRole('button', { name: 'Add' }).click()
  await form.getByText('must be an https URL').waitFor()
  await form.getByLabel('Address').fill(receiver.url)
  await form.getByLabel('Every event').uncheck()
  await form.getByRole('button', { name: 'Add' }).click()
  await form.getByText('Choose at least one.').waitFor()
  await form.getByLabel('points.spent').check()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Add' }).click()
  const secret = page.getByRole('textbox', { name: 'Secret' })
  expect(await secret.textContent()).toMatch(/^whsec_/)
  await page.getByLabel('I have saved the secret').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await secret.waitFor({ state: 'detached' })

  await spend(5, 'A-1')
  await waitUntil(() => receiver.received.length === 1, 'the delivery')
  const log = page.getByRole('region', { name: `Log of ${receiver.url}` })
  await log.getByText('pending').waitFor()
  await expectFits(page)
  await log.getByRole('button', { name: 'points.spent' }).click()
  const drawer = page.getByRole('dialog', { name: 'Delivery' })
  await drawer.getByText('the till is closed').waitFor()
  await drawer.getByText('"reference": "A-1"').waitFor()
  await expectAccessible(page)
  // The URL keeps the selection and the open entry.
  expect(new URL(page.url()).searchParams.get('delivery')).toMatch(/^[0-9a-f-]{36}$/)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByLabel('Until').fill('2020-01-31')
  await page.getByText('None.').waitFor()
  await page.reload()
  await page.getByText('None.').waitFor()
  expect(await page.getByLabel('Until').inputValue()).toBe('2020-01-31')
  await page.getByLabel('Until').fill('')
  await log.getByRole('button', { name: 'points.spent' }).waitFor()
})
