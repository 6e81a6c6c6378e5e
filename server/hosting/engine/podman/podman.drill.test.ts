import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { engineContract } from '../../../test/engine/contract.ts'
import { describePodman, pushFixtures, startEngines } from '../../../test/engine/harness.ts'
import { engineProxy } from '../../../test/engine/proxy.ts'
import {
  deadline,
  faultOf,
  observeInstance,
  openEngineFor,
  waitForInstance,
  startWorkload,
  waitUntilReachable,
  workloadOn,
  type SystemUnderTest,
} from '../../../test/engine/system-under-test.ts'
import { labelsOf } from '../names.ts'
import { openEngine } from '../open.ts'

describePodman('one host with Podman', async () => {
  const engines = await startEngines({ podman: true })
  await pushFixtures(engines)
  const sut: SystemUnderTest = {
    engines,
    kind: 'podman',
    spec: () => engines.host.spec,
    differences: { tells_no_oom: true, times_in_seconds: true, forgets_failed_starts: true },
  }
  engineContract(sut)
  testHost(sut)
  testRefusals(sut)
})

function testHost(sut: SystemUnderTest) {
  const { docker } = sut.engines.host

  test('a container paused or stopped by hand is observed in this state, and runs again after ensure', async () => {
    const { engine, workload } = await startWorkload(sut)
    for (const [action, phase] of [
      ['pause', 'waiting'],
      ['stop', 'exited'],
    ] as const) {
      await docker.call('POST', `/containers/plaza-${workload.id}-1/${action}`, { signal: deadline() })
      await waitForInstance(engine, workload, (seen) => seen.phase === phase)
      await engine.ensure(workload, deadline())
      await waitUntilReachable(engine, workload)
    }
  })

  test('a container with other isolation settings is replaced; a program may listen on port 80', async () => {
    const { engine, installation_id } = openEngineFor(sut)
    const workload = workloadOn(engine, sut, { port: 80, env: { PORT: '80' } })
    const { image } = await engine.ensure({ ...workload, running: false }, deadline())
    const name = `plaza-${workload.id}-1`
    await docker.call('DELETE', `/containers/${name}`, { signal: deadline(), query: { force: 'true' } })
    const labels = { ...labelsOf(installation_id, workload, false), 'plaza.image': image }
    const body = { Image: image, Labels: labels, HostConfig: { Privileged: true, Binds: ['/tmp:/host'] } }
    await docker.call('POST', '/containers/create', { signal: deadline(), query: { name }, body })
    await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    const { HostConfig } = await docker.call<{ HostConfig: unknown }>('GET', `/containers/${name}/json`, {
      signal: deadline(),
    })
    expect(HostConfig).toMatchObject({ Privileged: false, Binds: [] })
  })

  test('an image in use by an instance stays; an unused one is removed, even if its tag has moved', async () => {
    const { engine } = openEngineFor(sut)
    const path = `demo/${randomUUID()}`
    await sut.engines.push(path, '1', { env: { PATH_OF: path } })
    const workload = workloadOn(engine, sut, { path: `${path}:1`, running: false })
    const { image, pulled } = await engine.ensure(workload, deadline())
    expect(pulled).toBe(true)
    await sut.engines.push(path, '1', { env: { PATH_OF: 'moved' } })
    const moved = await engine.ensure({ ...workload, generation: 2 }, deadline())
    expect(moved.image).not.toBe(image)
    const left = async () => {
      const all = await docker.call<{ RepoTags: string[] | null }[]>('GET', '/images/json', { signal: deadline() })
      return all.flatMap(({ RepoTags }) => RepoTags ?? []).filter((name) => name.includes(path))
    }
    expect(await engine.remove({ image }, deadline())).toBe('in_use')
    expect((await left()).sort()).toEqual([image, moved.image].sort())
    await engine.remove({ workload: workload.id }, deadline())
    for (const each of [image, moved.image]) expect(await engine.remove({ image: each }, deadline())).toBe('gone')
    expect(await left()).toEqual([])
  })

  test('without a free subnet an app gets no_capacity, and nothing is created', async () => {
    const { engine } = openEngineFor(sut, { network_range: '10.251.0.0/28' })
    const [first, second] = [workloadOn(engine, sut, { running: false }), workloadOn(engine, sut)]
    await engine.ensure(first, deadline())
    expect((await faultOf(engine.ensure(second, deadline()))).fault).toBe('no_capacity')
    expect(await observeInstance(engine, second)).toBeUndefined()
  })
}

function testRefusals(sut: SystemUnderTest) {
  test.each([
    ['"rootless":false', '"rootless":true ', 'It is rootless Podman, which is not supported: '],
    ['"networkBackend":"netavark"', '"networkBackend":"cni-plug"', 'The networks of its backend cni-plug are open to '],
  ])('refused at start: a service that reports %s as %s', async (original, altered, reason) => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    proxy.inject = (line) =>
      line.includes('/libpod/info') ? { change: (answer) => answer.replace(original, altered) } : undefined
    expect(await faultOf(engine.info(deadline()))).toEqual({
      fault: 'isolation',
      message: expect.stringMatching(new RegExp(`^${reason}`)),
    })
    expect(proxy.injected).toBe(1)
  })

  test('Podman configured as Docker is refused, with the right setting', async () => {
    const { socket_path, address } = sut.engines.host
    const spec = { name: 'one', kind: 'docker', socket_path, address } as const
    const { engine, close } = openEngine(spec, { installation_id: 'any', network_range: '10.240.0.0/14' })
    expect(await faultOf(engine.info(deadline()))).toEqual({
      fault: 'isolation',
      message: expect.stringMatching(/^It is Podman 4\.\S+: write podman\+unix:\/\/ in place of docker\+unix:\/\/ /),
    })
    await close()
  })
}
