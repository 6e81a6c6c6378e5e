import { expect, test } from 'vitest'
import { getDeployment, getDeploymentOutput } from '../../../../contract/deployments.ts'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { containersOf, liveOf, removeByHand, startHosting, type TestDeployment } from '../../../test/engine/hosting.ts'
import { hostnameOf, startVisits } from '../../../test/engine/visits.ts'
import { requestHost } from '../../../test/router.ts'

describeEngines('replicas (D-105)', async () => {
  const engines = await startEngines({ hosts: 3 })
  const hosting = await startHosting(engines)
  const { plaza, app, deploy, image } = hosting
  const startWorker = ({ timing, ...more }: Parameters<typeof hosting.startWorker>[0] = {}) =>
    hosting.startWorker({ ...more, timing: { start_seconds: 60, ...timing } })
  await engines.push('apps/web', 'one', { env: { APP_VERSION: 'one' } })
  await engines.push('apps/web', 'two', { env: { APP_VERSION: 'two' } })
  await engines.push('apps/web', 'exit1', { mode: 'exit1' })
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })
  await plaza.db.sql`insert into deploy_tier_replicas select id, 5 from deploy_tiers where slug = 'starter'`

  const params = ({ id }: TestDeployment) => ({ id })
  const view = (web: TestDeployment) => {
    plaza.clock.advance(7)
    return app.api.result(getDeployment, { params: params(web) })
  }
  /** Waits until all replicas serve a generation and no other container is left. */
  async function allServe(web: TestDeployment, { replicas, generation }: { replicas: number; generation: number }) {
    await expect
      .poll(() => replicasOf(web), { interval: 200 })
      .toEqual(Array.from({ length: replicas }, () => ({ serving: generation, is_up: true })))
    await expect.poll(() => liveCount(web)).toBe(replicas)
  }
  const replicasOf = (web: TestDeployment) =>
    plaza.db.sql<{ serving: number; is_up: boolean }>`
      select i.serving_generation as serving, i.endpoint_host is not null and d.status = 'running' as is_up
        from deploy_instances i join deployments d on d.id = i.deployment_id where d.id = ${web.id}`
  const liveCount = async (web: TestDeployment) =>
    (await Promise.all(engines.hosts.map((host) => liveOf(host, web.id).catch(() => [])))).flat().length
  /** The versions and containers that answer this many requests through the router. */
  async function answers(web: TestDeployment, requests = 30) {
    const name = await hostnameOf(plaza, web.id)
    const replies = []
    for (let sent = 0; sent < requests; sent++) {
      const { status, body } = await requestHost(router, name, { path: '/env' })
      expect(status).toBe(200)
      replies.push(JSON.parse(body) as { APP_VERSION: string; HOSTNAME: string })
    }
    return {
      versions: [...new Set(replies.map(({ APP_VERSION }) => APP_VERSION))],
      containers: new Set(replies.map(({ HOSTNAME }) => HOSTNAME)).size,
    }
  }

  test('scaled to three on three hosts, changed, broken, rolled back, one host lost: no request is lost', async () => {
    await startWorker({ timing: { host_seconds: 1, replace_lost_seconds: 3 } })
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const stopVisits = await startVisits(plaza, router, web.id)

    await web.change({ replicas: 3 })
    await allServe(web, { replicas: 3, generation: 1 })
    for (const host of engines.hosts) expect(await liveOf(host, web.id)).toHaveLength(1)
    expect(await view(web)).toMatchObject({ replicas: 3, ready_replicas: 3, status: 'running' })
    // Workers collect output once a second.
    const writers = async () => {
      const { lines } = await app.api.result(getDeploymentOutput, { params: params(web), query: {} })
      return [...new Set(lines.map(({ replica }) => replica))].sort()
    }
    await expect.poll(writers).toEqual([1, 2, 3])
    await expect.poll(() => answers(web)).toEqual({ versions: ['one'], containers: 3 })

    await web.change({ image: image('apps/web:two') })
    await allServe(web, { replicas: 3, generation: 2 })
    await expect.poll(() => answers(web)).toEqual({ versions: ['two'], containers: 3 })

    await web.change({ image: image('apps/web:exit1') })
    await web.becomes('failed', ({ failed_generation }) => failed_generation === 3)
    await allServe(web, { replicas: 3, generation: 2 })

    await web.rollBack()
    await allServe(web, { replicas: 3, generation: 4 })
    await expect.poll(() => answers(web)).toEqual({ versions: ['one'], containers: 3 })

    const { host_server } = await web.row()
    const lost = engines.hosts.find(({ name }) => name === host_server)!
    await lost.crash()
    await web.becomes('shown on another', (row) => row.host_server !== host_server && row.status === 'running')
    const onLost = () => plaza.db.sql`
      select number from deploy_instances where deployment_id = ${web.id} and host_server = ${host_server}`
    await expect.poll(onLost).toEqual([])
    await expect.poll(() => replicasOf(web)).toEqual(Array.from({ length: 3 }, () => ({ serving: 4, is_up: true })))
    expect(await view(web)).toMatchObject({ ready_replicas: 3, status: 'running' })
    expect(await stopVisits().then(Object.keys)).toEqual(['200'])

    await lost.start()
    await expect.poll(() => containersOf(lost, web.id)).toEqual([])
    await web.destroy()
    await web.reaches('destroyed')
    expect(await liveCount(web)).toBe(0)
    expect(await plaza.db.sql`select from deploy_instances where deployment_id = ${web.id}`).toEqual([])
  })

  test('a removed replica gets no requests until it is replaced; surplus replicas drain before they end; a stop and a restart affect all', async () => {
    await startWorker()
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    await web.change({ replicas: 3 })
    await allServe(web, { replicas: 3, generation: 1 })
    const stopVisits = await startVisits(plaza, router, web.id)
    for (const host of engines.hosts) {
      const [container] = await liveOf(host, web.id)
      await removeByHand(host, container)
      await allServe(web, { replicas: 3, generation: 1 })
      expect((await web.row()).status).toBe('running')
    }
    await web.change({ replicas: 4 })
    await allServe(web, { replicas: 4, generation: 1 })
    await web.change({ replicas: 2 })
    await allServe(web, { replicas: 2, generation: 1 })
    expect(await stopVisits().then(Object.keys)).toEqual(['200'])
    await web.stop()
    await web.reaches('stopped')
    expect(await liveCount(web)).toBe(0)
    expect(await view(web)).toMatchObject({ replicas: 2, ready_replicas: 0, status: 'stopped' })
    await web.restart()
    await allServe(web, { replicas: 2, generation: 3 })
  })
})
