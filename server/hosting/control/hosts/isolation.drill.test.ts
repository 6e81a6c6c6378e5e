import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { adminListDeployments } from '../../../../contract/admin-deployments.ts'
import { listDeployLog } from '../../../../contract/deployments.ts'
import type { Finding } from '../../../commands/doctor/finding.ts'
import type { Env } from '../../../platform/env-reader.ts'
import { flushFirewall, runFirewall } from '../../../test/engine/firewall.ts'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { containersOf, liveOf, removeByHand, startHosting } from '../../../test/engine/hosting.ts'
import { databaseNameOf } from '../../../test/harness.ts'
import { runAdmin, testDatabaseUrl } from '../../../test/processes.ts'
import { theAdmin } from '../../../test/world.ts'

describeEngines('a host whose isolation is checked (D-113)', async () => {
  const engines = await startEngines({ own: true })
  const hosting = await startHosting(engines)
  const { plaza, app, deploy, image } = hosting
  for (const version of ['one', 'two']) await engines.push('apps/web', version, { env: { APP_VERSION: version } })
  const [address = '', port] = engines.registry.host.split(':')
  const isolation = {
    refuse_unchecked: false,
    findTargets: async () => ({
      targets: [{ what: 'registry', address, port: Number(port) } as const],
      allowed: new Set<string>(),
    }),
  }
  const timing = { isolation_seconds: 1, isolation_again_seconds: 1, isolation_poll_seconds: 0.3 }
  const known = () =>
    plaza.db.sql<{ state: string; found: { what: string }[] }>`select state, found from host_isolation`
  const becomesKnown = (state: string) =>
    expect.poll(async () => (await known()).map((row) => row.state)).toEqual([state])
  const plain =
    'Containers on host1 reach other apps, the host itself, the engine’s API and the private registry. ' +
    'New containers wait until the administrators of the platform have fixed this.'

  test('trusted: hosted without a probe', async () => {
    const worker = await hosting.startWorker()
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    expect((await known()).map(({ state }) => state)).toEqual(['trusted'])
    await web.destroy()
    await web.reaches('destroyed')
    await worker.stop()
  })

  test('without the firewall: pending with the reason, and no container; with it: hosted; lost again: detected, and running apps continue', async () => {
    const worker = await hosting.startWorker({ isolation, timing })
    const web = await deploy(image('apps/web:one'))
    await becomesKnown('reachable')
    const held = await web.becomes(
      'held',
      ({ last_error }) => last_error?.startsWith('host_not_isolated: host1: ') ?? false,
    )
    expect(held).toMatchObject({ status: 'pending', health_status: null, serving_generation: null, host_server: null })
    expect(await containersOf(engines.host, web.id)).toEqual([])
    // The owner sees which kind of target is reachable; admins and the log also see its address.
    const { logs } = await app.api.result(listDeployLog, { params: { id: web.id } })
    expect(logs).toMatchObject([{ action: 'create', status: 'pending', details: { message: plain } }])
    expect(JSON.stringify(logs)).not.toMatch(/connected|refused|gateway/)
    const admin = await theAdmin(plaza)
    const { data: shown } = await admin.api.result(adminListDeployments, { query: {} })
    expect(shown[0]?.last_error).toContain(`registry ${address}:${port} connected`)
    expect(worker.logged()).toContain(`registry ${address}:${port} connected`)

    await runFirewall(engines.host)
    await web.reaches('running')
    await becomesKnown('isolated')
    expect(await web.ask()).toMatchObject({ version: 'one' })

    await flushFirewall(engines.host)
    await becomesKnown('reachable')
    await web.change({ image: image('apps/web:two') })
    await web.becomes('held', ({ last_error }) => last_error?.startsWith('host_not_isolated: ') ?? false)
    expect(await web.row()).toMatchObject({ status: 'running', generation: 2, serving_generation: 1 })
    expect(await web.ask()).toMatchObject({ version: 'one' })
    // A running instance is repaired on its host.
    const [container] = await liveOf(engines.host, web.id)
    await removeByHand(engines.host, container)
    await expect.poll(() => web.ask(), { interval: 300 }).toMatchObject({ version: 'one' })

    await runFirewall(engines.host)
    await web.becomes('changed', ({ serving_generation }) => serving_generation === 2)
    expect(await web.ask()).toMatchObject({ version: 'two' })
    expect(await web.failures()).toEqual([])

    // The edge of the platform is on this host: `EDGE` opens its ports 80 and 443 only.
    const { address: edge } = engines.host
    for (const own of [80, 443, 22])
      await engines.host.run('busybox', 'httpd', '-p', `${edge}:${own}`, '-h', dirname(engines.host.socket_path))
    const answers = (own: number) => web.ask(`/connect?host=${edge}&port=${own}`)
    expect(await answers(443)).toBe('timeout')
    await runFirewall(engines.host, `EDGE=${edge}`)
    expect([await answers(80), await answers(443), await answers(22)]).toEqual(['connected', 'connected', 'timeout'])
  })

  test('doctor probes too, and reports a daemon without live-restore', async () => {
    const env = {
      DATABASE_URL: testDatabaseUrl(await databaseNameOf(plaza)),
      SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule',
      PUBLIC_URL: plaza.url,
      CONTAINER_HOSTS: engines.host.spec,
      REGISTRY_PRIVATE: engines.registry.host,
    }
    const examine = async (more: Env = {}) => {
      const { stdout } = await runAdmin(['doctor', '--json'], { ...env, ...more })
      const { checks } = JSON.parse(stdout) as { checks: Finding[] }
      return Object.fromEntries(checks.map((finding) => [finding.name, finding]))
    }
    const { address: edge } = engines.host
    // If the platform is not at the open edge, apps have nothing to reach there.
    expect((await examine())['isolation of host1']).toMatchObject({
      status: 'failed',
      detail: `containers reach host ${edge}:80 connected, host ${edge}:443 connected`,
    })
    const closed = await examine({ PUBLIC_URL: `https://${edge}` })
    expect(closed['isolation of host1']).toMatchObject({ status: 'ok' })
    expect(closed['engine host1']).toMatchObject({
      status: 'todo',
      advice: expect.stringContaining('"live-restore": true'),
    })
    await flushFirewall(engines.host)
    expect((await examine())['isolation of host1']).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining(`registry ${address}:${port} connected`),
      advice: expect.stringContaining('firewall.sh'),
    })
    expect((await examine({ ISOLATION: 'trusted' }))['isolation of host1']).toMatchObject({ status: 'ok' })
  })
})
