import { expect, test } from 'vitest'
import { reactivateDeployment, suspendDeployment } from '../../../../contract/admin-deployments.ts'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { resealEverything } from '../../../keys.ts'
import { containersOf, expectOneLive, liveOf, startHosting } from '../../../test/engine/hosting.ts'
import { engineProxy } from '../../../test/engine/proxy.ts'
import { deadline } from '../../../test/engine/system-under-test.ts'
import { until } from '../../../test/engine/shell.ts'
import { theAdmin } from '../../../test/world.ts'

describeEngines('suspensions, keys, images, networks and drift checks', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { host } = engines
  const { plaza, deploy, image, startWorker } = hosting
  await engines.push('apps/web', 'one')

  test('a suspended deployment is stopped, even by a worker without the key of its environment, and runs again when it is reactivated and the key is known', async () => {
    const first_worker = await startWorker()
    const admin = await theAdmin(plaza)
    const web = await deploy(image('apps/web:one'), { env_vars: { A: 'b' } })
    await web.reaches('running')
    await first_worker.stop()
    const another_secret = 'another secret that is long enough for the rule'
    const older = 'a-secret-of-the-tests-long-enough-for-the-rule'
    const second_worker = await startWorker({ secret: another_secret })
    await admin.api.result(suspendDeployment, { params: { id: web.id }, body: { reason: 'a complaint' } })
    expect(await web.reaches('stopped')).toMatchObject({ health_status: null, endpoint_port: null })
    expect(await liveOf(host, web.id)).toEqual([])
    await admin.api.result(reactivateDeployment, { params: { id: web.id }, body: {} })
    const named = await web.becomes('the error', ({ last_error, attempts }) => last_error !== null && attempts >= 2)
    expect(named.last_error).toMatch(/^environment_unreadable: /)
    // Resealed under that worker's key (`npm run admin -- reseal`), it runs without the older key.
    expect(await resealEverything(plaza.db, [another_secret, older], () => {})).toBe(true)
    await web.reaches('running')
    expect(await web.ask('/env')).toMatchObject({ A: 'b' })
    await expectOneLive([host], web)
    expect((await web.logs()).map(({ action, status }) => `${action} ${status}`)).toEqual([
      'create succeeded',
      'deploy succeeded',
      'suspend succeeded',
      'reactivate succeeded',
      'deploy succeeded',
    ])
    await second_worker.stop()
    expect(await resealEverything(plaza.db, [older, another_secret], () => {})).toBe(true)
  })

  test('images: only pulled ones are removed, never the running or the previous one, and not recently used ones', async () => {
    const names = async () => {
      const all = await host.docker.call<{ RepoDigests: string[] | null }[]>('GET', '/images/json', {
        signal: deadline(),
      })
      return all.flatMap(({ RepoDigests }) => RepoDigests ?? []).filter((name) => name.includes('apps/turns'))
    }
    const digests: string[] = []
    const worker = await startWorker({
      timing: { image_collection_seconds: 1, unused_image_seconds: 600, drain_seconds: 0 },
    })
    digests.push(await engines.push('apps/turns', 'latest', { env: { APP_VERSION: '0' } }))
    const web = await deploy(image('apps/turns:latest'))
    await web.reaches('running')
    for (const version of ['1', '2']) {
      const { generation } = await web.row()
      digests.push(await engines.push('apps/turns', 'latest', { env: { APP_VERSION: version } }))
      await web.restart()
      await web.becomes('replaced', ({ serving_generation }) => serving_generation === generation + 1)
    }
    await expect.poll(() => containersOf(host, web.id)).toHaveLength(1)
    expect(await names()).toHaveLength(3)
    plaza.clock.advance(1_000)
    await expect.poll(names).toHaveLength(2)
    const kept = (await names()).map((name) => name.split('@')[1]).sort()
    expect(kept).toEqual(digests.slice(1).sort())
    await web.destroy()
    await web.reaches('destroyed')
    await expect.poll(names).toEqual([])
    expect(worker.logged()).not.toContain('"level":"error"')
  })

  test('the network of an app is removed with its last workload on the host', async () => {
    await startWorker()
    const app = await hosting.anotherApp()
    const [first, second] = [await app.deploy(image('apps/web:one')), await app.deploy(image('apps/web:one'))]
    await Promise.all([first.reaches('running'), second.reaches('running')])
    const { app_id } = await first.row()
    const networks = async () => {
      const all = await host.docker.call<{ Name: string }[]>('GET', '/networks', { signal: deadline() })
      return all.filter(({ Name }) => Name.includes(app_id))
    }
    await first.destroy()
    await first.reaches('destroyed')
    expect(await networks()).toHaveLength(1)
    await second.destroy()
    await second.reaches('destroyed')
    expect(await networks()).toEqual([])
  })

  test('a drift check of two hundred stopped deployments writes nothing and lists containers once', async () => {
    const web = await deploy(image('apps/web:one'))
    const proxy = await engineProxy(host.socket_path)
    const worker = await startWorker({
      sockets: { host1: proxy.socket_path },
      timing: { drift_seconds: 0.5, host_seconds: 60, health_seconds: 60 },
    })
    await web.reaches('running')
    await plaza.db.sql`
      insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                               sealed_env, memory_limit_mb, cpu_limit_millicores, desired, status, host_server,
                               next_attempt_at, inserted_at)
      select gen_random_uuid(), app_id, owner_id, deploy_tier_id, 'x', container_image, 'idle-' || n, 3000, sealed_env,
             128, 250, 'stopped', 'stopped', 'host1', 'infinity', inserted_at
        from deployments, generate_series(1, 200) n where id = ${web.id}`
    const versions = () => plaza.db.sql`select id, xmin from deployments order by id`
    await until('the last write', async () => {
      const before = JSON.stringify(await versions())
      await new Promise((next) => setTimeout(next, 1_500))
      return before === JSON.stringify(await versions())
    })
    const [asked, before] = [proxy.heads.length, await versions()]
    const lists = () => proxy.heads.slice(asked).filter((head) => head.includes('/containers/json')).length
    await until('three drift checks', async () => lists() >= 3)
    expect(await versions()).toEqual(before)
    const containers = await host.docker.call<unknown[]>('GET', '/containers/json', {
      signal: deadline(),
      query: { all: 'true' },
    })
    expect(proxy.heads.length - asked).toBeLessThanOrEqual((lists() + 1) * (1 + containers.length))
    expect(worker.logged()).not.toContain('"level":"error"')
  })
})
