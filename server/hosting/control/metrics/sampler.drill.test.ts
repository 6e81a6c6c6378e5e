import { expect, test } from 'vitest'
import { getDeploymentMetrics } from '../../../../contract/deployment-metrics.ts'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { startHosting } from '../../../test/engine/hosting.ts'
import { engineProxy } from '../../../test/engine/proxy.ts'
import { waitUntil } from '../../../test/wait.ts'

describeEngines('what containers use (D-104)', async () => {
  const engines = await startEngines()
  const { plaza, app, deploy, image, startWorker } = await startHosting(engines)
  await engines.push('apps/web', 'one')
  const timing = { sample_seconds: 0.5 }

  const samplesOf = (id: string) =>
    plaza.db.sql<{
      at: Date
      replica: number
      memory_bytes: number
      millicores: number | null
      sent_bytes: number | null
    }>`
      select at, replica, memory_bytes, millicores, sent_bytes from deploy_samples where deployment_id = ${id} order by at`
  const nextSlot = async (id: string) => {
    const before = (await samplesOf(id)).length
    plaza.clock.advance(15)
    await waitUntil(async () => (await samplesOf(id)).length > before, 'a sample')
  }

  test('two workers write one sample of each slot; measuring continues over a change, and the API shows it', async () => {
    await startWorker({ timing })
    await startWorker({ timing })
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    for (let slots = 0; slots < 3; slots++) {
      await nextSlot(web.id)
      await web.ask('/env')
    }
    await nextSlot(web.id)
    const samples = await samplesOf(web.id)
    expect(new Set(samples.map(({ at }) => at.getTime())).size).toBe(samples.length)
    expect(samples.every(({ at, replica }) => at.getTime() % 15_000 === 0 && replica === 1)).toBe(true)
    expect(samples.at(-1)?.millicores).not.toBeNull()
    expect(samples.at(-1)?.sent_bytes).not.toBeNull()
    await web.restart()
    await web.becomes('generation 2 serves', ({ serving_generation }) => serving_generation === 2)
    await nextSlot(web.id)
    plaza.clock.advance(3)
    const { replicas } = await app.api.result(getDeploymentMetrics, { params: { id: web.id } })
    const last = replicas[0]?.points.at(-1)
    expect(last?.memory_bytes).toBeGreaterThan(1024 * 1024)
    expect(last?.memory_bytes_max).toBeLessThan(128 * 1024 * 1024)

    await web.stop()
    await web.reaches('stopped')
    const before = (await samplesOf(web.id)).length
    plaza.clock.advance(60)
    const other = await deploy(image('apps/web:one'))
    await other.reaches('running')
    await nextSlot(other.id)
    expect((await samplesOf(web.id)).length - before).toBeLessThanOrEqual(1)
  })

  test('an engine that does not report usage delays neither a rollout nor the next samples', async () => {
    const proxy = await engineProxy(engines.host.socket_path)
    await startWorker({ timing, sockets: { [engines.host.name]: proxy.socket_path } })
    const [web, ...others] = await Promise.all([1, 2, 3].map(() => deploy(image('apps/web:one'))))
    for (const each of [web!, ...others]) await each.reaches('running')
    proxy.inject = (line) => (line.includes('/stats?') ? 'hang' : undefined)
    plaza.clock.advance(15)
    await waitUntil(() => proxy.injected > 0, 'a call that hangs')
    await web!.restart()
    await web!.becomes('generation 2 serves', ({ serving_generation }) => serving_generation === 2)
    proxy.inject = () => undefined
    await nextSlot(web!.id)
  })
})
