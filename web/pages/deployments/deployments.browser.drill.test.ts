import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createDeployment, listDeployments } from '../../../contract/deployments.ts'
import { disconnectApp } from '../../../contract/oauth.ts'
import {
  any_image,
  freshName,
  someContainerHost,
  someHostingApp,
  type SomeHostingApp,
} from '../../../server/test/hosting-world.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { someUser } from '../../../server/test/world.ts'
import { expectAccessible, expectFits, phone, startConsole, type Page } from '../../test/browser.ts'
import { hosting_settings } from '../../../server/test/settings.ts'

const { plaza, pageAs } = await startConsole({ ...hosting_settings, ROUTER_PORT: '3080' })

/** Opens a page as the owner and opens the app's access. */
async function openPage(app: SomeHostingApp, path: string, options = {}): Promise<Page> {
  const page = await pageAs(app.owner, options)
  await page.goto(path)
  await page.getByRole('button', { name: 'Open access' }).click()
  await page
    .getByText('Access as the app is open in this tab')
    .or(page.getByLabel('Name', { exact: true }))
    .first()
    .waitFor()
  return page
}

async function someDeployment(app: SomeHostingApp, more: Record<string, unknown> = {}) {
  plaza.clock.advance(61)
  return app.api.result(createDeployment, {
    body: { subdomain: freshName(), image: any_image, tier: 'standard', ...more },
  })
}

/** Writes a state as workers would; no worker runs in this test. */
async function setState(id: string, status: string, health_status: string | null) {
  const at = plaza.clock.now()
  await plaza.db.sql`
    update deployments
       set status = ${status}, health_status = ${health_status}, deployed_at = ${at}, last_health_check = ${at}
     where id = ${id}`
}

const logged = (deployment_id: string, action: string, status: string, details: object) => plaza.db.sql`
  insert into deploy_logs (id, deployment_id, generation, action, status, initiated_by, details, inserted_at)
  values (${randomUUID()}, ${deployment_id}, 1, ${action}, ${status}, null, ${JSON.stringify(details)}, ${plaza.clock.now()})`

test('D-65: a default installation lists the missing parts of hosting, and shows the settings to admins', async () => {
  const bare = await plaza.startAnother({ REGISTRY_PRIVATE: 'off', REGISTRY_PUBLIC: 'off', REGISTRY_CODE_HOST: 'off' })
  const page = await pageAs(await someUser(plaza))
  await page.goto('/')
  // Routes the signed-in page to another process, which has no registry and no container host.
  const apiOf = async (from: Page) =>
    from.route('**/api/**', async (route) => {
      const { pathname, search } = new URL(route.request().url())
      // A stream has no end that could be forwarded.
      if (pathname === '/api/events') return route.abort()
      await route.fulfill({ response: await route.fetch({ url: `${bare.url}${pathname}${search}` }) })
    })
  await apiOf(page)
  for (const at of ['/deployments', '/deployments/new']) {
    await page.goto(at)
    await page.getByText('Hosting is not available here yet').waitFor()
    await page.getByText('No registry is set up that images may come from.').waitFor()
    await page.getByText('There is no machine that runs containers.').waitFor()
    expect(await page.getByText('REGISTRY_PUBLIC').count()).toBe(0)
    expect(await page.getByRole('link', { name: /^(Deploy a container|Register an app)$/ }).count()).toBe(0)
    await expectAccessible(page)
  }
  expect(await page.getByLabel('Image').count()).toBe(0)

  const admin_page = await pageAs(firstAdmin, { viewport: phone })
  await admin_page.goto('/')
  await apiOf(admin_page)
  await admin_page.goto('/deployments/new')
  for (const setting of ['REGISTRY_PUBLIC', 'CONTAINER_HOSTS', 'docs/hosting/README.md'])
    await admin_page.getByText(setting).waitFor()
  await expectFits(admin_page)
  // A call in progress when its page closes would fail the run.
  for (const each of [page, admin_page]) await each.unrouteAll({ behavior: 'ignoreErrors' })
})

test('D-65: without a container engine the form says so and keeps its input', async () => {
  await someContainerHost(plaza, { reachable: false })
  const app = await someHostingApp(plaza)
  const page = await openPage(app, `/deployments/new?app=${app.id}`)
  const name = page.getByLabel('Name', { exact: true })
  await page.getByText('Hosting is not available right now').waitFor()
  await page.getByText(`From ${hosting_settings.REGISTRY_CODE_HOST}: any image.`).waitFor()
  await name.fill('-shop')
  await page.getByText('Up to 32 small letters, digits and hyphens; no hyphen at either end.').waitFor()
  await name.fill('admin')
  await page.getByText('This name is reserved. Choose another.').waitFor()
  await name.fill('shop')
  await page.getByLabel('Image').fill('shop')
  await page.getByText('Begin with the registry').waitFor()
  await page.getByLabel('Image').fill(any_image)
  expect(await page.getByLabel('Custom domain', { exact: true }).isDisabled()).toBe(true)
  await page.getByRole('radio', { name: /^Standard/ }).click()
  expect(await page.getByLabel('Custom domain', { exact: true }).isDisabled()).toBe(false)
  await page.getByRole('button', { name: 'Paste a .env file' }).click()
  await page.getByLabel('Content of the file').fill('GREETING=hello\nPORT=80\n# no more')
  await page.getByText('2 variables: GREETING, PORT').waitFor()
  await page.getByRole('button', { name: 'Add the variables' }).click()
  await page.getByText('Plaza sets PORT itself').waitFor()
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  const wrong = page.getByLabel('Name of variable 2')
  await expect.poll(() => wrong.evaluate((field) => field === document.activeElement)).toBe(true)
  expect(await page.getByText('No container engine is there right now').count()).toBe(0)
  await page.getByRole('button', { name: 'Remove PORT' }).click()
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByText('No container engine is there right now').waitFor()
  expect(await name.inputValue()).toBe('shop')
  expect(await page.getByLabel('Value of GREETING').inputValue()).toBe('hello')
  await expectAccessible(page)
  expect((await app.api.result(listDeployments)).deployments).toEqual([])
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('a container is deployed from the form; a taken name and a wrong image are shown at their fields', async () => {
  await someContainerHost(plaza)
  const other = await someHostingApp(plaza)
  const taken = await someDeployment(other)
  const app = await someHostingApp(plaza)
  const page = await openPage(app, `/deployments/new?app=${app.id}`)
  const name = page.getByLabel('Name', { exact: true })
  await name.fill(taken.subdomain)
  await page.getByLabel('Image').fill('elsewhere.example/shop:1')
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByText('Images from this place are not allowed.').waitFor()
  await page.getByLabel('Image').fill(any_image)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByText('This subdomain is taken or reserved.').waitFor()
  const subdomain = freshName()
  await name.fill(subdomain)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('heading', { name: subdomain }).waitFor()
  await page.getByText('It is accepted and is waiting for a container host.').waitFor()
  await page.getByText('Restart: it has not run yet. Wait until it runs or stops.').waitFor()
  expect(await page.getByRole('button', { name: 'Restart' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(false)
  const { deployments } = await app.api.result(listDeployments)
  expect(deployments.map((each) => each.subdomain)).toEqual([subdomain])
})

test('the page polls the state, explains a failure and shows its last output', async () => {
  await someContainerHost(plaza)
  const app = await someHostingApp(plaza)
  const deployment = await someDeployment(app, { custom_domain: 'shop.example.com' })
  const page = await openPage(app, `/deployments/${deployment.id}?app=${app.id}`)
  await page.getByText('It is accepted and is waiting').waitFor()
  await setState(deployment.id, 'running', 'healthy')
  await page.getByText('The container runs and its port answers.').waitFor()
  expect(await page.getByRole('button', { name: 'Restart' }).isDisabled()).toBe(false)
  await logged(deployment.id, 'deploy', 'failed', {
    message: 'It ended 5 times within 300 seconds.',
    cause: 'crash_loop',
    exit_code: 1,
    tail: ['listening on 3000', 'Error: no DATABASE_URL'],
  })
  await setState(deployment.id, 'stopped', 'crash_loop')
  await page.getByText('The program ended again and again').waitFor()
  await page.getByText('Error: no DATABASE_URL').waitFor()
  await page.getByText('Stop: it is stopped already.').waitFor()
  await page.getByText('_plaza.shop.example.com', { exact: true }).waitFor()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('the URL of a running deployment is on its page, in the list and beside its name in the form; there is none of another id', async () => {
  await someContainerHost(plaza)
  const app = await someHostingApp(plaza)
  const { id, subdomain } = await someDeployment(app)
  await setState(id, 'running', 'healthy')
  const address = `http://${subdomain}.apps.localhost:3080`
  const page = await openPage(app, `/deployments/${id}?app=${app.id}`)
  await page.getByRole('heading', { name: subdomain }).waitFor()
  expect(await page.getByRole('link', { name: address }).getAttribute('href')).toBe(address)
  expect(await page.title()).toContain(`${subdomain} · Plaza`)
  await page.getByRole('link', { name: 'All deployments' }).click()
  expect(await page.getByRole('link', { name: address }).getAttribute('href')).toBe(address)
  await page.getByRole('link', { name: 'Deploy a container' }).click()
  await page.getByLabel('Name', { exact: true }).fill('shop')
  await page.getByText('http://shop.apps.localhost:3080').waitFor()
  await page.getByText('This Plaza charges nothing for hosting.').first().waitFor()
  await page.goto(`/deployments/not-an-id?app=${app.id}`)
  await page.getByText('There is no such deployment').waitFor()
})

test('a refused access, an expired one without a network, and a lost response keep the input and deploy once', async () => {
  await someContainerHost(plaza)
  const app = await someHostingApp(plaza)
  const page = await pageAs(app.owner)
  await page.clock.install()
  await page.goto(`/deployments/new?app=${app.id}`)
  await page.getByRole('button', { name: 'Open access' }).click()
  const name = page.getByLabel('Name', { exact: true })
  const subdomain = freshName()
  await name.fill(subdomain)
  await page.getByLabel('Image').fill(any_image)
  const deploy = () => page.getByRole('button', { name: 'Deploy', exact: true }).click()
  // A refused access hides the form; opening it again restores the input.
  await app.owner.api.result(disconnectApp, { params: { app_id: app.id } })
  await deploy()
  await page.getByText('Your input is kept').waitFor()
  await page.getByRole('button', { name: 'Open access' }).click()
  await name.waitFor()
  expect(await name.inputValue()).toBe(subdomain)
  // A network error during the renewal of the access.
  await page.clock.fastForward('24:00:00')
  await page.context().setOffline(true)
  await deploy()
  await page.getByText('Plaza cannot be reached.').first().waitFor()
  expect(await name.inputValue()).toBe(subdomain)
  await page.context().setOffline(false)
  // Deploying again after a lost response opens the deployment of the first request.
  await page.route(
    '**/api/deploy/apps',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await deploy()
  await page.getByText('Plaza cannot be reached.').first().waitFor()
  await deploy()
  await page.getByRole('heading', { name: subdomain }).waitFor()
})

test('a deployment is stopped and restarted; destroying it requires typing its name', async () => {
  await someContainerHost(plaza)
  const app = await someHostingApp(plaza)
  const { id, subdomain } = await someDeployment(app)
  const page = await openPage(app, `/deployments?app=${app.id}`)
  await page.getByRole('link', { name: subdomain, exact: true }).waitFor()
  await page.getByRole('link', { name: subdomain, exact: true }).click()
  const desired = async () => {
    const [row] = await plaza.db.sql<{ desired: string }>`select desired from deployments where id = ${id}`
    return row?.desired
  }
  await setState(id, 'running', 'healthy')
  await page.getByText('The container runs and its port answers.').waitFor()
  plaza.clock.advance(61)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await expect.poll(desired).toBe('stopped')
  await setState(id, 'stopped', null)
  await page.getByText('The container is stopped. A restart brings it back.').waitFor()
  plaza.clock.advance(61)
  await page.getByRole('button', { name: 'Restart' }).click()
  await expect.poll(desired).toBe('running')
  plaza.clock.advance(61)
  await page.getByRole('button', { name: 'Destroy' }).click()
  const dialog = page.getByRole('dialog', { name: `Destroy ${subdomain} for good?` })
  await dialog.getByLabel(`Type ${subdomain} to confirm`).fill('another')
  await dialog.getByRole('button', { name: 'Destroy' }).click()
  await dialog.getByText('This is not the name.').waitFor()
  await expectAccessible(page)
  await dialog.getByLabel(`Type ${subdomain} to confirm`).fill(subdomain)
  await dialog.getByRole('button', { name: 'Destroy' }).click()
  await page.waitForURL(`**/deployments?app=${app.id}`)
  expect(await desired()).toBe('destroyed')
})
