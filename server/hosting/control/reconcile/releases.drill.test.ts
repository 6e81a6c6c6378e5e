import { expect, test } from 'vitest'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { containersOf, expectOneLive, startHosting, type TestDeployment } from '../../../test/engine/hosting.ts'
import { hostnameOf, startVisits } from '../../../test/engine/visits.ts'
import { requestHost } from '../../../test/router.ts'

describeEngines('releases (D-104)', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { plaza, deploy, image } = hosting
  const { host } = engines
  // On a busy machine, a crash loop must be recognized before the time to answer is over.
  const startWorker = ({ timing, ...more }: Parameters<typeof hosting.startWorker>[0] = {}) =>
    hosting.startWorker({ ...more, timing: { start_seconds: 60, ...timing } })
  const digests = {
    one: await engines.push('apps/web', 'one', { env: { APP_VERSION: 'one' } }),
    two: await engines.push('apps/web', 'two', { env: { APP_VERSION: 'two' } }),
  }
  await engines.push('apps/web', 'exit1', { mode: 'exit1' })
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })

  const settled = (web: TestDeployment, generation: number) =>
    web.becomes(
      `generation ${generation} is settled`,
      (row) =>
        row.generation === generation &&
        row.lease_owner === null &&
        row.status === 'running' &&
        row.health_status === 'healthy',
    )

  const visits = (web: TestDeployment) => startVisits(plaza, router, web.id)

  test('injection 21: a change, a broken image and a roll back lose no request, with the environment and port of each release; 503 once stopped, 404 once destroyed', async () => {
    await startWorker()
    const web = await deploy(image('apps/web:one'), { env_vars: { COLOUR: 'red', OLD: 'yes' } })
    await web.reaches('running')
    const stopVisits = await visits(web)

    await web.change({ image: image('apps/web:two'), port: 4000, env_set: { COLOUR: 'blue' }, env_unset: ['OLD'] })
    await settled(web, 2)
    expect(await web.ask('/env')).toMatchObject({ COLOUR: 'blue', PORT: '4000', APP_VERSION: 'two' })
    expect(await web.ask('/env')).not.toHaveProperty('OLD')

    await web.change({ image: image('apps/web:exit1'), env_set: { COLOUR: 'exit1 begins' } })
    await settled(web, 3)
    const [failed] = await web.releases()
    expect(failed).toMatchObject({ number: 3, status: 'failed', failure: { cause: 'crash_loop', exit_code: 1 } })
    // Values of the environment that the program prints are masked.
    expect(failed?.failure?.tail).toContain('…')
    expect(JSON.stringify(failed)).not.toContain('exit1 begins')
    expect(await web.ask('/env')).toMatchObject({ COLOUR: 'blue', PORT: '4000' })

    await web.rollBack()
    await settled(web, 4)
    expect(await web.ask('/env')).toMatchObject({ COLOUR: 'red', OLD: 'yes', PORT: '3000', APP_VERSION: 'one' })
    expect((await web.row()).image_digest).toContain(digests.one)
    expect(await web.summary()).toEqual(['4 current', '3 failed', '2 replaced', '1 replaced'])

    const statuses = await stopVisits()
    expect(Object.keys(statuses)).toEqual(['200'])
    await expect.poll(() => containersOf(host, web.id)).toHaveLength(1)
    await expectOneLive([host], web)

    const name = await hostnameOf(plaza, web.id)
    const status = async () => (await requestHost(router, name)).status
    await web.stop()
    await expect.poll(status).toBe(503)
    await web.destroy()
    await expect.poll(status).toBe(404)
  })

  test('a stopped deployment starts with its change, and with the release before if the change is broken', async () => {
    await startWorker()
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    await web.stop()
    await web.change({ image: image('apps/web:two') })
    expect((await web.row()).status).toBe('stopped')
    await web.restart()
    await web.reaches('running')
    expect(await web.ask()).toMatchObject({ version: 'two' })
    await web.stop()
    await web.change({ image: image('apps/web:exit1') })
    await web.restart()
    await web.becomes('the one before', (row) => row.status === 'running' && row.serving_generation === row.generation)
    expect(await web.ask()).toMatchObject({ version: 'two' })
    expect((await web.row()).image_digest).toContain(digests.two)
    expect(await web.summary()).toEqual(['3 failed', '2 current', '1 replaced'])
  })
})
