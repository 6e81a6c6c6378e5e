import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { installPlaza, settingsOf } from '../../cli/test/installed.ts'
import { destroyDeployment, listDeployments } from '../../contract/deployments.ts'
import { describeEngines, startEngines } from '../test/engine/harness.ts'
import { startHosting } from '../test/engine/hosting.ts'
import { until } from '../test/engine/shell.ts'
import { freshName } from '../test/hosting-world.ts'
import { runSample, startSample } from '../test/samples.ts'
import { waitUntil } from '../test/wait.ts'

const file = 'deploying.md'

describeEngines('the guide to deploy from a build server, on a Docker host', async () => {
  const engines = await startEngines()
  const { plaza, app, image, startWorker } = await startHosting(engines)
  await startWorker({ timing: { start_seconds: 15 } })
  const installed = await installPlaza()
  const credentials = {
    CLIENT_ID: app.client_id,
    CLIENT_SECRET: app.client_secret,
    ...settingsOf(plaza.url, app),
    ENV_FILE: join(installed.folder, 'app.env'),
    PATH: `${installed.bin}:${process.env.PATH}`,
  }
  await writeFile(credentials.ENV_FILE, 'LOG_LEVEL=info\n')
  // The tool polls, and the limits of reads follow the service's clock.
  const ticking = setInterval(() => plaza.clock.advance(1), 1_000)
  afterAll(() => clearInterval(ticking))

  /** The response of the serving container. */
  async function served(id: string) {
    const [row] = await plaza.db.sql<{ endpoint_host: string | null; endpoint_port: number }>`
      select endpoint_host, endpoint_port from deployments where id = ${id}`
    if (typeof row?.endpoint_host !== 'string') return undefined
    const answer = await fetch(`http://${row.endpoint_host}:${row.endpoint_port}/`).catch(() => undefined)
    return answer && ((await answer.json()) as { version: string }).version
  }

  /** Runs `create-plaza` until its deployment serves; returns the deployment, and the settings for samples. */
  async function create(name: string) {
    const env = { ...credentials, SUBDOMAIN: freshName(), IMAGE: image(name) }
    const said = await runSample(plaza, file, 'create-plaza', env)
    expect(said).toBe(`✓ ${env.SUBDOMAIN} runs ${env.IMAGE} (release 1).\n`)
    const { deployments } = await app.api.result(listDeployments)
    return { env, deployment: deployments.find(({ subdomain }) => subdomain === env.SUBDOMAIN)!.id }
  }

  test.each(['deploy-plaza', 'deploy-python'])(
    'a stranger creates a deployment with create-plaza and rolls out a build with %s, from a shell alone',
    async (id) => {
      await engines.push('apps/guide', 'latest', { env: { APP_VERSION: 'first' } })
      const { env, deployment } = await create('apps/guide:latest')
      expect(await served(deployment)).toBe('first')

      await engines.push('apps/guide', 'latest', { env: { APP_VERSION: 'second' } })
      const given = { ...env, DEPLOYMENT_ID: deployment }
      expect(await runSample(plaza, file, id, given)).toMatch(/^succeeded: |^✓ .* runs /)
      await until('the second build', async () => (await served(deployment)) === 'second')
      // Output is collected every few seconds.
      await until('the output of the second build', async () => {
        const seen = await runSample(plaza, file, 'look-curl', given)
        expect(seen).toContain('"status": "running"')
        return seen.includes('listening')
      })
      const metrics = async (): Promise<unknown> => JSON.parse(await runSample(plaza, file, 'metrics-curl', given))
      const unused = { of_mb: 128, of_millicores: 250, requests: 0, failed: 0 }
      await expect.poll(metrics, { interval: 1_000 }).toMatchObject(unused)

      // The service's clock advances, because only ten changes a minute are allowed.
      plaza.clock.advance(61)
      await engines.push('apps/guide', 'latest', { mode: 'exit1' })
      const failed = await startSample(plaza, file, id, given).ended
      expect([failed.code, `${failed.stdout}${failed.stderr}`]).toEqual([1, expect.stringMatching(/failed: /)])
      expect(await served(deployment)).toBe('second')
      await app.api.result(destroyDeployment, { params: { id: deployment } })
    },
  )

  test('a stranger changes image and environment with change-plaza, sees it in releases-curl, goes back with rollback-plaza, and scales with scale-curl', async () => {
    await engines.push('apps/guide', 'one', { env: { APP_VERSION: 'one' } })
    await engines.push('apps/guide', 'two', { env: { APP_VERSION: 'two' } })
    plaza.clock.advance(61)
    const { env, deployment } = await create('apps/guide:one')
    const given = { ...env, DEPLOYMENT_ID: deployment, NEW_IMAGE: image('apps/guide:two') }
    await runSample(plaza, file, 'change-plaza', given)
    expect(await served(deployment)).toBe('two')
    expect(
      (await runSample(plaza, file, 'releases-curl', given))
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ).toEqual([
      `3 current ${image('apps/guide:two')}`,
      `2 replaced ${image('apps/guide:one')}`,
      `1 replaced ${image('apps/guide:one')}`,
    ])
    await runSample(plaza, file, 'rollback-plaza', given)
    expect(await served(deployment)).toBe('one')
    await plaza.db.sql`insert into deploy_tier_replicas select id, 3 from deploy_tiers where slug = 'starter'`
    plaza.clock.advance(61)
    expect(JSON.parse(await runSample(plaza, file, 'scale-curl', given))).toMatchObject({ replicas: 3 })
    await until('three containers', async () => {
      const [row] = await plaza.db.sql<{ ready: number }>`
        select ready_replicas as ready from deployments where id = ${deployment}`
      return row?.ready === 3
    })
  })

  test('the guide to the terminal: first-plaza, env-plaza, logs-plaza and json-plaza, with plaza in an empty project', async () => {
    await engines.push('apps/guide', 'terminal')
    plaza.clock.advance(61)
    const given = { ...credentials, NAME: freshName(), IMAGE: image('apps/guide:terminal'), TOKEN: 'never shown' }
    const first = await runSample(plaza, 'terminal.md', 'first-plaza', given)
    expect(first).toContain(`✓ ${given.NAME} runs ${given.IMAGE} (release 1).`)
    expect(first).toMatch(new RegExp(`^${given.NAME} +running +healthy +1/1`, 'm'))
    const env = await runSample(plaza, 'terminal.md', 'env-plaza', given)
    expect(env).toMatch(/release 2\)\.\nAPI_TOKEN\n✓ .*release 3\)\.\n$/)
    expect(env).not.toContain(given.TOKEN)
    expect(await runSample(plaza, 'terminal.md', 'logs-plaza', given)).toMatch(/listening[^]*✓ .*\(release 4\)\.\n$/)
    expect(await runSample(plaza, 'terminal.md', 'json-plaza', given)).toContain(`${given.NAME} running\n`)
  })

  test('D-157: logs -f follows until Ctrl-C, and Ctrl-C of a deploy ends the waiting, not the deployment', async () => {
    await engines.push('apps/guide', 'before', { env: { APP_VERSION: 'before' } })
    await engines.push('apps/guide', 'after', { env: { APP_VERSION: 'after' } })
    plaza.clock.advance(61)
    const { env, deployment } = await create('apps/guide:before')
    const following = installed.start(['logs', '-f', '--app', env.SUBDOMAIN], env)
    await waitUntil(() => following.stdout().includes('listening'), following.stderr)
    following.child.kill('SIGINT')
    expect((await following.ended).code).toBe(130)
    // Without the registry the deployment cannot end before the signal.
    await engines.registry.stop()
    onTestFinished(() => engines.registry.start().catch(() => {}))
    const deploying = installed.start(['deploy', image('apps/guide:after'), '--app', env.SUBDOMAIN], env)
    await waitUntil(() => deploying.stderr().includes('Deploying'), deploying.stderr)
    deploying.child.kill('SIGINT')
    expect(await deploying.ended).toMatchObject({ stdout: expect.not.stringContaining('runs') as string })
    expect((await deploying.ended).stderr).toContain('The deployment goes on')
    expect((await deploying.ended).code).toBe(130)
    await engines.registry.start()
    await until('the interrupted deployment', async () => (await served(deployment)) === 'after')
  })
})
