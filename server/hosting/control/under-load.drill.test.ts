import { expect, test } from 'vitest'
import { changeDeployment, rollBackDeployment } from '../../../contract/deployments.ts'
import type { BodyOf } from '../../../contract/endpoint.ts'
import { describeEngines, joinSwarm, startEngines, swarmSpec, type TestHost } from '../../test/engine/harness.ts'
import { startHosting, type TestDeployment } from '../../test/engine/hosting.ts'
import { until } from '../../test/engine/shell.ts'
import { leaveSwarm, nodesOf, setAvailability } from '../../test/engine/swarm-nodes.ts'
import { startVisits } from '../../test/engine/visits.ts'
import { parseEngineSpec } from '../engine/open.ts'
import { no_new_privileges_label } from '../engine/swarm/services.ts'

describeEngines('everything that happens to an app, under load', async () => {
  const engines = await startEngines({
    hosts: 4,
    daemon_options: ['--no-new-privileges', '--label', `${no_new_privileges_label}=true`],
  })
  const managers = engines.hosts.slice(0, 3)
  const hosting = await startHosting(engines, { swarm: await joinSwarm(engines, { managers: 3 }) })
  const { plaza, app, deploy, image } = hosting
  for (const version of ['one', 'two']) await engines.push('apps/web', version, { env: { APP_VERSION: version } })
  await engines.push('apps/web', 'exit1', { mode: 'exit1' })
  await plaza.db.sql`insert into deploy_tier_replicas select id, 3 from deploy_tiers where slug = 'starter'`
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })
  // A Swarm is slow between two starts; the number of restarts does not matter here.
  const timing = { start_seconds: 60, crash_restarts: 3 }

  const change = (web: TestDeployment, body: BodyOf<typeof changeDeployment>) => {
    plaza.clock.advance(7)
    return app.api.result(changeDeployment, { params: { id: web.id }, body })
  }
  const rollBack = (web: TestDeployment) => {
    plaza.clock.advance(7)
    return app.api.result(rollBackDeployment, { params: { id: web.id }, body: {} })
  }
  const replicasOf = (web: TestDeployment) =>
    plaza.db.sql<{ serving: number; host: string | null }>`
      select serving_generation as serving, endpoint_host as host from deployments where id = ${web.id}
      union all
      select serving_generation, endpoint_host from deploy_replicas where deployment_id = ${web.id}`
  const portsOf = (web: TestDeployment) =>
    plaza.db.sql`
      select endpoint_host, endpoint_port from deployments where id = ${web.id}
      union all
      select endpoint_host, endpoint_port from deploy_replicas where deployment_id = ${web.id} order by 1, 2`
  /** Waits until so many replicas serve a generation, none of them on the host that is gone; returns their addresses. */
  const serve = async (web: TestDeployment, generation: number, replicas: number, gone: TestHost[] = []) =>
    until(`${replicas} replicas of generation ${generation}`, 150, async () => {
      const all = await replicasOf(web)
      const isUp = ({ serving, host }: (typeof all)[number]) =>
        serving === generation && host !== null && !gone.some(({ address }) => address === host)
      return all.length === replicas && all.every(isUp) && all.map(({ host }) => host!).sort()
    })
  const addressesOf = (hosts: TestHost[]) => hosts.map(({ address }) => address).sort()

  test('a broken image, a roll back, three replicas, a lost host and a retired manager: no visitor gets a failure', async () => {
    const [first, second, third, fourth] = engines.hosts as [TestHost, TestHost, TestHost, TestHost]
    // The first manager gets an app only when another host is lost.
    await setAvailability(second, first, 'pause')
    const worker = await hosting.startWorker({ timing })
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running', 90)
    let now = 'a change'
    const stopVisits = await startVisits(plaza, router, web.id, { slow: true, during: () => now })

    await change(web, { image: image('apps/web:two') })
    await serve(web, 2, 1)
    now = 'a broken image'
    await change(web, { image: image('apps/web:exit1') })
    expect(await web.becomes('broken', (row) => row.failed_generation === 3, 150)).toMatchObject({
      status: 'running',
      serving_generation: 2,
    })
    now = 'a roll back'
    await rollBack(web)
    await serve(web, 4, 1)
    expect(await web.ask()).toMatchObject({ version: 'one' })

    now = 'more replicas'
    await change(web, { replicas: 3 })
    expect(await serve(web, 4, 3)).toEqual(addressesOf([second, third, fourth]))

    await setAvailability(second, first, 'active')
    now = 'a lost host'
    await fourth.lose()
    const lost_at = performance.now()
    expect(await serve(web, 4, 3, [fourth])).toEqual(addressesOf([first, second, third]))
    process.stdout.write(`a host lost: three replicas again after ${Math.round(performance.now() - lost_at)} ms\n`)

    // The retired one is the first in the settings, the one that leads the Swarm, and the home of a replica.
    await until('a leader', 30, async () => (await nodesOf(second)).some(({ ManagerStatus }) => ManagerStatus?.Leader))
    now = 'a manager that is drained'
    await setAvailability(second, first, 'drain')
    await serve(web, 4, 3, [first, fourth])
    now = 'a manager that leaves'
    const ports = await portsOf(web)
    await leaveSwarm(second, first)
    await first.stop()
    // The new leader has forgotten the ports of what runs; it runs on. A task without a port is replaced after ten seconds.
    await new Promise((next) => setTimeout(next, 15_000))
    expect(await portsOf(web)).toEqual(ports)
    now = 'a change without the retired manager'
    await change(web, { image: image('apps/web:two') })
    await serve(web, 5, 3, [first, fourth])
    // As the guide says: the processes are started again without it.
    await worker.stop()
    await hosting.testWorker({
      timing,
      specs: [parseEngineSpec(swarmSpec(managers.slice(1).map(({ socket_path }) => socket_path)))!],
    })
    now = 'a roll back at the end'
    await rollBack(web)
    await serve(web, 6, 3, [first, fourth])
    expect(await web.ask()).toMatchObject({ version: 'one' })

    const visits = await stopVisits()
    process.stdout.write(`visits by status: ${JSON.stringify(visits)}\n`)
    expect(Object.keys(visits)).toEqual(['200'])
    await web.destroy()
    await web.reaches('destroyed', 90)
    expect(await replicasOf(web)).toEqual([{ serving: null, host: null }])
  }, 900_000)
})
