import { expect, test } from 'vitest'
import { changeDeployment, listDeploymentReleases, rollBackDeployment } from '../../../contract/deployments.ts'
import type { BodyOf } from '../../../contract/endpoint.ts'
import { describeEngines, startEngines } from '../../test/engine/harness.ts'
import { containersOf, expectOneLive, startHosting, type TestDeployment } from '../../test/engine/hosting.ts'
import { startVisits } from '../../test/engine/visits.ts'
import { waitUntil } from '../../test/wait.ts'

describeEngines('releases (D-104)', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { plaza, app, deploy, image } = hosting
  const { host } = engines
  // A program that ends again and again must be seen to do so before its time to answer is over, also on a busy machine.
  const testWorker = ({ timing, ...more }: Parameters<typeof hosting.testWorker>[0] = {}) =>
    hosting.testWorker({ ...more, timing: { start_seconds: 60, ...timing } })
  const digests = {
    one: await engines.push('apps/web', 'one', { env: { APP_VERSION: 'one' } }),
    two: await engines.push('apps/web', 'two', { env: { APP_VERSION: 'two' } }),
  }
  await engines.push('apps/web', 'exit1', { mode: 'exit1' })
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })

  const change = (web: TestDeployment, body: BodyOf<typeof changeDeployment>) => {
    plaza.clock.advance(7)
    return app.api.result(changeDeployment, { params: { id: web.id }, body })
  }
  const rollBack = (web: TestDeployment) => {
    plaza.clock.advance(7)
    return app.api.result(rollBackDeployment, { params: { id: web.id }, body: {} })
  }
  const releases = async (web: TestDeployment) => {
    plaza.clock.advance(7)
    return (await app.api.result(listDeploymentReleases, { params: { id: web.id } })).releases
  }
  const summary = async (web: TestDeployment) =>
    (await releases(web)).map(({ number, status }) => `${number} ${status}`)
  const settled = (web: TestDeployment, generation: number) =>
    web.becomes(
      `generation ${generation} is settled`,
      (row) =>
        row.generation === generation &&
        row.lease_owner === null &&
        row.status === 'running' &&
        row.health_status === 'healthy',
      90,
    )

  const visits = (web: TestDeployment) => startVisits(plaza, router, web.id)

  test('a change, a broken image and a roll back lose no request, and the environment and port are those of the release', async () => {
    await testWorker()
    const web = await deploy(image('apps/web:one'), { env_vars: { COLOUR: 'red', OLD: 'yes' } })
    await web.reaches('running')
    const stopVisits = await visits(web)

    await change(web, { image: image('apps/web:two'), port: 4000, env_set: { COLOUR: 'blue' }, env_unset: ['OLD'] })
    await settled(web, 2)
    expect(await web.ask('/env')).toMatchObject({ COLOUR: 'blue', PORT: '4000', APP_VERSION: 'two' })
    expect(await web.ask('/env')).not.toHaveProperty('OLD')

    await change(web, { image: image('apps/web:exit1'), env_set: { COLOUR: 'exit1 begins' } })
    await settled(web, 3)
    const [failed] = await releases(web)
    expect(failed).toMatchObject({ number: 3, status: 'failed', failure: { cause: 'crash_loop', exit_code: 1 } })
    // Values of the environment that the program prints are masked.
    expect(failed?.failure?.tail).toContain('…')
    expect(JSON.stringify(failed)).not.toContain('exit1 begins')
    expect(await web.ask('/env')).toMatchObject({ COLOUR: 'blue', PORT: '4000' })

    await rollBack(web)
    await settled(web, 4)
    expect(await web.ask('/env')).toMatchObject({ COLOUR: 'red', OLD: 'yes', PORT: '3000', APP_VERSION: 'one' })
    expect((await web.row()).image_digest).toContain(digests.one)
    expect(await summary(web)).toEqual(['4 current', '3 failed', '2 replaced', '1 replaced'])

    const statuses = await stopVisits()
    expect(Object.keys(statuses)).toEqual(['200'])
    await expect.poll(() => containersOf(host, web.id)).toHaveLength(1)
    await expectOneLive([host], web)
  })

  test('a failed release that is followed by a lost container: what served before is made again, not the failed one', async () => {
    await testWorker()
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    await change(web, { image: image('apps/web:exit1') })
    await settled(web, 2)
    const [container] = await containersOf(host, web.id)
    await host.docker.call('DELETE', `/containers/${container!.Id}`, {
      query: { force: 'true' },
      signal: AbortSignal.timeout(10_000),
    })
    await waitUntil(async () => {
      const [again] = await containersOf(host, web.id)
      return again !== undefined && again.Id !== container!.Id
    })
    await web.becomes(
      'up again',
      (row) => row.status === 'running' && row.health_status === 'healthy' && row.lease_owner === null,
    )
    expect(await web.ask()).toMatchObject({ version: 'one' })
    expect(await summary(web)).toEqual(['2 failed', '1 current'])
  })

  test('a stopped deployment starts with its change; one whose change is broken starts with what served before', async () => {
    await testWorker()
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    await web.stop()
    await change(web, { image: image('apps/web:two') })
    expect((await web.row()).status).toBe('stopped')
    await web.restart()
    await web.reaches('running')
    expect(await web.ask()).toMatchObject({ version: 'two' })
    await web.stop()
    await change(web, { image: image('apps/web:exit1') })
    await web.restart()
    await web.becomes(
      'the one before',
      (row) => row.status === 'running' && row.serving_generation === row.generation,
      90,
    )
    expect(await web.ask()).toMatchObject({ version: 'two' })
    expect((await web.row()).image_digest).toContain(digests.two)
    expect(await summary(web)).toEqual(['3 failed', '2 current', '1 replaced'])
  })

  test('five changes at once: the last one serves, every other is superseded or was replaced', async () => {
    await testWorker()
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    plaza.clock.advance(60)
    const names = ['a', 'b', 'c', 'd', 'e']
    await Promise.all(
      names.map((name) =>
        app.api.result(changeDeployment, { params: { id: web.id }, body: { env_set: { LAST: name } } }),
      ),
    )
    await settled(web, 6)
    const all = await releases(web)
    expect(all.slice(0, 5).filter(({ status }) => status === 'current')).toHaveLength(1)
    expect(all[0]).toMatchObject({ number: 6, status: 'current' })
    expect(all.some(({ status }) => status === 'pending' || status === 'failed')).toBe(false)
    const { LAST } = (await web.ask<{ LAST: string }>('/env'))!
    expect(names).toContain(LAST)
    await expect.poll(() => containersOf(host, web.id)).toHaveLength(1)
  })
})
