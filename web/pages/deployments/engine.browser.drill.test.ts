import { expect, test } from 'vitest'
import { getDeployment } from '../../../contract/deployments.ts'
import { describeEngines, startEngines } from '../../../server/test/engine/harness.ts'
import { freshName, someHostingApp } from '../../../server/test/hosting-world.ts'
import { startConsole } from '../../test/browser.ts'

describeEngines('deployments in the browser, on a real container engine', async () => {
  const engines = await startEngines()
  await engines.push('apps/web', 'one')
  const { plaza, pageAs } = await startConsole({
    ROLES: 'api,worker',
    CONTAINER_HOSTS: engines.host.spec,
    NETWORK_RANGE: '10.244.0.0/20',
    ISOLATION: 'trusted',
    REGISTRY_CODE_HOST: engines.registry.host,
  })

  test('a container is deployed, watched, stopped, restarted and destroyed', async () => {
    const app = await someHostingApp(plaza)
    const page = await pageAs(app.owner)
    const subdomain = freshName()
    await page.goto(`/deployments/new?app=${app.id}`)
    await page.getByRole('button', { name: 'Open access' }).click()
    await page.getByLabel('Name', { exact: true }).fill(subdomain)
    await page.getByLabel('Image').fill(`${engines.registry.host}/apps/web:one`)
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    await page.getByRole('heading', { name: subdomain }).waitFor()
    await page.getByText('The container runs and its port answers.').first().waitFor()
    const output = page.getByRole('log', { name: 'Output of the container' })
    await output.getByText('echo begins').waitFor()
    await output.getByText('echo complains').waitFor()

    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await page.getByText('The container is stopped. A restart brings it back.').waitFor()
    await output.getByText('SIGTERM').waitFor()
    plaza.clock.advance(61)
    await page.getByRole('button', { name: 'Restart' }).click()
    await page.getByText('The container runs and its port answers.').first().waitFor()

    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    plaza.clock.advance(61)
    await page.getByRole('button', { name: 'Destroy' }).click()
    await page.getByLabel(`Type ${subdomain} to confirm`).fill(subdomain)
    await page.getByRole('dialog').getByRole('button', { name: 'Destroy' }).click()
    await page.getByText('Nothing is deployed for this app').waitFor()
    await expect.poll(async () => (await app.api.call(getDeployment, { params: { id } })).status).toBe(404)
  })
})
