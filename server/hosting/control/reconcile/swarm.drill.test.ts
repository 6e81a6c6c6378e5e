import { expect, test } from 'vitest'
import { getDeployment, searchDeploymentOutput } from '../../../../contract/deployments.ts'
import { describeEngines, joinSwarm, startEngines, swarmSpec, type TestHost } from '../../../test/engine/harness.ts'
import { startHosting, type TestDeployment } from '../../../test/engine/hosting.ts'
import { until } from '../../../test/engine/shell.ts'
import { leaveSwarm, nodesOf, setAvailability } from '../../../test/engine/swarm-nodes.ts'
import { startVisits } from '../../../test/engine/visits.ts'
import { sleep, waitUntil } from '../../../test/wait.ts'
import { parseEngineSpec } from '../../engine/open.ts'
import { no_new_privileges_label } from '../../engine/swarm/services.ts'

describeEngines('the worker on a Swarm', async () => {
  const engines = await startEngines({
    hosts: 4,
    daemon_options: ['--no-new-privileges', '--label', `${no_new_privileges_label}=true`],
  })
  const managers = engines.hosts.slice(0, 3)
  const hosting = await startHosting(engines, { swarm: await joinSwarm(engines, { managers: 3 }) })
  const { plaza, app, deploy, image, startWorker, workerProcess } = hosting
  for (const version of ['one', 'two']) await engines.push('apps/web', version, { env: { APP_VERSION: version } })
  await engines.push('apps/web', 'exit1', { mode: 'exit1' })
  await plaza.db.sql`insert into deploy_tier_replicas select id, 3 from deploy_tiers where slug = 'starter'`
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })
  // A Swarm is slow between two starts.
  const timing = { start_seconds: 60, crash_restarts: 3 }
  const short_lease = { ...timing, lease_seconds: 1.5, output_seconds: 0.5 }

  const replicasOf = (web: TestDeployment) =>
    plaza.db.sql<{ serving: number; host: string | null }>`
      select serving_generation as serving, endpoint_host as host from deploy_instances where deployment_id = ${web.id}`
  const portsOf = (web: TestDeployment) =>
    plaza.db.sql`
      select endpoint_host, endpoint_port from deploy_instances where deployment_id = ${web.id} order by 1, 2`
  /** Waits until this number of replicas serve a generation, none of them on a lost host; returns their addresses. */
  const serve = async (web: TestDeployment, generation: number, replicas: number, gone: TestHost[] = []) =>
    until(`${replicas} replicas of generation ${generation}`, async () => {
      const all = await replicasOf(web)
      const isUp = ({ serving, host }: (typeof all)[number]) =>
        serving === generation && host !== null && !gone.some(({ address }) => address === host)
      return all.length === replicas && all.every(isUp) && all.map(({ host }) => host!).sort()
    })
  /** The hosts that the API shows, including the nodes. */
  const shownHosts = async (web: TestDeployment) => {
    const { host_server, host_servers } = await app.api.result(getDeployment, { params: { id: web.id } })
    expect(host_servers[0]).toBe(host_server)
    return host_servers.toSorted()
  }
  const addressesOf = (hosts: TestHost[]) => hosts.map(({ address }) => address).sort()

  test('D-64: output is kept once, over nodes, a killed worker, a program that ends, a restart and a stop; then it is started and destroyed; beside it, two workers count a crash loop', async () => {
    const first = await workerProcess({ timing: short_lease })
    const [web, other] = [await deploy(image('apps/web:one')), await deploy(image('apps/web:one'))]
    await Promise.all([web.reaches('running'), other.reaches('running')])
    const kept = async ({ id }: { id: string }) => {
      plaza.clock.advance(3)
      const page = await app.api.result(searchDeploymentOutput, { params: { id }, query: { limit: 1000 } })
      return page.data.reverse()
    }
    const textsOf = async (each: { id: string }) => (await kept(each)).map(({ text }) => text)
    const collects = (each: { id: string }, text: string) =>
      waitUntil(async () => (await textsOf(each)).includes(text), `"${text}"`, { interval_ms: 300 })
    const numbered = (tag: string, count: number) => Array.from({ length: count }, (_, at) => `${tag} ${at + 1}`)
    const taggedOf = async (each: { id: string }, tag: string) =>
      (await textsOf(each)).filter((text) => text.startsWith(`${tag} `)).sort()
    for (const each of [web, other]) await each.ask('/print?tag=a&count=200&every_ms=10&both')
    await sleep(1_000)
    first.child.kill('SIGKILL')
    await first.exited
    for (let workers = 0; workers < 2; workers++) await startWorker({ timing: short_lease })
    const broken = await deploy(image('apps/web:exit1'))
    for (const each of [web, other]) {
      await collects(each, 'a 200')
      expect(await taggedOf(each, 'a')).toEqual(numbered('a', 200).sort())
    }
    // The Swarm replaces the task.
    await web.ask('/exit?code=3')
    await waitUntil(
      async () => (await textsOf(web)).filter((text) => text === 'listening').length === 2,
      'a second task',
      { interval_ms: 300 },
    )
    await web.reaches('running')
    await waitUntil(async () => (await web.ask('/print?tag=b&count=50')) === 'begun', 'an answer', { interval_ms: 300 })
    await collects(web, 'b 50')
    await web.restart()
    await web.becomes('generation 2 serves', ({ serving_generation }) => serving_generation === 2)
    await web.ask('/print?tag=c&count=50')
    await collects(web, 'c 50')
    await web.stop()
    await web.reaches('stopped')
    await sleep(2_000)
    const lines = await kept(web)
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
    for (const [tag, count] of Object.entries({ a: 200, b: 50, c: 50 }))
      expect(await taggedOf(web, tag)).toEqual(numbered(tag, count).sort())
    expect(lines.filter(({ note }) => note !== null)).toEqual([])
    await web.restart()
    await web.reaches('running')
    expect(await web.ask()).toMatchObject({ version: 'one' })
    expect(await broken.reaches('stopped')).toMatchObject({ health_status: 'crash_loop' })
    await broken.destroy()
    for (const each of [web, other]) {
      expect(await each.row()).toMatchObject({ status: 'running', failed_generation: null })
      await each.destroy()
      await each.reaches('destroyed')
      expect(await each.failures()).toEqual([])
    }
  })

  test('24: a broken image, a roll back, three replicas, a lost host and a retired manager: no visitor gets a failure', async () => {
    const [first, second, third, fourth] = engines.hosts as [TestHost, TestHost, TestHost, TestHost]
    // The first manager gets an app only when another host is lost.
    await setAvailability(second, first, 'pause')
    const worker = await hosting.startWorker({ timing })
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    let now = 'a change'
    const stopVisits = await startVisits(plaza, router, web.id, { slow: true, during: () => now })

    await web.change({ image: image('apps/web:two') })
    await serve(web, 2, 1)
    now = 'a broken image'
    await web.change({ image: image('apps/web:exit1') })
    expect(await web.becomes('broken', (row) => row.failed_generation === 3)).toMatchObject({
      status: 'running',
      serving_generation: 2,
    })
    now = 'a roll back'
    await web.rollBack()
    await serve(web, 4, 1)
    expect(await web.ask()).toMatchObject({ version: 'one' })

    now = 'more replicas'
    await web.change({ replicas: 3 })
    expect(await serve(web, 4, 3)).toEqual(addressesOf([second, third, fourth]))

    await setAvailability(second, first, 'active')
    now = 'a lost host'
    await fourth.lose()
    const lost_at = performance.now()
    expect(await serve(web, 4, 3, [fourth])).toEqual(addressesOf([first, second, third]))
    await expect
      .poll(() => shownHosts(web), { interval: 300 })
      .toEqual([first, second, third].map(({ name }) => `swarm/${name}`))
    // H19
    await web.becomes('healthy', ({ health_status }) => health_status === 'healthy')
    process.stdout.write(`a host lost: three replicas again after ${Math.round(performance.now() - lost_at)} ms\n`)

    // The retired manager is the first in the settings, leads the Swarm and runs a replica.
    await until('a leader', async () => (await nodesOf(second)).some(({ ManagerStatus }) => ManagerStatus?.Leader))
    now = 'a manager that is drained'
    await setAvailability(second, first, 'drain')
    await serve(web, 4, 3, [first, fourth])
    now = 'a manager that leaves'
    const ports = await portsOf(web)
    await leaveSwarm(second, first)
    await first.stop()
    // The new leader has lost the ports of running tasks. A task without a port would be replaced within ten seconds.
    await new Promise((next) => setTimeout(next, 15_000))
    expect(await portsOf(web)).toEqual(ports)
    now = 'a change without the retired manager'
    await web.change({ image: image('apps/web:two') })
    await serve(web, 5, 3, [first, fourth])
    // The processes are restarted without the manager, as the guide describes.
    await worker.stop()
    await hosting.startWorker({
      timing,
      specs: [parseEngineSpec(swarmSpec(managers.slice(1).map(({ socket_path }) => socket_path)))!],
    })
    now = 'a roll back at the end'
    await web.rollBack()
    await serve(web, 6, 3, [first, fourth])
    expect(await web.ask()).toMatchObject({ version: 'one' })

    const visits = await stopVisits()
    process.stdout.write(`visits by status: ${JSON.stringify(visits)}\n`)
    expect(Object.keys(visits)).toEqual(['200'])
    await web.destroy()
    await web.reaches('destroyed')
    expect(await replicasOf(web)).toEqual([])
  }, 900_000)
})
