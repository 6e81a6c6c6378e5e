import { Agent } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { describeEngines, startEngines } from '../../test/engine/harness.ts'
import { startHosting, type TestDeployment } from '../../test/engine/hosting.ts'
import { countBy } from '../../test/harness.ts'
import { requestHost } from '../../test/router.ts'
import { waitUntil } from '../../test/wait.ts'

describeEngines('the router with real containers', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { plaza, deploy, image } = hosting
  await engines.push('apps/web', 'one', { env: { APP_VERSION: 'one' } })
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })

  async function hostOf({ id }: TestDeployment) {
    const [row] = await plaza.db.sql<{ subdomain: string }>`select subdomain from deployments where id = ${id}::uuid`
    return `${row?.subdomain}.apps.localhost`
  }

  test('injection 21: a container is reached by its hostname, replaced under load without a failed request, and 404 once destroyed', async () => {
    await hosting.testWorker()
    const web = await deploy(image('apps/web:one'))
    const host = await hostOf(web)
    // The router holds early requests, or answers 503 until the container is up.
    await waitUntil(async () => (await requestHost(router, host)).status === 200)
    expect(JSON.parse((await requestHost(router, host)).body)).toMatchObject({ version: 'one' })

    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    onTestFinished(() => agent.destroy())
    let switching = true
    const statuses: number[] = []
    const clients = Array.from({ length: 16 }, async () => {
      while (switching) statuses.push((await requestHost(router, host, { agent })).status)
    })
    await web.restart()
    await web.becomes('second generation alone', (row) => row.serving_generation === 2 && row.lease_owner === null)
    switching = false
    await Promise.all(clients)
    expect(countBy(statuses, (status) => status)).toEqual({ 200: statuses.length })

    await web.stop()
    await waitUntil(async () => (await requestHost(router, host)).status === 503)
    await web.destroy()
    await waitUntil(async () => (await requestHost(router, host)).status === 404)
  })
})
