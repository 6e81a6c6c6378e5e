import { expect, test } from 'vitest'
import { describeEngines, joinSwarm, startEngines } from '../../test/engine/harness.ts'
import { startHosting } from '../../test/engine/hosting.ts'
import { no_new_privileges_label } from '../engine/swarm/services.ts'

describeEngines('the worker on a Swarm of one host', async () => {
  const engines = await startEngines({
    daemon_options: ['--no-new-privileges', '--label', `${no_new_privileges_label}=true`],
  })
  const hosting = await startHosting(engines, { swarm: await joinSwarm(engines) })
  const { deploy, image } = hosting
  await engines.push('apps/web', 'one', { env: { APP_VERSION: 'one' } })
  await hosting.startWorker({ timing: { start_seconds: 20 } })

  test('create, stop, restart and destroy as on a Docker host', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running', 60)
    expect(await web.ask()).toMatchObject({ version: 'one' })
    await web.stop()
    await web.reaches('stopped')
    await web.restart()
    await web.reaches('running', 60)
    expect(await web.ask()).toMatchObject({ version: 'one' })
    await web.destroy()
    await web.reaches('destroyed', 60)
    expect((await web.logs()).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'succeeded'))
  })
})
