import { expect, test } from 'vitest'
import { engineContract } from '../../../test/engine/contract.ts'
import {
  faultOf,
  openEngineFor,
  waitUntilReachable,
  waitForInstance,
  workloadOn,
  type SystemUnderTest,
  deadline,
} from '../../../test/engine/system-under-test.ts'
import { describeEngines, joinSwarm, pushFixtures, startEngines } from '../../../test/engine/harness.ts'
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
