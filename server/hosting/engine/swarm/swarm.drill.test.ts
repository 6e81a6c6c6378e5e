import { expect, test } from 'vitest'
import { engineContract } from '../../../test/engine/contract.ts'
import { flushFirewall, runFirewall } from '../../../test/engine/firewall.ts'
import {
  faultOf,
  observeInstance,
  openEngineFor,
  waitUntilReachable,
  waitForInstance,
  workloadOn,
  type SystemUnderTest,
  deadline,
} from '../../../test/engine/system-under-test.ts'
import { describeEngines, joinSwarm, pushFixtures, startEngines } from '../../../test/engine/harness.ts'
import { probeArchive } from '../probe/image.ts'
import { no_new_privileges_label } from './services.ts'

describeEngines('a Swarm of three hosts', async () => {
  const engines = await startEngines({
    hosts: 3,
    daemon_options: ['--no-new-privileges', '--label', `${no_new_privileges_label}=true`],
  })
  await pushFixtures(engines)
  const spec = await joinSwarm(engines)
  const sut: SystemUnderTest = { engines, kind: 'swarm', spec: () => spec }
  engineContract(sut)

  test('the probe distinguishes open nodes, those behind the firewall, and one without its image', async () => {
    const { engine } = openEngineFor(sut)
    const [host, port] = engines.registry.host.split(':')
    const registry = { what: 'registry', address: host!, port: Number(port) } as const
    const probe = async () =>
      (await engine.probe([registry], AbortSignal.timeout(80_000))).toSorted((a, b) => (a.node! < b.node! ? -1 : 1))
    for (const each of engines.hosts.slice(0, 2))
      for await (const _ of await each.docker.stream('POST', '/images/load', {
        signal: deadline(),
        tar: probeArchive(),
      }));
    await runFirewall(engines.hosts[1]!)
    const [open, closed, without] = await probe()
    expect([open, closed, without]).toMatchObject([
      { node: 'host1', failure: null },
      { node: 'host2', failure: null, found: [] },
      { node: 'host3', failure: expect.stringContaining('npm run admin -- probe-image'), found: [] },
    ])
    expect(new Set(open?.found.map(({ what }) => what))).toEqual(new Set(['registry', 'host', 'engine', 'app']))
    const services = await engines.host.docker.call<unknown[]>('GET', '/services', { signal: deadline() })
    expect(JSON.stringify(services)).not.toContain('plaza-probe-')
    await flushFirewall(engines.hosts[1]!)
  })

  test('an observation names the node', async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut)
    await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    const seen = await observeInstance(engine, workload)
    expect(seen?.host).toBe(engines.hosts.find(({ address }) => address === seen?.endpoint?.host)?.name)
  })

  test('a workload on a lost node runs on another', async () => {
    const { engine } = openEngineFor(sut)
    const workloads = Array.from({ length: 6 }, () => workloadOn(engine, sut))
    await Promise.all(workloads.map((workload) => engine.ensure(workload, deadline())))
    for (const workload of workloads) await waitUntilReachable(engine, workload)
    const lost = engines.hosts[2]
    const seen = await engine.observe(deadline())
    const moved = workloads.find(({ id }) =>
      seen.some((each) => each.id === id && each.endpoint?.host === lost?.address),
    )
    if (!lost || !moved) throw new Error('no workload was on the host')
    await lost.lose()
    await waitForInstance(
      engine,
      moved,
      ({ phase, endpoint }) => phase === 'running' && endpoint?.host !== lost.address,
      50,
    )
    await waitUntilReachable(engine, moved)
  })
})

describeEngines('hosts whose daemons do not deny new privileges', async () => {
  const engines = await startEngines()
  const sut: SystemUnderTest = {
    engines,
    kind: 'swarm',
    spec: () => `swarm=swarm+unix://${engines.host.socket_path}`,
  }

  test('no Swarm: refused; a Swarm that cannot isolate: isolation, and nothing starts on it', async () => {
    const { engine } = openEngineFor(sut)
    expect((await faultOf(engine.info(deadline()))).fault).toBe('refused')
    await joinSwarm(engines)
    expect(await faultOf(engine.info(deadline()))).toMatchObject({
      fault: 'isolation',
      message: expect.stringContaining(no_new_privileges_label),
    })
    await pushFixtures(engines)
    const workload = workloadOn(engine, sut)
    await engine.ensure(workload, deadline())
    const seen = await waitForInstance(engine, workload, ({ reason }) => reason !== null)
    expect(seen).toMatchObject({
      phase: 'waiting',
      endpoint: null,
      reason: expect.stringContaining('no suitable node'),
    })
  })
})
