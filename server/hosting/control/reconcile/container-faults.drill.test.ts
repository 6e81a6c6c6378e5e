import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import {
  containersOf,
  expectOneLive,
  liveOf,
  removeByHand,
  startHosting,
  type TestDeployment,
} from '../../../test/engine/hosting.ts'
import { engineProxy } from '../../../test/engine/proxy.ts'
import { deadline } from '../../../test/engine/system-under-test.ts'
import { openFaultProxy } from '../../../test/fault-proxy.ts'
import { emptyDatabase } from '../../../test/engine/databases.ts'
import { until } from '../../../test/engine/shell.ts'
import { findInstallation } from '../hosts/hosts.store.ts'

const lease_seconds = 1.5

describeEngines('faults around a worker', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { host } = engines
  const { deploy, image, startWorker, workerProcess } = hosting
  const ok = image('apps/web:one')
  await engines.push('apps/web', 'one')

  /** A worker whose engine calls pass through a proxy; the host stays reachable for 15 s whatever the proxy injects. */
  async function proxiedWorker(timing = {}) {
    const proxy = await engineProxy(host.socket_path)
    const worker = await startWorker({
      sockets: { host1: proxy.socket_path },
      timing: { host_seconds: 15, observe_seconds: 1, ...timing },
    })
    return { proxy, worker }
  }

  /** Disconnects a deployment's container from its network, which also removes its published port. */
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

  test('6: a stop and a destroy during a hanging pull complete at once, and nothing is left', async () => {
    const { proxy } = await proxiedWorker()
    await engines.push('apps/big', 'latest', { extra_mb: 2 })
    proxy.inject = (line) => (line.startsWith('POST') && line.includes('/images/create') ? 'hang' : undefined)
    const stopped = await deploy(image('apps/big:latest'))
    const destroyed = await deploy(image('apps/big:latest'))
    await until('two pulls that hang', async () => proxy.injected >= 2)
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

  test('16: a container stopped, paused, removed or cut off from its network by hand is repaired, and the log names the platform as the initiator', async () => {
    await startWorker()
    const web = await deploy(ok)
    const [container] = await web.reaches('running').then(() => containersOf(host, web.id))
    const interventions: [string, () => Promise<unknown>][] = [
      ['stopped', () => host.docker.call('POST', `/containers/${container?.Id}/kill`, { signal: deadline() })],
      ['paused', () => host.docker.call('POST', `/containers/${container?.Id}/pause`, { signal: deadline() })],
      ['removed', () => removeByHand(host, container)],
      ['cut off', () => cutOff(web.id)],
    ]
    for (const [at, [, intervene]] of interventions.entries()) {
      await intervene()
      await until('the log entry of the repair', async () => {
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

  test('H1: an unreachable container is recreated if another app of its host answers; a program that hangs stays', async () => {
    await startWorker({ timing: { health_seconds: 1 } })
    const [web, hung, sound] = [await deploy(ok), await deploy(ok), await deploy(ok)]
    for (const each of [web, hung, sound]) await each.reaches('running')
    const idOf = async ({ id }: TestDeployment) => (await containersOf(host, id))[0]?.Id

    // Its queue is full, so the kernel drops new connections.
    const { State } = await host.docker.call<{ State: { Pid: number } }>(
      'GET',
      `/containers/${await idOf(hung)}/json`,
      { signal: deadline() },
    )
    process.kill(State.Pid, 'SIGSTOP')
    const { endpoint_host, endpoint_port } = await hung.row()
    const sockets = Array.from({ length: 600 }, () =>
      connect({ host: endpoint_host!, port: endpoint_port! }).on('error', () => {}),
    )
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
    await hung.becomes('unhealthy', ({ health_status }) => health_status === 'unhealthy')
    const hung_id = await idOf(hung)

    for (const [table, ...lost] of [
      ['nat', '-j', 'REDIRECT', '--to-ports', '1'],
      ['raw', '-j', 'DROP'],
    ]) {
      const before = await idOf(web)
      const port = String((await web.row()).endpoint_port)
      const rule = (change: '-I' | '-D') =>
        host.run('iptables', '-w', '-t', table!, change, 'PREROUTING', '-p', 'tcp', '--dport', port, ...lost)
      await rule('-I')
      onTestFinished(() => void rule('-D'))
      await until('another container', async () => (await idOf(web)) !== before)
      await web.becomes('healthy', (row) => row.status === 'running' && row.health_status === 'healthy')
      await expectOneLive([host], web)
    }
    const repairs = async (each: TestDeployment) =>
      (await each.logs()).filter(({ action, initiated_by }) => action === 'deploy' && initiated_by === null).length
    expect(await Promise.all([web, hung, sound].map(repairs))).toEqual([3, 1, 1])
    expect(await idOf(hung)).toBe(hung_id)
    expect((await hung.row()).health_status).toBe('unhealthy')
    process.kill(State.Pid, 'SIGCONT')
    await hung.becomes('healthy', ({ health_status }) => health_status === 'healthy')
  })

  test('14: while the database is unavailable nothing is removed or repaired and apps go on; afterwards all is repaired', async () => {
    const database = await openFaultProxy(hosting.plaza)
    const worker = await startWorker({
      connection: { connectionString: database.database_url },
      timing: { orphan_seconds: 0 },
    })
    const [healthy, broken] = [await deploy(ok), await deploy(ok)]
    await Promise.all([healthy.reaches('running'), broken.reaches('running')])
    database.refuseAll()
    await until('the failed drift check', async () => worker.logged().includes('a drift check failed'))
    const [container] = await containersOf(host, broken.id)
    await removeByHand(host, container)
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
    await hosting.startWorker()
    const all = await Promise.all([deploy(ok), deploy(ok)])
    for (const web of all) await web.reaches('running')
    const empty = await emptyDatabase({ installation_id: await findInstallation(hosting.plaza.db) })
    const worker = await hosting.startWorker({ connection: empty, timing: { orphan_seconds: 0, drift_seconds: 0.3 } })
    await until('the refusal', async () => worker.logged().includes('none is removed'))
    await worker.stop()
    const other = await emptyDatabase()
    const foreign = await hosting.startWorker({ connection: other, timing: { orphan_seconds: 0, drift_seconds: 0.3 } })
    await new Promise((next) => setTimeout(next, 2_000))
    expect(foreign.logged()).not.toContain('removed')
    for (const web of all) await expectOneLive([host], web)
  })

  const counts = async (web: TestDeployment) => (await web.logs()).map(({ action, status }) => `${action} ${status}`)

  const stopAndRestart = async (web: TestDeployment) => {
    await web.stop()
    await web.reaches('stopped')
    await web.restart()
  }

  /** A worker process that is killed when it makes this call to the engine. */
  async function killedWorker(is: (first_line: string) => boolean) {
    const proxy = await engineProxy(host.socket_path)
    const { child, exited } = await workerProcess({ sockets: { host1: proxy.socket_path }, timing: { lease_seconds } })
    proxy.inject = (line) => {
      if (is(line)) child.kill('SIGKILL')
      return undefined
    }
    return { exited }
  }

  test('10: a worker killed while it requested the container: the next one adopts it, and each log entry completes once', async () => {
    const killed = await killedWorker((line) => line.includes('/containers/create'))
    const web = await deploy(ok)
    await killed.exited
    await startWorker({ timing: { lease_seconds } })
    await web.reaches('running')
    expect(await containersOf(host, web.id)).toHaveLength(1)
    expect(await counts(web)).toEqual(['create succeeded', 'deploy succeeded'])
    await expectOneLive([host], web)
  })

  test('10: a worker killed after the start and before it saved that: nothing is started twice', async () => {
    let started = false
    const killed = await killedWorker((line) => {
      const asks_again = started && line.includes('/containers/json')
      started ||= line.includes('/start')
      return asks_again
    })
    const web = await deploy(ok)
    await killed.exited
    const [before] = await containersOf(host, web.id)
    await startWorker({ timing: { lease_seconds } })
    await web.reaches('running')
    expect((await containersOf(host, web.id)).map(({ Id }) => Id)).toEqual([before?.Id])
    expect(await counts(web)).toEqual(['create succeeded', 'deploy succeeded'])
  })

  test('12, 19, 23: three workers, two of them killed, one with a wrong clock, and owners who stop and restart meanwhile', async () => {
    const timing = { lease_seconds }
    const worker = [await workerProcess({ timing }), await workerProcess({ timing })]
    await startWorker({ timing, skew_seconds: 3600 })
    // An app's network has a dozen addresses, and earlier tests use some.
    const app = await hosting.anotherApp()
    const first = await app.deploy(ok)
    const second = await app.deploy(ok)
    const third = await app.deploy(ok)
    const others = [await app.deploy(ok), await app.deploy(ok), await app.deploy(ok)]
    worker[0]?.child.kill('SIGKILL')
    await Promise.all([first.stop(), second.destroy(), stopAndRestart(others[0]!)])
    worker[1]?.child.kill('SIGKILL')
    await Promise.all(worker.map(({ exited }) => exited))
    const late = await startWorker({ timing, skew_seconds: -3600 })
    const requests = await Promise.allSettled(
      Array.from({ length: 9 }, (_, at) => (at % 3 === 1 ? third.restart() : third.stop())),
    )
    expect(requests.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(1)
    const [{ desired } = { desired: '' }] = await hosting.plaza.db.sql<{ desired: string }>`
      select desired from deployments where id = ${third.id}`
    await third.reaches(desired)
    await first.reaches('stopped')
    await second.reaches('destroyed')
    for (const web of others) await web.reaches('running')
    await until('idle workers', async () => {
      const left = await hosting.plaza.db.sql`
        select 1 from deployments where status <> 'destroyed' and (lease_owner is not null or next_attempt_at < 'infinity')`
      return left.length === 0
    })
    for (const web of others) await expectOneLive([host], web)
    expect([await liveOf(host, first.id), await containersOf(host, second.id)]).toEqual([[], []])
    expect(await liveOf(host, third.id)).toHaveLength(desired === 'running' ? 1 : 0)
    for (const web of [first, second, third, ...others])
      expect((await counts(web)).filter((entry) => / (pending|failed)$/.test(entry))).toEqual([])
    expect(late.logged()).not.toContain('"level":"error"')
  })
})
