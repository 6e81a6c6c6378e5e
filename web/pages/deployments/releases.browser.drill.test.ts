import { expect, test } from 'vitest'
import { createDeployment, listDeploymentReleases } from '../../../contract/deployments.ts'
import { any_image, freshName, someContainerHost, someHostingApp } from '../../../server/test/hosting-world.ts'
import { latestFails, latestServes } from '../../../server/test/releases.ts'
import { expectAccessible, expectFits, phone, startConsole } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole()
await someContainerHost(plaza)

async function someRunning() {
  const app = await someHostingApp(plaza)
  const deployment = await app.api.result(createDeployment, {
    body: { subdomain: freshName(), image: any_image, tier: 'starter', env_vars: { COLOUR: 'red', OLD: 'yes' } },
  })
  await latestServes(plaza, deployment.id)
  const page = await pageAs(app.owner)
  await page.goto(`/deployments/${deployment.id}?app=${app.id}`)
  await page.getByRole('button', { name: 'Open access' }).click()
  await page.getByRole('heading', { name: 'Releases' }).waitFor()
  const releases = async () => {
    plaza.clock.advance(61)
    return (await app.api.result(listDeploymentReleases, { params: { id: deployment.id } })).releases
  }
  return { deployment, page, releases }
}

test('D-104: an operator sees the differences of a change before it, a refusal at its field, and rolls the change back', async () => {
  const { deployment, page, releases } = await someRunning()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Change ${deployment.subdomain}` })
  await dialog.getByText('Nothing yet.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Roll out' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Image').fill('elsewhere.example/shop:1')
  await dialog.getByRole('button', { name: 'Roll out' }).click()
  await dialog.getByText('Images from this place are not allowed.').waitFor()
  expect(await dialog.getByLabel('Image').inputValue()).toBe('elsewhere.example/shop:1')
  expect(await releases()).toHaveLength(1)
  await dialog.getByLabel('Image').fill('public.test/library/web:2')
  await dialog.getByLabel('Tier').selectOption('standard')
  await dialog.getByRole('checkbox', { name: 'OLD' }).check()
  await dialog.getByRole('button', { name: 'Add a variable' }).click()
  await dialog.getByLabel('Name of variable 1').fill('COLOUR')
  await dialog.getByLabel('Value of COLOUR').fill('blue')
  const what_changes = dialog.getByRole('status', { name: 'What changes' })
  await expect
    .poll(() => what_changes.getByRole('listitem').allTextContents())
    .toEqual([
      `Image: ${any_image} → public.test/library/web:2`,
      'Tier: Starter → Standard',
      'COLOUR: a new value',
      'OLD: taken away',
    ])
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize({ width: 1280, height: 900 })
  await dialog.getByRole('button', { name: 'Roll out' }).click()
  await page.getByText('On its way').waitFor()
  await latestServes(plaza, deployment.id)
  await page.getByText('Changed: image, tier, environment (COLOUR, OLD)').waitFor()
  await expect.poll(() => page.getByText('Replaced').count()).toBe(1)

  await page.getByRole('button', { name: 'Roll back to release 1' }).click()
  const question = page.getByRole('dialog', { name: 'Go back to release 1?' })
  await question.getByText('Tier: Standard → Starter').waitFor()
  await question.getByText('OLD: added').waitFor()
  await question.getByRole('button', { name: 'Roll back' }).click()
  await question.waitFor({ state: 'detached' })
  await page.getByText('Back to release 1', { exact: true }).waitFor()
  await latestFails(plaza, deployment.id)
  await page.getByText('no such file').first().waitFor()
  expect((await releases()).map(({ number, status }) => `${number} ${status}`)).toEqual([
    '3 failed',
    '2 current',
    '1 replaced',
  ])
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
})
