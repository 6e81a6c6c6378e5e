import { test } from 'vitest'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { until } from '../../../test/engine/shell.ts'
import { containersOf, expectOneLive, liveOf, startHosting } from '../../../test/engine/hosting.ts'

// The tests run concurrently because they mostly wait. Each uses its own app, because an app's network has a dozen addresses.
describeEngines('the worker on a Docker host', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { host } = engines
  const { image } = hosting
  await engines.push('apps/web', 'one', { env: { APP_VERSION: 'one' } })
  for (const mode of ['exit0', 'exit1', 'nolisten', 'slow', 'oom'] as const)
    await engines.push('apps/web', mode, { mode })
  await engines.push('shared/web', 'one')
  const worker = await hosting.startWorker({ timing: { start_seconds: 45, host_seconds: 5 } })

  test.concurrent('D-56, D-57: create leads to a running container that answers; stop, restart and destroy', async ({
    expect,
  }) => {
    const { deploy } = await hosting.anotherApp()
    const web = await deploy(image('apps/web:one'), { env_vars: { COLOUR: 'green of the canary' } })
    const running = await web.reaches('running')
    expect(running).toMatchObject({ health_status: 'healthy', serving_generation: 1, host_server: 'host1' })
    expect(await web.ask('/env')).toMatchObject({ COLOUR: 'green of the canary', PORT: '3000', APP_VERSION: 'one' })
    await expectOneLive([host], web)

    await web.stop()
    expect(await web.row()).toMatchObject({ status: 'stopped', endpoint_port: null, health_status: null })
    expect(await liveOf(host, web.id)).toEqual([])
    expect(await containersOf(host, web.id)).toHaveLength(1)

    await web.restart()
    expect(await web.reaches('running')).toMatchObject({ serving_generation: 3 })
    await expectOneLive([host], web)

    await web.destroy()
    await web.reaches('destroyed')
    expect(await containersOf(host, web.id)).toEqual([])
    const logs = await web.logs()
    expect(logs.map(({ action, status }) => `${action} ${status}`)).toEqual([
      'create succeeded',
      'deploy succeeded',
      'stop succeeded',
      'restart succeeded',
      'deploy succeeded',
      'destroy succeeded',
    ])
    expect(JSON.stringify(logs)).not.toContain('canary')
    expect(worker.logged()).not.toContain('canary')
  })

  test.concurrent('D-57: a restart resolves the tag again, switches when the new container answers, and removes the old one', async ({
    expect,
  }) => {
    const { deploy } = await hosting.anotherApp()
    const first = await engines.push('apps/moving', 'latest', { env: { APP_VERSION: 'first' } })
    const web = await deploy(image('apps/moving:latest'))
    await web.reaches('running')
    const second = await engines.push('apps/moving', 'latest', { env: { APP_VERSION: 'second' } })
    await web.restart()
    const row = await web.becomes('second generation', ({ serving_generation }) => serving_generation === 2)
    expect(row.image_digest).toContain(second)
    expect(await web.ask()).toMatchObject({ version: 'second' })
    const [settled] = (await web.logs()).filter(({ action }) => action === 'restart')
    expect(settled).toMatchObject({ status: 'succeeded', details: { from_digest: first, to_digest: second } })
    await web.becomes('old one removed', ({ lease_owner }) => lease_owner === null)
    await expect.poll(() => containersOf(host, web.id)).toHaveLength(1)
    await expectOneLive([host], web)
  })

  test.concurrent('a replacement that does not start leaves the old one serving; the log has the cause', async ({
    expect,
  }) => {
    const { deploy } = await hosting.anotherApp()
    await engines.push('apps/breaking', 'latest', { env: { APP_VERSION: 'good' } })
    const web = await deploy(image('apps/breaking:latest'), { env_vars: { SECRET: 'exit1 begins' } })
    await web.reaches('running')
    const broken = await engines.push('apps/breaking', 'latest', { mode: 'exit1' })
    await web.restart()
    const row = await web.becomes(
      'failed, and healthy',
      ({ failed_generation, status, health_status }) =>
        failed_generation === 2 && status === 'running' && health_status === 'healthy',
    )
    expect(row.serving_generation).toBe(1)
    expect(row.last_error).toMatch(/^crash_loop: /)
    expect(await web.ask()).toMatchObject({ version: 'good' })
    await expect.poll(() => containersOf(host, web.id)).toHaveLength(1)
    const entries = (await web.logs()).slice(-2)
    expect(entries.map(({ action, status }) => `${action} ${status}`)).toEqual(['restart failed', 'deploy failed'])
    for (const { details } of entries) {
      expect(details).toMatchObject({
        cause: 'crash_loop',
        exit_code: 1,
        digest: broken,
        limits: { memory_limit_mb: 128, cpu_limit_millicores: 250 },
      })
      // Environment values that the program prints are masked.
      expect(details.tail).toContain('…')
      expect(details.tail).toContain('exit1 complains')
    }
    await expectOneLive([host], web)
  })

  test.concurrent('a program that repeatedly ends, also with 0, is stopped: crash_loop, container and output are kept', async ({
    expect,
  }) => {
    const { deploy } = await hosting.anotherApp()
    const crashes = ['exit0', 'exit1'].map(async (mode) => {
      const web = await deploy(image(`apps/web:${mode}`))
      expect(await web.reaches('stopped')).toMatchObject({ health_status: 'crash_loop', failed_generation: 1 })
      expect((await containersOf(host, web.id)).map(({ State }) => State)).toEqual(['exited'])
      const logs = await web.logs()
      expect(logs.map(({ action, status }) => `${action} ${status}`)).toEqual(['create failed', 'deploy failed'])
      expect(logs[0]?.details.tail).toContain(`${mode} begins`)
    })
    await Promise.all(crashes)
  })

  test.concurrent('a program over its memory limit is killed: oom_killed', async ({ expect }) => {
    const { deploy } = await hosting.anotherApp()
    const web = await deploy(image('apps/web:oom'))
    expect(await web.reaches('stopped')).toMatchObject({ health_status: 'oom_killed' })
    expect((await web.logs())[0]).toMatchObject({ status: 'failed', details: { exit_code: 137 } })
  })

  test.concurrent('a program may listen late; one that never listens is a start_timeout', async ({ expect }) => {
    const { deploy } = await hosting.anotherApp()
    const slow = await deploy(image('apps/web:slow'), { env_vars: { SLOW_SECONDS: '3' } })
    const never = await deploy(image('apps/web:nolisten'))
    await slow.reaches('running')
    await expectOneLive([host], slow)
    expect(await never.reaches('stopped')).toMatchObject({ health_status: 'start_timeout' })
    expect(await liveOf(host, never.id)).toEqual([])
  })

  test.concurrent('a missing image, and one that the registry refuses, fail at once', async ({ expect }) => {
    const { deploy } = await hosting.anotherApp()
    const missing = await deploy(image('apps/web:nowhere'))
    expect(await missing.reaches('stopped')).toMatchObject({
      health_status: 'image_not_found',
      last_error: expect.stringContaining(`From ${engines.registry.host}: `) as string,
    })
    const refused = await hosting.deploy(`${engines.private_registry.host}/${hosting.app.client_id}/web:one`)
    expect(await refused.reaches('stopped')).toMatchObject({
      health_status: 'registry_auth_failed',
      last_error: expect.stringContaining(`From ${engines.private_registry.host}: `) as string,
    })
    const allowed = await deploy(`${engines.private_registry.host}/shared/web:one`)
    await allowed.reaches('running')
    expect(worker.logged()).not.toContain('pull-only')
  })

  test.concurrent('H20: restarts of a serving program are counted; too many stop it; it is retried automatically, or immediately by a restart', async ({
    expect,
  }) => {
    const { deploy } = await hosting.anotherApp()
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    await until('the stop', async () => {
      await web.ask('/exit?code=3')
      return (await web.row()).status === 'stopped'
    })
    expect(await web.reaches('stopped')).toMatchObject({ health_status: 'crash_loop' })
    const last = (await web.logs()).at(-1)
    expect(last).toMatchObject({ action: 'stop', status: 'succeeded', initiated_by: null, details: { exit_code: 3 } })
    // The first retry comes after ten seconds, the next one after twenty.
    await web.reaches('running')
    expect(await web.row()).toMatchObject({ generation: 1, failed_generation: null, health_status: 'healthy' })
    await until('the second stop', async () => {
      await web.ask('/exit?code=3')
      return (await web.row()).status === 'stopped'
    })
    await web.restart()
    expect(await web.reaches('running')).toMatchObject({ generation: 2 })
    await expectOneLive([host], web)
  })
})
