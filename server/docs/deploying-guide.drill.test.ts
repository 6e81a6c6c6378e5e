import { expect, test } from 'vitest'
import { destroyDeployment } from '../../contract/deployments.ts'
import { describeEngines, startEngines } from '../test/engine/harness.ts'
import { startHosting } from '../test/engine/hosting.ts'
import { until } from '../test/engine/shell.ts'
import { freshName } from '../test/hosting-world.ts'
import { runSample, startSample } from '../test/samples.ts'

const file = 'deploying.md'

describeEngines('the guide to deploy from a build server, on a Docker host', async () => {
  const engines = await startEngines()
  const { plaza, app, image, startWorker } = await startHosting(engines)
  await startWorker({ timing: { start_seconds: 15 } })
  const credentials = { CLIENT_ID: app.client_id, CLIENT_SECRET: app.client_secret }

  /** The answer of the container that serves. */
  async function served(id: string) {
    const [row] = await plaza.db.sql<{ endpoint_host: string | null; endpoint_port: number }>`
      select endpoint_host, endpoint_port from deployments where id = ${id}`
    if (typeof row?.endpoint_host !== 'string') return undefined
    const answer = await fetch(`http://${row.endpoint_host}:${row.endpoint_port}/`).catch(() => undefined)
    return answer && ((await answer.json()) as { version: string }).version
  }

  test.each(['deploy-curl', 'deploy-python'])(
    'a stranger creates a deployment with create-curl and rolls out a build with %s, from a shell alone',
    async (id) => {
      await engines.push('apps/guide', 'latest', { env: { APP_VERSION: 'first' } })
      const env = { ...credentials, SUBDOMAIN: freshName(), IMAGE: image('apps/guide:latest') }
      const deployment = (await runSample(plaza, file, 'create-curl', env)).trim()
      await until('the first build', 45, async () => (await served(deployment)) === 'first')

      await engines.push('apps/guide', 'latest', { env: { APP_VERSION: 'second' } })
      const given = { ...credentials, DEPLOYMENT_ID: deployment }
      expect(await runSample(plaza, file, id, given)).toMatch(/^succeeded: /)
      await until('the second build', 45, async () => (await served(deployment)) === 'second')
      // Output is collected every few seconds.
      await until('the output of the second build', 30, async () => {
        const seen = await runSample(plaza, file, 'look-curl', given)
        expect(seen).toContain('"status": "running"')
        return seen.includes('listening')
      })
      const metrics = async (): Promise<unknown> => JSON.parse(await runSample(plaza, file, 'metrics-curl', given))
      const unused = { of_mb: 128, of_millicores: 250, requests: 0, failed: 0 }
      await expect.poll(metrics, { timeout: 30_000, interval: 1_000 }).toMatchObject(unused)

      // The service's clock advances, since ten changes a minute are allowed.
      plaza.clock.advance(61)
      await engines.push('apps/guide', 'latest', { mode: 'exit1' })
      const failed = await startSample(plaza, file, id, given).ended
      expect([failed.code, failed.stdout], failed.stderr).toEqual([1, expect.stringMatching(/^failed: /)])
      expect(await served(deployment)).toBe('second')
      await app.api.result(destroyDeployment, { params: { id: deployment } })
    },
  )

  test('a stranger changes image and environment with change-curl, sees it in releases-curl, goes back with rollback-curl, and scales with scale-curl', async () => {
    await engines.push('apps/guide', 'one', { env: { APP_VERSION: 'one' } })
    await engines.push('apps/guide', 'two', { env: { APP_VERSION: 'two' } })
    const env = { ...credentials, SUBDOMAIN: freshName(), IMAGE: image('apps/guide:one') }
    plaza.clock.advance(61)
    const deployment = (await runSample(plaza, file, 'create-curl', env)).trim()
    await until('the first release', 45, async () => (await served(deployment)) === 'one')
    const given = { ...credentials, DEPLOYMENT_ID: deployment, NEW_IMAGE: image('apps/guide:two') }
    await runSample(plaza, file, 'change-curl', given)
    await until('the change', 45, async () => (await served(deployment)) === 'two')
    expect(
      (await runSample(plaza, file, 'releases-curl', given))
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ).toEqual([`2 current ${image('apps/guide:two')}`, `1 replaced ${image('apps/guide:one')}`])
    await runSample(plaza, file, 'rollback-curl', given)
    await until('the roll back', 45, async () => (await served(deployment)) === 'one')
    await plaza.db.sql`insert into deploy_tier_replicas select id, 3 from deploy_tiers where slug = 'starter'`
    plaza.clock.advance(61)
    expect(JSON.parse(await runSample(plaza, file, 'scale-curl', given))).toMatchObject({ replicas: 3 })
    await until('three containers', 60, async () => {
      const [row] = await plaza.db.sql<{ ready: number }>`
        select ready_replicas as ready from deployments where id = ${deployment}`
      return row?.ready === 3
    })
  })
})
