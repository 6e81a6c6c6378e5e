import { expect, test } from 'vitest'
import { getDeployment } from '../../../contract/deployments.ts'
import { describeEngines, joinSwarm, startEngines } from '../../test/engine/harness.ts'
import { startHosting } from '../../test/engine/hosting.ts'
import { no_new_privileges_label } from '../engine/swarm/services.ts'

describeEngines('the worker on a Swarm', async () => {
  const engines = await startEngines({
    hosts: 3,
    daemon_options: ['--no-new-privileges', '--label', `${no_new_privileges_label}=true`],
  })
  const swarm = await joinSwarm(engines)
  const hosting = await startHosting(engines, { swarm })
  const { app, deploy, image } = hosting
  await engines.push('apps/web', 'one', { env: { APP_VERSION: 'one' } })
  await engines.push('apps/web', 'exit1', { mode: 'exit1' })
  // A Swarm is slow between two starts; the number of restarts does not matter for the test.
  const timing = { start_seconds: 20, crash_restarts: 3 }
  await hosting.startWorker({ timing })

  test('a program that repeatedly ends is a crash loop; with two workers that count, other deployments are unaffected', async () => {
    await hosting.testWorker({ timing })
    const broken = await deploy(image('apps/web:exit1'))
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running', 60)
    expect(await broken.reaches('stopped', 90)).toMatchObject({ health_status: 'crash_loop' })
    expect(await web.row()).toMatchObject({ status: 'running', failed_generation: null })
  })

  test('24: a lost node: its workloads answer on another', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => deploy(image('apps/web:one'))))
    for (const web of all) await web.reaches('running', 60)
    const lost = engines.hosts[2]
    const rows = await Promise.all(all.map((web) => web.row()))
    const moved = all.filter((_, at) => rows[at]?.endpoint_host === lost?.address)
    expect(moved.length).toBeGreaterThan(0)
    await lost?.lose()
    const lost_at = performance.now()
    for (const web of moved)
      await expect.poll(() => web.ask(), { timeout: 120_000, interval: 500 }).toMatchObject({ version: 'one' })
    process.stdout.write(`lost node: its workloads answer after ${Math.round(performance.now() - lost_at)} ms\n`)
    for (const web of moved) {
      await web.becomes('settled', ({ status }) => status === 'running')
      expect(await web.failures()).toEqual([])
      // What is shown follows: the node is named by where it runs now.
      const placed = async () => {
        const { endpoint_host } = await web.row()
        const { host_server } = await app.api.result(getDeployment, { params: { id: web.id } })
        return [host_server, `swarm/${engines.hosts.find(({ address }) => address === endpoint_host)?.name}`] as const
      }
      await expect.poll(async () => new Set(await placed()).size, { timeout: 15_000, interval: 300 }).toBe(1)
      expect(await placed()).not.toContain(`swarm/${lost?.name}`)
    }
  })
})
