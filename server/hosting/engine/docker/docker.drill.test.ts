import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { engineContract } from '../../../test/engine/contract.ts'
import {
  faultOf,
  openEngineFor,
  startWorkload,
  waitUntilReachable,
  observeInstance,
  waitForInstance,
  workloadOn,
  type SystemUnderTest,
  deadline,
} from '../../../test/engine/system-under-test.ts'
import { describeEngines, pushFixtures, startEngines } from '../../../test/engine/harness.ts'
import { engineFailure, engineProxy } from '../../../test/engine/proxy.ts'
import { labelsOf } from '../names.ts'
import { openEngine } from '../open.ts'
import { until } from '../../../test/engine/shell.ts'

describeEngines('one Docker host', async () => {
  const engines = await startEngines()
  await pushFixtures(engines)
  const sut: SystemUnderTest = { engines, kind: 'docker', spec: () => engines.host.spec }
  engineContract(sut)
  testIntervention(sut)
  testPulls(sut)
  testKind(sut)
})

interface Inspected {
  Id: string
  Created: string
  State: { Status: string; StartedAt: string }
  HostConfig: { PortBindings: unknown; Binds: unknown }
}

function testIntervention(sut: SystemUnderTest) {
  const { docker, address } = sut.engines.host
  const inspect = (name: string) => docker.call<Inspected>('GET', `/containers/${name}/json`, { signal: deadline() })

  test("a port is published at the host's address only, and nothing of the host is mounted", async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut)
    await engine.ensure(workload, deadline())
    const { HostConfig } = await inspect(`plaza-${workload.id}-1`)
    expect(HostConfig.PortBindings).toEqual({
      '8080/tcp': [{ HostIp: address, HostPort: expect.stringMatching(/^0?$/) }],
    })
    expect(HostConfig.Binds).toBeNull()
  })

  test('a container paused or stopped by hand is observed in this state, and runs again after ensure', async () => {
    const { engine, workload } = await startWorkload(sut)
    for (const [action, phase] of [
      ['pause', 'waiting'],
      ['kill', 'exited'],
    ] as const) {
      await docker.call('POST', `/containers/plaza-${workload.id}-1/${action}`, { signal: deadline() })
      await waitForInstance(engine, workload, (seen) => seen.phase === phase)
      await engine.ensure(workload, deadline())
      await waitUntilReachable(engine, workload)
    }
  })

  test('a container that runs without interruption is not inspected each time; a restarted one is', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine, workload, url } = await startWorkload(sut, {}, { socket_path: proxy.socket_path })
    await until('a few seconds', async () => {
      const { State } = await inspect(`plaza-${workload.id}-1`)
      return Date.now() - new Date(State.StartedAt).getTime() > 4_000
    })
    const first = await engine.observe(deadline())
    const inspections = () => proxy.heads.filter((head) => /^GET \S+\/containers\/[0-9a-f]{64}\/json/.test(head)).length
    const before = inspections()
    expect(await engine.observe(deadline())).toEqual(first)
    expect(inspections()).toBe(before)
    expect(await engine.observe(deadline(), workload.id)).toEqual(first)
    expect(inspections()).toBe(before + 1)
    await fetch(`${url}/exit?code=3`).catch(() => {})
    await waitForInstance(engine, workload, ({ phase, restarts }) => phase === 'running' && restarts === 1)
    await waitUntilReachable(engine, workload)
    // A restart by hand is so quick that no list shows the container stopped; its port changes.
    await docker.call('POST', `/containers/plaza-${workload.id}-1/restart`, { signal: deadline(), query: { t: '0' } })
    const [after] = await engine.observe(deadline())
    expect(after?.started_at?.getTime()).toBeGreaterThan(first[0]?.started_at?.getTime() ?? 0)
    await waitUntilReachable(engine, workload)
  })

  test('a container that cannot be inspected is observed as unknown, alone on its host and beside others', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const [stuck, sound] = [workloadOn(engine, sut), workloadOn(engine, sut, { running: false })]
    await engine.ensure(stuck, deadline())
    const { Id, Created } = await inspect(`plaza-${stuck.id}-1`)
    proxy.inject = (line) => (line.includes(`/containers/${Id}/json`) ? engineFailure('layer is gone') : undefined)
    const [unknown] = await engine.observe(deadline())
    expect(unknown).toMatchObject({
      id: stuck.id,
      generation: 1,
      app_id: stuck.app_id,
      phase: 'unknown',
      endpoint: null,
    })
    expect(Math.abs(Number(unknown?.created_at) - Date.parse(Created))).toBeLessThan(1_000)
    expect((await faultOf(engine.observe(deadline(), stuck.id))).fault).toBe('unreachable')
    await engine.ensure(sound, deadline())
    expect((await observeInstance(engine, stuck))?.phase).toBe('unknown')
    expect((await observeInstance(engine, sound))?.phase).toBe('waiting')
    expect(proxy.injected).toBeGreaterThan(0)
    await engine.remove({ workload: stuck.id }, deadline())
    expect(await observeInstance(engine, stuck)).toBeUndefined()
  })

  test('out of memory is detected by the event if the flag is not set; a lost event stream has no effect', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const sound = workloadOn(engine, sut)
    const workload = workloadOn(engine, sut, { path: 'demo/oom:1', memory_mb: 64 })
    let lost = 0
    proxy.inject = (line) => {
      if (line.includes('/events?') && lost++ < 2) return 'refuse'
      const change = (answer: string) => answer.replaceAll('"OOMKilled":true', '"OOMKilled":null')
      return line.startsWith('GET') ? { change } : undefined
    }
    await engine.ensure(sound, deadline())
    await waitUntilReachable(engine, sound)
    await engine.ensure(workload, deadline())
    const seen = await waitForInstance(engine, workload, ({ oom_killed }) => oom_killed)
    expect(seen).toMatchObject({ phase: 'restarting', exit_code: 137 })
    expect(lost).toBeGreaterThan(2)
    expect(await observeInstance(engine, sound)).toMatchObject({ phase: 'running', oom_killed: false })
  })

  test('a container that was killed for another reason is not reported as out of memory', async () => {
    const { engine, workload } = await startWorkload(sut)
    await docker.call('POST', `/containers/plaza-${workload.id}-1/kill`, { signal: deadline() })
    const seen = await waitForInstance(engine, workload, ({ phase }) => phase === 'exited')
    expect(seen).toMatchObject({ exit_code: 137, oom_killed: false })
  })

  test('a container with other isolation settings is replaced', async () => {
    const { engine, installation_id } = openEngineFor(sut)
    const workload = workloadOn(engine, sut)
    const { image } = await engine.ensure(workload, deadline())
    const name = `plaza-${workload.id}-1`
    const labels = labelsOf(installation_id, workload, false)
    await docker.call('DELETE', `/containers/${name}`, { signal: deadline(), query: { force: 'true' } })
    const body = { Image: image, Labels: labels, HostConfig: { Privileged: true, Binds: ['/:/host'] } }
    await docker.call('POST', '/containers/create', { signal: deadline(), query: { name }, body })
    await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    expect((await inspect(name)).HostConfig).toMatchObject({ Privileged: false, Binds: null, CapDrop: ['ALL'] })
  })

  test("a foreign container with the platform's labels is not observed, and stays", async () => {
    const { engine, installation_id } = openEngineFor(sut)
    const workload = workloadOn(engine, sut)
    const { image } = await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    const labels = labelsOf(installation_id, workload, false)
    const name = `foreign-${randomUUID()}`
    await docker.call('POST', '/containers/create', {
      signal: deadline(),
      query: { name },
      body: { Image: image, Labels: labels },
    })
    expect(await engine.observe(deadline())).toHaveLength(1)
    await engine.remove({ workload: workload.id }, deadline())
    expect((await inspect(name)).State.Status).toBe('created')
    await docker.call('DELETE', `/containers/${name}`, { signal: deadline() })
  })

  test("a foreign container with the platform's name is not adopted", async () => {
    const { engine } = openEngineFor(sut)
    const known = workloadOn(engine, sut)
    const { image } = await engine.ensure(known, deadline())
    const workload = workloadOn(engine, sut)
    const name = `plaza-${workload.id}-1`
    await docker.call('POST', '/containers/create', { signal: deadline(), query: { name }, body: { Image: image } })
    expect((await faultOf(engine.ensure(workload, deadline()))).fault).toBe('refused')
    await engine.remove({ workload: workload.id }, deadline())
    expect((await inspect(name)).State.Status).toBe('created')
    await docker.call('DELETE', `/containers/${name}`, { signal: deadline() })
  })

  test('without a free subnet an app gets no_capacity, and nothing is created', async () => {
    const { engine } = openEngineFor(sut, { network_range: '10.251.0.0/27' })
    const [first, second, third] = [workloadOn(engine, sut), workloadOn(engine, sut), workloadOn(engine, sut)]
    await Promise.all([first, second].map((workload) => engine.ensure(workload, deadline())))
    expect((await faultOf(engine.ensure(third, deadline()))).fault).toBe('no_capacity')
    expect(await observeInstance(engine, third)).toBeUndefined()
  })
}

function testKind(sut: SystemUnderTest) {
  test('Docker configured as Podman is refused, with the right setting', async () => {
    const { socket_path, address } = sut.engines.host
    const spec = { name: 'one', kind: 'podman', socket_path, address } as const
    const { engine, close } = openEngine(spec, { installation_id: 'any', network_range: '10.240.0.0/14' })
    expect(await faultOf(engine.info(deadline()))).toEqual({
      fault: 'isolation',
      message: 'It is not Podman: write docker+unix:// in place of podman+unix:// in CONTAINER_HOSTS.',
    })
    await close()
  })
}

function testPulls(sut: SystemUnderTest) {
  const imagePath = async () => {
    const path = `demo/${randomUUID()}`
    await sut.engines.push(path, '1', { env: { PATH_OF: path } })
    return `${path}:1`
  }
  const streamed = (...lines: string[]) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n'
    return { answer: `${head}${lines.map((line) => `${line}\r\n`).join('')}` }
  }

  test('a pull with an error in its answer has the fault of that error, and can be repeated', async () => {
    const answers = [
      [
        '{"errorDetail":{"message":"unauthorized: authentication required"},"error":"unauthorized: authentication required"}',
        'registry_auth_failed',
      ],
      ['{"error":"manifest for x not found: manifest unknown"}', 'image_not_found'],
      ['{"error":"Get \\"https://x/v2/\\": dial tcp: connect: connection refused"}', 'registry_unreachable'],
      ['{"error":"x509: certificate signed by unknown authority"}', 'registry_unreachable'],
      ['{"error":"failed to register layer: no space left on device"}', 'no_capacity'],
      ['not JSON at all {', 'registry_unreachable'],
      ['{"status":"Pulling"}', 'registry_unreachable'],
    ] as const
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, sut, { path: await imagePath(), running: false })
    for (const [line, fault] of answers) {
      proxy.inject = (first) => (first.includes('/images/create') ? streamed('{"status":"begins"}', line) : undefined)
      expect([line, (await faultOf(engine.ensure(workload, deadline()))).fault]).toEqual([line, fault])
    }
    expect(proxy.injected).toBe(answers.length)
    proxy.inject = () => undefined
    expect(await engine.ensure(workload, deadline())).toMatchObject({ pulled: true })
  })

  test('an aborted pull leaves nothing, and can be repeated', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, sut, { path: await imagePath() })
    const abort = new AbortController()
    proxy.inject = (first) => {
      if (!first.includes('/images/create')) return undefined
      setTimeout(() => abort.abort(), 50)
      return 'hang'
    }
    expect((await faultOf(engine.ensure(workload, abort.signal))).fault).toBe('timeout')
    expect(proxy.injected).toBe(1)
    proxy.inject = () => undefined
    expect(await engine.observe(deadline())).toEqual([])
    await engine.ensure(workload, deadline())
  })

  test('an image in use by an instance stays, even a stopped one; an unused one is removed', async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut, { path: await imagePath() })
    const { image, pulled } = await engine.ensure({ ...workload, running: false }, deadline())
    expect(pulled).toBe(true)
    const isPresent = () =>
      sut.engines.host.docker.call('GET', `/images/${image}/json`, { signal: deadline() }).then(Boolean, () => false)
    await engine.remove({ image }, deadline())
    expect(await isPresent()).toBe(true)
    await engine.remove({ workload: workload.id }, deadline())
    await engine.remove({ image }, deadline())
    expect(await isPresent()).toBe(false)
    expect(await engine.ensure(workload, deadline())).toEqual({ image, pulled: true })
  })
}
