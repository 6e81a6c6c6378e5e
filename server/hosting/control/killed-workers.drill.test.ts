import { expect, test } from 'vitest'
import { describeEngines, startEngines } from '../../test/engine/harness.ts'
import { containersOf, expectOneLive, liveOf, startHosting, type TestDeployment } from '../../test/engine/hosting.ts'
import { engineProxy } from '../../test/engine/proxy.ts'
import { until } from '../../test/engine/shell.ts'

const lease_seconds = 1.5

describeEngines('faults of workers', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { host } = engines
  const { deploy, image, testWorker, workerProcess } = hosting
  const ok = image('apps/web:one')
  await engines.push('apps/web', 'one')

  const counts = async (web: TestDeployment) => (await web.logs()).map(({ action, status }) => `${action} ${status}`)

  const stopAndRestart = async (web: TestDeployment | undefined) => {
    await web?.stop()
    await web?.reaches('stopped', 60)
    await web?.restart()
  }

  /** A worker process that gets a signal when it makes this call to the engine. */
  async function signalledWorker(is: (first_line: string) => boolean, signal: NodeJS.Signals = 'SIGKILL') {
    const proxy = await engineProxy(host.socket_path)
    const { child, exited } = await workerProcess({ sockets: { host1: proxy.socket_path }, timing: { lease_seconds } })
    let signalled = false
    proxy.inject = (line) => {
      if (!signalled && is(line)) {
        signalled = true
        child.kill(signal)
      }
      return undefined
    }
    return { proxy, child, exited, wasSignalled: () => signalled }
  }

  const first_moments: [string, (line: string) => boolean][] = [
    ['it asked the registry', (line) => line.includes('/distribution/')],
    ['it asked for the container to be made', (line) => line.includes('/containers/create')],
    ['it asked for the start', (line) => /POST .*\/containers\/[0-9a-f]+\/start/.test(line)],
  ]
  for (const [moment, is] of first_moments)
    test(`10: a worker killed when ${moment}: the next one adopts the container, and each log entry completes once`, async () => {
      const worker = await signalledWorker(is)
      const web = await deploy(ok)
      await worker.exited
      expect(worker.wasSignalled()).toBe(true)
      await testWorker({ timing: { lease_seconds } })
      await web.reaches('running')
      expect(await containersOf(host, web.id)).toHaveLength(1)
      expect(await counts(web)).toEqual(['create succeeded', 'deploy succeeded'])
      await expectOneLive([host], web)
    })

  test('10: a worker killed after the start, before it saved it: nothing is started twice', async () => {
    let started = false
    const worker = await signalledWorker((line) => {
      const asks_again = started && line.includes('/containers/json')
      started ||= line.includes('/start')
      return asks_again
    })
    const web = await deploy(ok)
    await worker.exited
    const [before] = await containersOf(host, web.id)
    await testWorker({ timing: { lease_seconds } })
    await web.reaches('running')
    expect((await containersOf(host, web.id)).map(({ Id }) => Id)).toEqual([before?.Id])
    expect(await counts(web)).toEqual(['create succeeded', 'deploy succeeded'])
  })

  const late_moments: [string, (line: string) => boolean][] = [
    ['it asked for the stop of the old one', (line) => /POST .*\/containers\/[0-9a-f]+\/stop/.test(line)],
    ['it asked for the removal of the old one', (line) => line.startsWith('DELETE') && line.includes('/containers/')],
  ]
  for (const [moment, is] of late_moments)
    test(`10: a worker killed during a replacement, when ${moment}: the new one serves, the old one is removed`, async () => {
      const worker = await signalledWorker(is)
      const web = await deploy(ok)
      await web.reaches('running')
      await web.restart()
      await web.becomes('second serves', ({ serving_generation }) => serving_generation === 2)
      await worker.exited
      expect(worker.wasSignalled()).toBe(true)
      await testWorker({ timing: { lease_seconds } })
      await expect.poll(() => containersOf(host, web.id)).toHaveLength(1)
      await expectOneLive([host], web)
    })

  test('13: a worker that is paused past its lease changes nothing when it resumes', async () => {
    const worker = await signalledWorker((line) => line.includes('/containers/create'), 'SIGSTOP')
    const web = await deploy(ok)
    await until('the paused worker', 10, async () => worker.wasSignalled())
    await testWorker({ timing: { lease_seconds } })
    await web.reaches('running')
    await web.restart()
    await web.becomes('second serves', ({ serving_generation }) => serving_generation === 2)
    const before = await web.logs()
    worker.child.kill('SIGCONT')
    await new Promise((next) => setTimeout(next, 2_500))
    expect(await web.row()).toMatchObject({ serving_generation: 2, status: 'running', generation: 2 })
    expect(await web.logs()).toEqual(before)
    await expect.poll(() => containersOf(host, web.id)).toHaveLength(1)
    await expectOneLive([host], web)
  })

  test('12, 19, 23: three workers, two of them killed, one with a wrong clock, and owners who stop and restart meanwhile', async () => {
    const timing = { lease_seconds }
    const apps: Awaited<ReturnType<typeof hosting.anotherApp>>[] = []
    const worker = [await workerProcess({ timing }), await workerProcess({ timing })]
    await testWorker({ timing, skew_seconds: 3600 })
    const all: TestDeployment[] = []
    for (let number = 0; number < 12; number++) {
      // The network of one app has a dozen addresses, and earlier tests use some.
      const app = number % 6 === 0 ? await hosting.anotherApp() : apps.at(-1)!
      apps.push(app)
      all.push(await app.deploy(ok))
    }
    worker[0]?.child.kill('SIGKILL')
    const [first, second, third, ...others] = all as [
      TestDeployment,
      TestDeployment,
      TestDeployment,
      ...TestDeployment[],
    ]
    await Promise.all([first.stop(), second.destroy(), stopAndRestart(others[0])])
    worker[1]?.child.kill('SIGKILL')
    await Promise.all(worker.map(({ exited }) => exited))
    const late = await testWorker({ timing, skew_seconds: -3600 })
    const requests = await Promise.allSettled(
      Array.from({ length: 9 }, (_, at) => (at % 3 === 1 ? third.restart() : third.stop())),
    )
    expect(requests.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(1)
    const [{ desired } = { desired: '' }] = await hosting.plaza.db.sql<{ desired: string }>`
      select desired from deployments where id = ${third.id}`
    await third.reaches(desired, 60)
    await first.reaches('stopped', 60)
    await second.reaches('destroyed', 60)
    for (const web of others) await web.reaches('running', 60)
    await until('idle workers', 30, async () => {
      const left = await hosting.plaza.db.sql`
        select 1 from deployments where status <> 'destroyed' and (lease_owner is not null or next_attempt_at < 'infinity')`
      return left.length === 0
    })
    for (const web of others) await expectOneLive([host], web)
    expect([await liveOf(host, first.id), await containersOf(host, second.id)]).toEqual([[], []])
    expect(await liveOf(host, third.id)).toHaveLength(desired === 'running' ? 1 : 0)
    for (const web of all) expect((await counts(web)).filter((entry) => / (pending|failed)$/.test(entry))).toEqual([])
    expect(late.logged()).not.toContain('"level":"error"')
  })

  test('18: without a subnet for another app it reports no_capacity, backs off, and affects no other app', async () => {
    // A range of one subnet, for the first app.
    const worker = await testWorker({ network_range: '10.251.0.0/28', timing: { lease_seconds } })
    await hosting.plaza.db.sql`select 1`
    const fresh = await hosting.anotherApp()
    const fresh_one = await fresh.deploy(ok)
    await fresh_one.reaches('running')
    const starved = await (await hosting.anotherApp()).deploy(ok)
    await starved.becomes('no room', ({ last_error }) => last_error?.startsWith('no_capacity') ?? false)
    await new Promise((next) => setTimeout(next, 4_000))
    const { attempts, status, last_error } = await starved.row()
    expect(attempts).toBeLessThan(5)
    expect([status, last_error]).toEqual(['deploying', expect.stringContaining('network')])
    const unaffected = await fresh.deploy(ok)
    await unaffected.reaches('running')
    await starved.destroy()
    await starved.reaches('destroyed')
    expect(worker.logged()).not.toContain('"level":"error"')
  })
})
