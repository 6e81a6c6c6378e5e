import { expect, test } from 'vitest'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { liveOf, startHosting } from '../../../test/engine/hosting.ts'
import { deadline, openEngineFor, waitForInstance, workloadOn } from '../../../test/engine/system-under-test.ts'
import { startVisits } from '../../../test/engine/visits.ts'

describeEngines('a daemon that restarts with live-restore', async () => {
  const engines = await startEngines({ daemon_options: ['--live-restore', '--userland-proxy=false'] })
  const { host } = engines
  const hosting = await startHosting(engines)
  const { plaza, deploy, image } = hosting
  await engines.push('apps/web', 'one', { env: { APP_VERSION: 'one' } })
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })
  const worker = await hosting.startWorker()

  test('stopped by SIGTERM, and killed: no request of a visitor fails, and the container is the same one', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const [container] = await liveOf(host, web.id)
    const stopVisits = await startVisits(plaza, router, web.id)
    for (const end of [host.stop, host.crash]) {
      await end()
      await web.becomes('out of sight', ({ health_status }) => health_status === 'unknown')
      expect(await web.ask()).toMatchObject({ version: 'one' })
      await host.start()
      await web.becomes('seen again', ({ health_status }) => health_status === 'healthy')
    }
    expect(await stopVisits().then(Object.keys)).toEqual(['200'])
    expect(await liveOf(host, web.id)).toMatchObject([{ Id: container?.Id, State: 'running' }])
    expect(await web.failures()).toEqual([])
    // The container is watched again: it is repaired when it ends.
    await host.docker.call('POST', `/containers/${container?.Id}/kill`, { signal: deadline() })
    await expect.poll(() => web.ask(), { interval: 300 }).toMatchObject({ version: 'one' })
    expect(worker.logged()).not.toContain('live-restore')
  })

  test('a port on loopback answers while the daemon is away, because no proxy of the daemon is in between', async () => {
    const sut = { engines, kind: 'docker', spec: () => `local=docker+unix://${host.socket_path}` } as const
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut, { path: 'apps/web:one' })
    expect((await engine.info(deadline())).advice).toEqual([])
    await engine.ensure(workload, deadline())
    const { endpoint } = await waitForInstance(engine, workload, (seen) => seen.endpoint !== null)
    expect(endpoint?.host).toBe('127.0.0.1')
    const ask = () => host.run('busybox', 'wget', '-q', '-O', '-', `http://127.0.0.1:${endpoint?.port}/`)
    await expect.poll(ask).toContain('"version":"one"')
    await host.crash()
    expect(await ask()).toContain('"version":"one"')
    await host.start()
    expect(await ask()).toContain('"version":"one"')
  })
})
