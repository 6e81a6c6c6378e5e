import { expect, test } from 'vitest'
import { listAudit } from '../../../contract/admin-audit.ts'
import { adminListDeployments } from '../../../contract/admin-deployments.ts'
import { createDeployment } from '../../../contract/deployments.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { givePoints, someApp, someTokens, theAdmin } from '../../../server/test/world.ts'
import { expectAccessible, startConsole, type Page } from '../../test/browser.ts'
import type { Credentials } from '../../../examples/world/world.ts'
import { allowHosting, example_registry, addExampleDeployments } from '../../../examples/world/hosting.ts'

const { plaza, pageAs } = await startConsole({ REGISTRY_CODE_HOST: example_registry, BILLING: 'on' })

/** An app with the hosting scope whose owner has points. */
async function someHost() {
  const app = await someApp(plaza)
  await allowHosting(app.owner.api, (await theAdmin(plaza)).api, app.id)
  await givePoints(plaza, app.owner, 1_000_000)
  const { api } = await someTokens(plaza, app, app.owner, ['deploy:manage'])
  return { app, api }
}

test('an admin suspends a deployment with a reason, and reactivates it', async () => {
  const admin = await theAdmin(plaza)
  const { app, api } = await someHost()
  const id = await addExampleDeployments(plaza.service, api)
  const suspendedBy = async () => {
    const { data } = await admin.api.result(adminListDeployments, { query: { app_id: app.id } })
    return data.find((deployment) => deployment.id === id)?.suspended_by
  }
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/deployments')
  await page.getByText('stickers-jobs').waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'running' }).click()
  await page.waitForURL(`${plaza.url}/admin/deployments?status=running`)
  await page.getByText('stickers-jobs').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Actions for stickers' }).click()
  await page.getByRole('menuitem', { name: 'Suspend…' }).click()
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  await page.getByText('Fill this in.').waitFor()
  await page.getByLabel('Reason').fill('It mines coins.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  await page.getByText('by admin').waitFor()
  expect(await suspendedBy()).toBe('admin')

  await page.getByRole('button', { name: 'Actions for stickers' }).click()
  await page.getByRole('menuitem', { name: 'Reactivate…' }).click()
  await page.getByRole('button', { name: 'Reactivate', exact: true }).click()
  await page.getByText('by admin').waitFor({ state: 'detached' })
  expect(await suspendedBy()).toBeNull()

  const { data } = await admin.api.result(listAudit, { query: { target_id: id } })
  expect(data.map(({ action, details }) => ({ action, details }))).toEqual([
    { action: 'deployment.reactivate', details: {} },
    { action: 'deployment.suspend', details: { reason: 'It mines coins.' } },
  ])
})

test('the palette finds deployments that no page has read: own ones by name, all of them and apps for admins', async () => {
  const { app, api } = await someHost()
  const image = `${example_registry}/some/app:1`
  await api.result(createDeployment, { body: { subdomain: 'found-lamp', image, tier: 'starter' } })
  const searchOn = async (user: Credentials, words: string) => {
    const page = await pageAs(user)
    await page.goto('/friends')
    await page.locator('main h1').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByLabel('What are you looking for?').fill(words)
    return page
  }
  const found = (page: Page) => page.getByRole('dialog').getByRole('button').allInnerTexts()
  const owner = await searchOn(app.owner, 'nd-lamp')
  await expect.poll(() => found(owner)).toEqual([expect.stringMatching(/found-lamp\s+Deployment of /)])
  await owner.keyboard.press('Enter')
  await owner.waitForURL(/\/deployments\/[0-9a-f-]{36}\?app=/)

  const admin = await searchOn(firstAdmin, 'FOUND-l')
  const besidesGuides = async () => (await found(admin)).filter((text) => !text.includes('Guide ·'))
  await expect.poll(besidesGuides).toEqual([expect.stringMatching(/found-lamp\s+All deployments/)])
  const { app_name } = (await app.owner.api.result(listMyApps))[0]!
  await admin.getByLabel('What are you looking for?').fill(app_name)
  await expect.poll(() => found(admin)).toContainEqual(expect.stringContaining('App of '))
  await admin.getByLabel('What are you looking for?').fill('found-lamp')
  await expect.poll(() => found(admin)).toEqual([expect.stringContaining('found-lamp')])
  await admin.keyboard.press('Enter')
  await admin.waitForURL(/\/admin\/deployments\/[0-9a-f-]{36}$/)
})

test('a due payment is recorded, and a payment that is not due is refused', async () => {
  const { app, api } = await someHost()
  await api.result(createDeployment, {
    body: { subdomain: 'paid-in-coins', image: `${example_registry}/some/app:1`, tier: 'sovereign' },
  })
  const page = await pageAs(firstAdmin)
  await page.goto(`/admin/deployments?app_id=${app.id}`)
  await page.getByText('awaiting payment').waitFor()
  const record = async () => {
    await page.getByRole('button', { name: 'Actions for paid-in-coins' }).click()
    await page.getByRole('menuitem', { name: 'Record a payment…' }).click()
    await page.getByRole('textbox', { name: 'Note' }).fill('Paid by hand')
    await page.getByRole('button', { name: 'Record it' }).click()
  }
  await record()
  await page.getByText('The payment for paid-in-coins is recorded.').waitFor()
  await page.getByText('awaiting payment').waitFor({ state: 'detached' })
  await record()
  await page.getByText('The current state does not allow this.').waitFor()
})
