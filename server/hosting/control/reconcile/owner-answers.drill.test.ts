import { expect, test } from 'vitest'
import { getDeployment, listDeployLog, type changeDeployment } from '../../../../contract/deployments.ts'
import type { BodyOf } from '../../../../contract/endpoint.ts'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { liveOf, startHosting, type TestDeployment } from '../../../test/engine/hosting.ts'

const probes = () => ({
  signal: AbortSignal.timeout(10_000),
  query: { all: 'true', filters: JSON.stringify({ label: ['plaza.probe'] }) },
})

describeEngines('what owners learn about their containers (D-126)', async () => {
  const engines = await startEngines()
  const hosting = await startHosting(engines)
  const { plaza, app, image, deploy } = hosting
  await engines.push('apps/web', 'one')
  await engines.push('apps/web', 'small', { mode: 'small' })
  await engines.push('apps/web', 'deaf', { mode: 'nolisten' })
  await engines.push('apps/web', 'well', { health_check: ['/bin/busybox', 'true'] })
  await engines.push('apps/web', 'ill', { health_check: ['/bin/busybox', 'false'] })
  await engines.push('apps/web', 'ails', { health_check: ['/bin/busybox', 'test', '!', '-e', '/ill'] })
  await hosting.startWorker({ timing: { start_seconds: 8, health_seconds: 1 } })

  const running = async (tag: string) => {
    const web = await deploy(image(`apps/web:${tag}`))
    await web.reaches('running')
    return web
  }
  const failureOf = async (web: TestDeployment, body: BodyOf<typeof changeDeployment>) => {
    const answer = await web.change(body, 60)
    expect(answer).toMatchObject({ status: 'running', release: { status: 'failed' } })
    return answer.release.failure as { cause: string; message: string }
  }

  test('while the registry does not answer, the pending entry says so; the change is completed once it does', async () => {
    const web = await running('one')
    await engines.registry.stop()
    const changed = web.change({ image: image('apps/web:well') }, 60)
    const message = async () => {
      plaza.clock.advance(7)
      const { logs } = await app.api.result(listDeployLog, { params: { id: web.id } })
      return [logs[0]?.status, logs[0]?.details?.message]
    }
    await expect.poll(message).toEqual(['pending', expect.stringMatching(/^From .*It is tried again\.$/) as string])
    await engines.registry.start()
    expect(await changed).toMatchObject({ release: { status: 'current' } })
    await web.destroy()
  })

  test('a port that does not answer is named, with where the program listens', async () => {
    const web = await running('one')
    const late = 'Its port did not answer within 8 seconds.'
    const { cause, message } = await failureOf(web, { image: image('apps/web:small'), port: 4000 })
    expect([cause, message.replace('0.0.0.0:3000', '[::]:3000')]).toEqual([
      'start_timeout',
      `${late} It listens on [::]:3000. It has to listen on port 4000 (the variable PORT), at 0.0.0.0.`,
    ])
    expect(await failureOf(web, { image: image('apps/web:deaf'), port: 3000 })).toMatchObject({
      message: `${late} Nothing listens in the container. It has to listen on port 3000 (the variable PORT), at 0.0.0.0.`,
    })
    // The helper container that inspected it is gone.
    await expect.poll(async () => (await liveOf(engines.host, web.id)).length).toBe(1)
    expect(await engines.host.docker.call('GET', '/containers/json', probes())).toEqual([])
    await web.destroy()
  })

  test('H11: the health check path must answer before a change serves', async () => {
    const web = await running('one')
    expect(await failureOf(web, { health_path: '/file?path=/nowhere' })).toMatchObject({
      cause: 'start_timeout',
      message: 'GET /file?path=/nowhere did not answer 2xx or 3xx on port 3000.',
    })
    expect(await web.change({ health_path: '/file?path=/etc/hostname' }, 60)).toMatchObject({
      health_path: '/file?path=/etc/hostname',
      health_status: 'healthy',
      release: { status: 'current' },
    })
    await web.destroy()
  })

  test('the health check of an image counts at the start and later', async () => {
    const web = await running('well')
    expect(await failureOf(web, { image: image('apps/web:ill') })).toMatchObject({
      cause: 'start_timeout',
      message: 'The health check of its image failed for 8 seconds.',
    })
    expect(await web.ask()).toMatchObject({ method: 'GET' })
    const ails = await running('ails')
    const health = async () => {
      plaza.clock.advance(7)
      return (await app.api.result(getDeployment, { params: { id: ails.id } })).health_status
    }
    await expect.poll(health).toBe('healthy')
    const [container] = await liveOf(engines.host, ails.id)
    const signal = AbortSignal.timeout(10_000)
    const { docker } = engines.host
    const touch = { Cmd: ['/bin/busybox', 'touch', '/ill'] }
    const { Id } = await docker.call<{ Id: string }>('POST', `/containers/${container?.Id}/exec`, {
      signal,
      body: touch,
    })
    await docker.call('POST', `/exec/${Id}/start`, { signal, body: { Detach: true } })
    await expect.poll(health).toBe('unhealthy')
    await Promise.all([web.destroy(), ails.destroy()])
  })
})
