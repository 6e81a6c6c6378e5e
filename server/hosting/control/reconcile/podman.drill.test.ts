import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { listContainerHosts } from '../../../../contract/admin-deployments.ts'
import type { Finding } from '../../../commands/doctor/finding.ts'
import { runFirewall } from '../../../test/engine/firewall.ts'
import { describePodman, startEngines } from '../../../test/engine/harness.ts'
import { containersOf, liveOf, startHosting } from '../../../test/engine/hosting.ts'
import { run } from '../../../test/engine/shell.ts'
import { hostnameOf, startVisits } from '../../../test/engine/visits.ts'
import { databaseNameOf } from '../../../test/harness.ts'
import { runAdmin, testDatabaseUrl } from '../../../test/processes.ts'
import { requestHost } from '../../../test/router.ts'
import { theAdmin } from '../../../test/world.ts'
import { podman } from '../../engine/podman/podman.ts'

describePodman('apps on Podman', async () => {
  const engines = await startEngines({ podman: true })
  const hosting = await startHosting(engines)
  const { plaza, deploy, image } = hosting
  for (const version of ['one', 'two']) await engines.push('apps/web', version, { env: { APP_VERSION: version } })
  await engines.push('apps/web', 'exit1', { mode: 'exit1' })
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })
  const isolation = {
    refuse_unchecked: true,
    findTargets: async () => ({ targets: [], allowed: new Set<string>() }),
  }
  // On a busy machine, Podman's service takes a second to report its state.
  const timing = { host_seconds: 5, isolation_seconds: 1, isolation_again_seconds: 1, isolation_poll_seconds: 0.3 }
  const found = async () => {
    const [row] = await plaza.db.sql<{ state: string; found: { what: string; address: string }[] }>`
      select state, found from host_isolation`
    return row
  }

  test('checked: nothing starts until firewall.sh has run; then it is deployed, changed, restarted and destroyed, and no visitor gets a failure', async () => {
    const worker = await hosting.startWorker({ isolation, timing })
    const web = await deploy(image('apps/web:one'))
    await expect.poll(found).toMatchObject({ state: 'reachable' })
    // Without the firewall the networks are already separated, but the host and its published ports are open.
    expect((await found())?.found.filter(({ what, address }) => what === 'app' && address !== 'gateway')).toEqual([])
    expect(await containersOf(engines.host, web.id)).toEqual([])
    await runFirewall(engines.host)
    await web.reaches('running')
    expect(await found()).toEqual({ state: 'isolated', found: [] })

    const name = await hostnameOf(plaza, web.id)
    expect(JSON.parse((await requestHost(router, name)).body)).toMatchObject({ version: 'one' })
    const stopVisits = await startVisits(plaza, router, web.id, { slow: true })
    await web.change({ image: image('apps/web:two') })
    await web.becomes('changed', ({ serving_generation }) => serving_generation === 2)
    await web.restart()
    await web.becomes('restarted', ({ serving_generation }) => serving_generation === 3)
    await web.change({ image: image('apps/web:exit1') })
    const failed = await web.becomes('failed', ({ failed_generation }) => failed_generation === 4)
    expect(failed).toMatchObject({ status: 'running', serving_generation: 3 })
    expect((await web.failures()).at(-1)).toMatchObject({ details: { cause: 'crash_loop' } })

    // Containers continue without the service of Podman.
    await engines.host.stop()
    expect(await web.ask()).toMatchObject({ version: 'two' })
    await engines.host.start()
    expect(Object.keys(await stopVisits())).toEqual(['200'])

    await web.stop()
    await web.reaches('stopped')
    await web.restart()
    await web.reaches('running')
    // The machine restarts: Podman's state below /run is gone, and so are its networks.
    const { host } = engines
    const running = await Promise.all(
      (await liveOf(host, web.id)).map(({ Id }) =>
        host.docker.call<{ Id: string; NetworkSettings: { SandboxKey: string } }>(
          'GET',
          `/libpod/containers/${Id}/json`,
          { signal: AbortSignal.timeout(10_000), version: '4.0.0' },
        ),
      ),
    )
    await host.lose()
    for (const { Id, NetworkSettings } of running) {
      await run('ip', 'netns', 'delete', basename(NetworkSettings.SandboxKey))
      await rm(`/run/runc/${Id}`, { recursive: true })
    }
    const folder = dirname(host.socket_path)
    for (const name of ['run', 'tmp']) await rm(join(folder, name), { recursive: true })
    await host.run('sh', '-c', 'for table in nat filter mangle; do iptables -t $table -F; done')
    const links = (await host.run('ip', '-o', 'link')).matchAll(/\d: (podman\d+|veth\w+)[@:]/g)
    for (const [, name = ''] of links) await host.run('ip', 'link', 'delete', name).catch(() => '')
    await host.reconnect()
    await engines.host.start()
    await runFirewall(engines.host)
    await expect.poll(() => web.ask(), { interval: 300 }).toMatchObject({ version: 'two' })
    await web.destroy()
    await web.reaches('destroyed')
    expect(await containersOf(engines.host, web.id)).toEqual([])
    expect(worker.logged()).toContain(JSON.stringify(podman.limits))
    await worker.stop()
  })

  test('admins and doctor see what it cannot do', async () => {
    const admin = await theAdmin(plaza)
    const { hosts } = await admin.api.result(listContainerHosts, {})
    expect(hosts).toMatchObject([{ name: 'host1', kind: 'podman', reachable: true, limits: podman.limits }])
    const { stdout } = await runAdmin(['doctor', '--json'], {
      DATABASE_URL: testDatabaseUrl(await databaseNameOf(plaza)),
      SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule',
      PUBLIC_URL: plaza.url,
      CONTAINER_HOSTS: engines.host.spec,
    })
    const { checks } = JSON.parse(stdout) as { checks: Finding[] }
    const findings = Object.fromEntries(checks.map((finding) => [finding.name, finding]))
    expect(findings['engine host1']).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining(podman.limits[0] ?? ''),
    })
    expect(findings['isolation of host1']).toMatchObject({ status: 'ok' })
  })
})
