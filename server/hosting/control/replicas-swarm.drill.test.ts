import { expect, test } from 'vitest'
import { changeDeployment, getDeployment } from '../../../contract/deployments.ts'
import { describeEngines, joinSwarm, startEngines } from '../../test/engine/harness.ts'
import { startHosting } from '../../test/engine/hosting.ts'
import { startVisits } from '../../test/engine/visits.ts'
import { no_new_privileges_label } from '../engine/swarm/services.ts'

describeEngines('replicas on a Swarm (D-105)', async () => {
  const engines = await startEngines({
    hosts: 3,
    daemon_options: ['--no-new-privileges', '--label', `${no_new_privileges_label}=true`],
  })
  const hosting = await startHosting(engines, { swarm: await joinSwarm(engines) })
  const { plaza, app, deploy, image } = hosting
  for (const version of ['one', 'two']) await engines.push('apps/web', version, { env: { APP_VERSION: version } })
  await plaza.db.sql`insert into deploy_tier_replicas select id, 5 from deploy_tiers where slug = 'starter'`
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })

  test('three replicas are on three nodes, and are changed one after the other without a lost request', async () => {
    await hosting.startWorker({ timing: { start_seconds: 60 } })
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running', 90)
    const stopVisits = await startVisits(plaza, router, web.id)
    const change = (body: object) => {
      plaza.clock.advance(7)
      return app.api.result(changeDeployment, { params: { id: web.id }, body })
    }
    const places = () =>
      plaza.db.sql<{ serving: number; host: string | null }>`
        select serving_generation as serving, endpoint_host as host from deployments where id = ${web.id}
        union all
        select serving_generation, endpoint_host from deploy_replicas where deployment_id = ${web.id}`
    const serves = (serving: number) =>
      expect
        .poll(async () => (await places()).sort((a, b) => (a.host ?? '').localeCompare(b.host ?? '')), {
          timeout: 150_000,
          interval: 500,
        })
        .toEqual(
          engines.hosts.map(({ address }) => ({ serving, host: address })).sort((a, b) => a.host.localeCompare(b.host)),
        )
    await change({ replicas: 3 })
    await serves(1)
    const shown = () => app.api.result(getDeployment, { params: { id: web.id } })
    const nodes = engines.hosts.map(({ name }) => `swarm/${name}`)
    await expect
      .poll(async () => (await shown()).host_servers.toSorted(), { timeout: 15_000, interval: 300 })
      .toEqual(nodes)
    const { host_server, host_servers } = await shown()
    expect(host_servers[0]).toBe(host_server)
    await change({ image: image('apps/web:two') })
    await serves(2)
    expect(await stopVisits().then(Object.keys)).toEqual(['200'])
    await web.destroy()
    await web.reaches('destroyed', 90)
  })
})
