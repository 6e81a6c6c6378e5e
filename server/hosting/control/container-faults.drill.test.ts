import { expect, test } from 'vitest'
import { describeEngines, startEngines } from '../../test/engine/harness.ts'
import { containersOf, expectOneLive, liveOf, startHosting } from '../../test/engine/hosting.ts'
import { engineProxy } from '../../test/engine/proxy.ts'
import { deadline } from '../../test/engine/system-under-test.ts'
import { openFaultProxy } from '../../test/fault-proxy.ts'
import { emptyDatabase } from '../../test/engine/databases.ts'
import { until } from '../../test/engine/shell.ts'
import { findInstallation } from './hosts.store.ts'

describeEngines('faults around a worker', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { host } = engines
  const { deploy, image, testWorker } = hosting
  const ok = image('apps/web:one')
  await engines.push('apps/web', 'one')
  await engines.push('apps/web', 'flap', { mode: 'flap' })
  await engines.push('apps/web', 'stubborn', { mode: 'sigterm-ignore' })

  /** A worker whose engine calls pass through a proxy; the host stays reachable for 15 s whatever the proxy injects. */
  async function proxiedWorker(timing = {}) {
    const proxy = await engineProxy(host.socket_path)
    const worker = await testWorker({
      sockets: { host1: proxy.socket_path },
      timing: { host_seconds: 15, observe_seconds: 1, ...timing },
    })
    return { proxy, worker }
  }

  /** Takes the network of a deployment's container away, and its published port with it. */
  async function cutOff(id: string) {
    const [container] = await containersOf(host, id)
    const { NetworkSettings } = await host.docker.call<{ NetworkSettings: { Networks: Record<string, unknown> } }>(
      'GET',
      `/containers/${container!.Id}/json`,
      { signal: deadline() },
    )
    for (const network of Object.keys(NetworkSettings.Networks))
      await host.docker.call('POST', `/networks/${network}/disconnect`, {
        signal: deadline(),
        body: { Container: container!.Id, Force: true },
      })
  }

  test('1: an engine that is down at create: pending and unknown, then running, without a failure', async () => {
    const { proxy } = await proxiedWorker()
    proxy.inject = () => 'refuse'
    const web = await deploy(ok)
    expect(await web.becomes('unknown', ({ health_status }) => health_status === 'unknown')).toMatchObject({
      status: 'pending',
      last_error: expect.stringMatching(/^unreachable: /) as string,
    })
    expect(proxy.injected).toBeGreaterThan(0)
    proxy.inject = () => undefined
    await web.reaches('running')
    expect(await web.failures()).toEqual([])
    await expectOneLive([host], web)
  })

  test('4: a registry that is down is retried with back-off, and succeeds when it is up', async () => {
    await testWorker()
    await engines.registry.stop()
    const web = await deploy(ok)
    await web.becomes('tried twice', ({ attempts }) => attempts >= 2)
    expect(await web.row()).toMatchObject({
      status: 'deploying',
      last_error: expect.stringMatching(/^registry_unreachable: /) as string,
    })
    await engines.registry.start()
    await web.reaches('running')
    expect(await web.failures()).toEqual([])
  })

  test('5: a pull that is interrupted, sends no JSON, or reports an error in its stream is retried', async () => {
    const { proxy } = await proxiedWorker()
    const stream = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n'
    const faults = [
      {
        answer: `${stream}{"status":"Pulling"}\r\n{"error":"unexpected EOF","errorDetail":{"message":"unexpected EOF"}}\r\n`,
      },
      { answer: `${stream}<html>this is no JSON</html>\n` },
      'refuse' as const,
    ]
    await engines.push('apps/pulled', 'latest', { extra_mb: 1 })
    proxy.inject = (line) => (line.startsWith('POST') && line.includes('/images/create') ? faults.shift() : undefined)
    const web = await deploy(image('apps/pulled:latest'))
    await web.reaches('running')
    expect([faults.length, proxy.injected]).toEqual([0, 3])
    expect(await web.failures()).toEqual([])
  })

  test('6: a stop and a destroy during a hanging pull complete at once, and nothing is left', async () => {
    const { proxy } = await proxiedWorker()
    await engines.push('apps/big', 'latest', { extra_mb: 2 })
    proxy.inject = (line) => (line.startsWith('POST') && line.includes('/images/create') ? 'hang' : undefined)
    const stopped = await deploy(image('apps/big:latest'))
    const destroyed = await deploy(image('apps/big:latest'))
    await until('two pulls that hang', 10, async () => proxy.injected >= 2)
    await Promise.all([stopped.stop(), destroyed.destroy()])
    expect((await stopped.row()).status).toBe('stopped')
    expect((await destroyed.row()).status).toBe('destroyed')
    expect([await containersOf(host, stopped.id), await containersOf(host, destroyed.id)]).toEqual([[], []])
    expect((await stopped.logs()).map(({ action, status }) => `${action} ${status}`)).toEqual([
      'create superseded',
      'deploy superseded',
      'stop succeeded',
    ])
  })

  test('8: a program that repeatedly ends some time after its start is a crash loop', async () => {
    await testWorker({ timing: { start_seconds: 60 } })
    const web = await deploy(image('apps/web:flap'), { env_vars: { FLAP_SECONDS: '0.5' } })
    expect(await web.reaches('stopped')).toMatchObject({ health_status: 'crash_loop' })
    expect(await containersOf(host, web.id)).toHaveLength(1)
  })

  test('11: the answer to a create is lost: the container is adopted, not duplicated', async () => {
    const { proxy } = await proxiedWorker()
    proxy.inject = (line) => (line.includes('/containers/create') && proxy.injected === 0 ? 'lose_answer' : undefined)
    const web = await deploy(ok)
    await web.reaches('running')
    expect(proxy.injected).toBe(1)
    expect(await containersOf(host, web.id)).toHaveLength(1)
    expect(await web.failures()).toEqual([])
    await expectOneLive([host], web)
  })

  test('16: a container stopped, paused, removed or cut off from its network by hand is repaired, and the log names the platform as the initiator', async () => {
    await testWorker()
    const web = await deploy(ok)
    const [container] = await web.reaches('running').then(() => containersOf(host, web.id))
    const interventions: [string, () => Promise<unknown>][] = [
      ['stopped', () => host.docker.call('POST', `/containers/${container?.Id}/kill`, { signal: deadline() })],
      ['paused', () => host.docker.call('POST', `/containers/${container?.Id}/pause`, { signal: deadline() })],
      [
        'removed',
        () =>
          host.docker.call('DELETE', `/containers/${container?.Id}`, { signal: deadline(), query: { force: 'true' } }),
      ],
      ['cut off', () => cutOff(web.id)],
    ]
    for (const [at, [, intervene]] of interventions.entries()) {
      await intervene()
      await until('the log entry of the repair', 15, async () => {
        const entries = (await web.logs()).filter(({ action, status }) => action === 'deploy' && status === 'succeeded')
        return entries.length === at + 2
      })
      await expectOneLive([host], web)
    }
    expect((await web.logs()).map(({ action, initiated_by }) => [action, initiated_by === null])).toEqual([
      ['create', false],
      ['deploy', true],
      ['deploy', true],
      ['deploy', true],
      ['deploy', true],
      ['deploy', true],
    ])
  })

  test('16: a stopped deployment whose container is started by hand is stopped again', async () => {
    await testWorker()
    const web = await deploy(ok)
    await web.reaches('running')
    await web.stop()
    await web.reaches('stopped')
    const [container] = await containersOf(host, web.id)
    await host.docker.call('POST', `/containers/${container?.Id}/start`, { signal: deadline() })
    expect(await liveOf(host, web.id)).toHaveLength(1)
    await expect.poll(() => liveOf(host, web.id)).toEqual([])
    expect(await containersOf(host, web.id)).toHaveLength(1)
  })

  test('17: labels of an image or of a foreign container are ignored: they cause neither adoption nor removal', async () => {
    await testWorker({ timing: { orphan_seconds: 0 } })
    const evil = {
      'plaza.installation': '00000000-0000-4000-8000-000000000000',
      'plaza.deployment': '00000000-0000-4000-8000-000000000001',
      'plaza.generation': '9',
      'traefik.enable': 'true',
    }
    await engines.push('apps/evil', 'latest', { labels: evil })
    const web = await deploy(image('apps/evil:latest'))
    await web.reaches('running')
    const [own] = await containersOf(host, web.id)
    const { Config } = await host.docker.call<{ Config: { Labels: Record<string, string>; Image: string } }>(
      'GET',
      `/containers/${own?.Id}/json`,
      { signal: deadline() },
    )
    expect(Config.Labels).toMatchObject({ 'plaza.deployment': web.id, 'plaza.generation': '1' })
    const foreign = await host.docker.call<{ Id: string }>('POST', '/containers/create', {
      signal: deadline(),
      query: { name: 'foreign' },
      body: { Image: Config.Image, Labels: { ...Config.Labels, 'plaza.deployment': evil['plaza.deployment'] } },
    })
    await new Promise((next) => setTimeout(next, 3_000))
    const names = await host.docker.call<{ Id: string }[]>('GET', '/containers/json', {
      signal: deadline(),
      query: { all: 'true' },
    })
    expect(names.map(({ Id }) => Id)).toContain(foreign.Id)
    await host.docker.call('DELETE', `/containers/${foreign.Id}`, { signal: deadline(), query: { force: 'true' } })
  })

  test('14: while the database is unavailable nothing is removed or repaired and apps go on; afterwards all is repaired', async () => {
    const database = await openFaultProxy(hosting.plaza)
    const worker = await testWorker({
      connection: { connectionString: database.database_url },
      timing: { orphan_seconds: 0 },
    })
    const [healthy, broken] = [await deploy(ok), await deploy(ok)]
    await Promise.all([healthy.reaches('running'), broken.reaches('running')])
    database.refuseAll()
    await until('the failed drift check', 10, async () => worker.logged().includes('a drift check failed'))
    const [container] = await containersOf(host, broken.id)
    await host.docker.call('DELETE', `/containers/${container?.Id}`, { signal: deadline(), query: { force: 'true' } })
    await new Promise((next) => setTimeout(next, 2_000))
    expect(await healthy.ask()).toMatchObject({ method: 'GET' })
    expect(await containersOf(host, broken.id)).toEqual([])
    database.acceptNew()
    await broken.becomes('repaired', ({ status }) => status === 'running')
    await expect.poll(() => liveOf(host, broken.id)).toHaveLength(1)
    await broken.reaches('running')
    await expectOneLive([host], healthy)
    await expectOneLive([host], broken)
  })

  test('15: with an empty database of the same installation id nothing is removed; with another id nothing is observed', async () => {
    await hosting.testWorker()
    const all = await Promise.all(Array.from({ length: 4 }, () => deploy(ok)))
    for (const web of all) await web.reaches('running')
    const empty = await emptyDatabase({ installation_id: await findInstallation(hosting.plaza.db) })
    const worker = await hosting.testWorker({ connection: empty, timing: { orphan_seconds: 0, drift_seconds: 0.3 } })
    await until('the refusal', 10, async () => worker.logged().includes('none is removed'))
    await worker.stop()
    const other = await emptyDatabase()
    const foreign = await hosting.testWorker({ connection: other, timing: { orphan_seconds: 0, drift_seconds: 0.3 } })
    await new Promise((next) => setTimeout(next, 2_000))
    expect(foreign.logged()).not.toContain('removed')
    for (const web of all) await expectOneLive([host], web)
  })

  test('an orphan is removed once it is old and was observed twice', async () => {
    // More than the difference between the test clock and the real time.
    await testWorker({ timing: { orphan_seconds: 1_800 } })
    const web = await deploy(ok)
    await web.reaches('running')
    await hosting.plaza.db.sql`delete from deployments where id = ${web.id}`
    await new Promise((next) => setTimeout(next, 1_000))
    expect(await containersOf(host, web.id)).toHaveLength(1)
    hosting.plaza.clock.advance(3_600)
    await expect.poll(() => containersOf(host, web.id)).toEqual([])
  })
})
