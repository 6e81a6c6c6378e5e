import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openEngine, parseEngineSpec } from '../../engine/open.ts'
import { findInstallation } from './hosts.store.ts'
import { describeEngines, startEngines, type TestHost } from '../../../test/engine/harness.ts'
import { containersOf, removeByHand, startHosting } from '../../../test/engine/hosting.ts'
import { engineFailure, engineProxy } from '../../../test/engine/proxy.ts'
import { deadline } from '../../../test/engine/system-under-test.ts'

describeEngines('an object that cannot be removed or inspected blocks no other', async () => {
  const engines = await startEngines({ hosts: 2 })
  const { plaza, deploy, image, startWorker } = await startHosting(engines)
  const [one, two] = engines.hosts as [TestHost, TestHost]
  await engines.push('apps/web', 'one')
  const ok = image('apps/web:one')

  /** A container of this installation that belongs to no deployment. */
  async function orphanOn(host: TestHost) {
    const id = randomUUID()
    const installation_id = await findInstallation(plaza.db)
    const { engine, close } = openEngine(parseEngineSpec(host.spec)!, {
      installation_id,
      network_range: '10.244.0.0/20',
    })
    await engine.ensure(
      {
        id,
        generation: 1,
        replica: 1,
        app_id: randomUUID(),
        image: ok,
        registry_auth: undefined,
        env: {},
        port: 3000,
        memory_mb: 128,
        millicores: 250,
        running: false,
      },
      deadline(),
    )
    await close()
    return id
  }

  test('an orphan whose removal fails is retried later; other orphans and images are removed meanwhile', async () => {
    const proxy = await engineProxy(one.socket_path)
    const stuck = await orphanOn(one)
    const others = [await orphanOn(one), await orphanOn(two)]
    plaza.clock.advance(1_000)
    const [container] = await containersOf(one, stuck)
    const isRemoval = (line: string) => /^DELETE \S+\/containers\//.test(line) && line.includes(container?.Id ?? 'none')
    proxy.inject = (line) => (isRemoval(line) ? engineFailure('device is busy') : undefined)
    await plaza.db.sql`
      insert into pulled_images (target, image, pulled_at, last_used_at)
      select 'host1', ${`${engines.registry.host}/apps/gone@sha256:${'0'.repeat(64)}`}, t, t
        from (select now() - interval '1 day' as t) t`
    const worker = await startWorker({
      sockets: { host1: proxy.socket_path },
      timing: { orphan_seconds: 0, image_collection_seconds: 1 },
    })
    await expect.poll(() => containersOf(one, others[0] ?? '')).toEqual([])
    await expect.poll(() => containersOf(two, others[1] ?? '')).toEqual([])
    await expect.poll(() => plaza.db.sql`select image from pulled_images where image like '%/apps/gone@%'`).toEqual([])
    expect(proxy.injected).toBeGreaterThan(0)
    expect(await containersOf(one, stuck)).toHaveLength(1)
    const warnings = worker
      .logged()
      .split('\n')
      .filter((line) => line.includes('could not be removed'))
    expect(warnings.length).toBeLessThanOrEqual(3)
    expect(warnings[0]).toContain(stuck)
    proxy.inject = () => undefined
    await expect.poll(() => containersOf(one, stuck)).toEqual([])
  })

  test('a container that cannot be inspected does not affect the others on its host', async () => {
    const proxy = await engineProxy(one.socket_path)
    const stuck = await orphanOn(one)
    const [container] = await containersOf(one, stuck)
    const uninspectable = new Set([container?.Id])
    const uninspectableIn = (line: string) =>
      [...uninspectable].find((docker_id) => line.includes(`/containers/${docker_id}/json`))
    proxy.inject = (line) => (uninspectableIn(line) ? engineFailure('layer is gone') : undefined)
    const worker = await startWorker({ sockets: { host1: proxy.socket_path } })
    const all = [await deploy(ok), await deploy(ok)]
    for (const web of all) await web.reaches('running')
    const rows = await Promise.all(all.map((web) => web.row()))
    const web = all[rows.findIndex(({ host_server }) => host_server === 'host1')]!
    const [running] = await containersOf(one, web.id)
    await removeByHand(one, running)
    const recreated = async () => (await containersOf(one, web.id)).filter(({ Id }) => Id !== running?.Id).length
    await expect.poll(recreated).toBe(1)
    expect(proxy.injected).toBeGreaterThan(0)
    await web.becomes('idle', ({ status, lease_owner }) => status === 'running' && lease_owner === null)
    await worker.stop()

    // A worker without an earlier observation inspects its own container: it exists, so nothing is done.
    const [again] = await containersOf(one, web.id)
    uninspectable.add(again?.Id)
    const next_worker = await startWorker({ sockets: { host1: proxy.socket_path } })
    const inspections = () => proxy.heads.filter((head) => head.includes(`/containers/${again?.Id}/json`)).length
    const before = inspections()
    await expect.poll(inspections).toBeGreaterThan(before + 4)
    expect(next_worker.logged()).not.toContain(web.id)
    expect(await web.row()).toMatchObject({ status: 'running', attempts: 0, last_error: null })
    expect((await containersOf(one, web.id)).map(({ Id }) => Id)).toEqual([again?.Id])
    uninspectable.clear()
    await Promise.all(all.map((each) => each.destroy()))
    await Promise.all(all.map((each) => each.reaches('destroyed')))
  })

  test('an image that another container uses stays recorded, and is removed when it is free', async () => {
    const worker = await startWorker({ timing: { image_collection_seconds: 1, unused_image_seconds: 600 } })
    const digest = await engines.push('apps/shared', 'one', { env: { APP_VERSION: 'shared' } })
    const shared = image('apps/shared:one')
    const all = [await deploy(shared), await deploy(shared)]
    for (const web of all) await web.reaches('running')
    const named = `${engines.registry.host}/apps/shared@${digest}`
    const { Id } = await one.docker.call<{ Id: string }>('POST', '/containers/create', {
      signal: deadline(),
      body: { Image: named },
    })
    for (const web of all) await web.destroy()
    for (const web of all) await web.reaches('destroyed')
    const known = async () =>
      (
        await plaza.db.sql<{ target: string }>`select target from pulled_images where image = ${named} order by target`
      ).map(({ target }) => target)
    expect(await known()).toEqual(['host1', 'host2'])
    plaza.clock.advance(1_000)
    await expect.poll(known).toEqual(['host1'])
    await expect.poll(worker.logged).toContain('is in use and stays')
    expect(worker.logged()).not.toContain('"host":"host1","image":"' + named + '","msg":"an unused image was removed"')
    await one.docker.call('DELETE', `/containers/${Id}`, { signal: deadline() })
    plaza.clock.advance(1_000)
    await expect.poll(known).toEqual([])
  })
})
