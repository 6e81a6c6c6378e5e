import { expect, onTestFinished, test } from 'vitest'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { containersOf, expectOneLive, liveOf, startHosting, type WorkerOptions } from '../../../test/engine/hosting.ts'
import { engineProxy } from '../../../test/engine/proxy.ts'
import { hostnameOf } from '../../../test/engine/visits.ts'
import { requestHost } from '../../../test/router.ts'
import { sleep, waitUntil } from '../../../test/wait.ts'

describeEngines('faults of hosts', async () => {
  const engines = await startEngines({ hosts: 2 })
  const hosting = await startHosting(engines)
  const [one, two] = engines.hosts as [typeof engines.host, typeof engines.host]
  const { deploy, image } = hosting
  const startWorker = ({ timing, ...more }: WorkerOptions = {}) =>
    hosting.startWorker({ ...more, timing: { host_seconds: 0.5, ...timing } })
  const isReachable = async (name: string | null) =>
    (await hosting.plaza.db.sql`select reachable from container_hosts where name = ${name}`)[0]
  const ok = image('apps/web:one')
  await engines.push('apps/web', 'one')

  test('H18: a program that nobody reaches on its host, where no other port is, starts on another host', async () => {
    await startWorker({ timing: { start_seconds: 8 } })
    // Docker puts its rules for a new network before those of FORWARD.
    const rule = ['DOCKER-USER', '-p', 'tcp', '-j', 'REJECT', '--reject-with', 'tcp-reset']
    // With equal loads the first host is chosen.
    await one.run('iptables', '-I', ...rule)
    const web = await deploy(ok)
    await web.becomes('placed', ({ host_server }) => host_server === 'host1')
    expect(await web.reaches('running')).toMatchObject({ host_server: 'host2', generation: 1 })
    expect(await web.failures()).toEqual([])
    await expect.poll(() => containersOf(one, web.id)).toEqual([])
    await expectOneLive([one, two], web)
    await web.destroy()
    await web.reaches('destroyed')

    await two.run('iptables', '-I', ...rule)
    const lost = await deploy(ok)
    expect(await lost.reaches('stopped')).toMatchObject({ host_server: 'host2', health_status: 'start_timeout' })
    expect((await lost.logs()).find(({ status }) => status === 'failed')?.details).toMatchObject({
      cause: 'start_timeout',
      last_trouble: 'ports_unreachable: The ports of its container host cannot be reached.',
    })
    for (const host of [one, two]) await host.run('iptables', '-D', ...rule)
    await lost.destroy()
    await lost.reaches('destroyed')
  })

  test('3: after a stop or crash of the daemon, running deployments run again, and stopped ones stay stopped', async () => {
    await startWorker()
    const [up, down] = [await deploy(ok), await deploy(ok)]
    await Promise.all([up.reaches('running'), down.reaches('running')])
    await down.stop()
    await down.reaches('stopped')
    for (const end of [() => Promise.all([one.stop(), two.stop()]), () => Promise.all([one.crash(), two.crash()])]) {
      await end()
      await up.becomes('unknown', ({ health_status }) => health_status === 'unknown')
      expect((await up.row()).status).toBe('running')
      await Promise.all([one.start(), two.start()])
      await up.becomes('up again', ({ health_status, status }) => status === 'running' && health_status === 'healthy')
      await expectOneLive([one, two], up)
      expect((await Promise.all([one, two].map((host) => liveOf(host, down.id)))).flat()).toEqual([])
      expect((await down.row()).status).toBe('stopped')
    }
  })

  test('2: an engine that never answers: its calls time out, other hosts go on, the API does not wait', async () => {
    const proxy = await engineProxy(one.socket_path)
    await startWorker({ sockets: { host1: proxy.socket_path }, timing: { observe_seconds: 1 } })
    const all = [await deploy(ok), await deploy(ok)]
    for (const web of all) await web.reaches('running')
    const rows = await Promise.all(all.map((web) => web.row()))
    expect(new Set(rows.map(({ host_server }) => host_server)).size).toBe(2)
    proxy.inject = () => 'hang'
    const hung = all[rows.findIndex(({ host_server }) => host_server === 'host1')]
    await hung?.becomes('unknown', ({ health_status }) => health_status === 'unknown')
    expect((await hung?.row())?.status).toBe('running')
    await expect.poll(() => isReachable('host1')).toEqual({ reachable: false })
    // The engine stays silent, so an answer shows that the API does not wait for it.
    await hung?.restart()
    const fresh = await deploy(ok)
    expect(await fresh.reaches('running')).toMatchObject({ host_server: 'host2' })
    expect(proxy.injected).toBeGreaterThan(2)
    proxy.inject = () => undefined
    await hung?.becomes(
      'restarted',
      ({ serving_generation, status }) => serving_generation === 2 && status === 'running',
    )
    await expect.poll(() => containersOf(one, hung?.id ?? '')).toHaveLength(1)
  })

  test('a host removed from the settings: operations complete without it; added again, its stale copies are removed', async () => {
    const first = await startWorker()
    const all = [await deploy(ok), await deploy(ok)]
    for (const web of all) await web.reaches('running')
    const rows = await Promise.all(all.map((web) => web.row()))
    const stranded = all[rows.findIndex(({ host_server }) => host_server === 'host1')]
    await first.stop()
    const second = await startWorker({ hosts: ['host2'], timing: { retired_seconds: 1 } })
    await stranded?.destroy()
    await stranded?.reaches('destroyed')
    expect((await stranded?.logs())?.at(-1)).toMatchObject({
      action: 'destroy',
      status: 'succeeded',
      details: { host_given_up: 'host1' },
    })
    expect(await liveOf(one, stranded?.id ?? '')).toHaveLength(1)
    await second.stop()
    // The clock of the service advances, so that the copy is old however long the test took.
    hosting.plaza.clock.advance(600)
    await startWorker({ timing: { orphan_seconds: 0 } })
    await expect.poll(() => containersOf(one, stranded?.id ?? '')).toEqual([])
    for (const web of all) if (web !== stranded) await expectOneLive([one, two], web)
  })

  test('24: a lost host: unknown, then placed on another; when it returns, its stale copies are removed', async () => {
    await startWorker({ timing: { replace_lost_seconds: 3 } })
    const all = [await deploy(ok), await deploy(ok)]
    for (const web of all) await web.reaches('running')
    const lost = (await Promise.all(all.map(async (web) => ({ web, row: await web.row() })))).find(
      ({ row }) => row.host_server === 'host1',
    )?.web
    expect(lost).toBeDefined()
    await one.crash()
    await lost?.becomes('unknown', ({ health_status, status }) => health_status === 'unknown' && status === 'running')
    const moved = await lost?.becomes(
      'moved',
      ({ host_server, status }) => host_server === 'host2' && status === 'running',
    )
    expect(moved?.endpoint_host).toBe(two.address)
    expect(await lost?.ask()).toMatchObject({ method: 'GET' })
    await one.start()
    await expect.poll(() => containersOf(one, lost?.id ?? '')).toEqual([])
    for (const web of all) await expectOneLive([one, two], web)
  })

  test('a host whose engine answers while its ports do not is a lost host: visitors get 502 within seconds; it is used again once they do; H18: so is one that refuses all connections though its programs listen', async () => {
    await startWorker({ timing: { replace_lost_seconds: 3, health_seconds: 1, silent_seconds: 5 } })
    const router = await hosting.plaza.startAnother({
      ROLES: 'router',
      ROUTER_HOST: '127.0.0.1',
      ROUTER_PORT: '0',
      ROUTER_CONNECT_TIMEOUT: '2',
    })
    const web = await deploy(ok)
    const { host_server } = await web.reaches('running')
    const silent = engines.hosts.find(({ name }) => name === host_server)!
    const hostname = await hostnameOf(hosting.plaza, web.id)
    await waitUntil(async () => (await requestHost(router, hostname)).status === 200)
    const visit = (method: string) => requestHost(router, hostname, { method, path: '/wait?ms=60000' })
    const visits = Promise.all([visit('GET'), visit('POST')])
    await sleep(500)
    await silent.disconnect()
    onTestFinished(() => silent.reconnect())
    const began = performance.now()
    // H17: the deployments have no other replica.
    expect((await visits).map(({ status }) => status)).toEqual([502, 502])
    // Without the check the requests would end with the container's answer after a minute. On a loaded machine the worker notices late.
    expect(performance.now() - began).toBeLessThan(30_000)
    await web.becomes('moved', (row) => row.host_server !== host_server && row.status === 'running')
    expect(await web.ask()).toMatchObject({ method: 'GET' })
    expect(await isReachable(host_server)).toEqual({ reachable: false })
    await silent.reconnect()
    await expect.poll(() => containersOf(silent, web.id)).toEqual([])
    await expect.poll(() => isReachable(host_server)).toEqual({ reachable: true })
    const refusing = engines.hosts.find(({ name }) => name !== host_server)!
    const rule = ['FORWARD', '-p', 'tcp', '-j', 'REJECT', '--reject-with', 'tcp-reset']
    await refusing.run('iptables', '-I', ...rule)
    await web.becomes('moved back', (row) => row.host_server === host_server && row.status === 'running')
    expect(await web.ask()).toMatchObject({ method: 'GET' })
    await refusing.run('iptables', '-D', ...rule)
    await web.destroy()
    await web.reaches('destroyed')
  })
})
