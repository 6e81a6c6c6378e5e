import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { engineContract } from '../../../test/engine/contract.ts'
import {
  faultOf,
  openEngineFor,
  waitUntilReachable,
  observeInstance,
  waitForInstance,
  workloadOn,
  type SystemUnderTest,
  deadline,
} from '../../../test/engine/system-under-test.ts'
import { describeEngines, pushFixtures, startEngines } from '../../../test/engine/harness.ts'
import { engineProxy } from '../../../test/engine/proxy.ts'
import { until } from '../../../test/engine/shell.ts'

describeEngines('one Docker host', async () => {
  const engines = await startEngines()
  await pushFixtures(engines)
  const subject: SystemUnderTest = { engines, kind: 'docker', spec: () => engines.host.spec }
  engineContract(subject)
  aboutHands(subject)
  aboutPulls(subject)
})

interface Inspected {
  Id: string
  Created: string
  State: { Status: string; StartedAt: string }
  HostConfig: { PortBindings: unknown; Binds: unknown }
}

function aboutHands(subject: SystemUnderTest) {
  const { docker, address } = subject.engines.host
  const inspect = (name: string) => docker.call<Inspected>('GET', `/containers/${name}/json`, { signal: deadline() })

  test('a port is published at the address of the host only, and nothing of the host is inside', async () => {
    const { engine } = openEngineFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, deadline())
    const { HostConfig } = await inspect(`plaza-${workload.id}-1`)
    expect(HostConfig.PortBindings).toEqual({
      '8080/tcp': [{ HostIp: address, HostPort: expect.stringMatching(/^0?$/) }],
    })
    expect(HostConfig.Binds).toBeNull()
  })

  test('what somebody paused or stopped by hand is seen, and runs again when it is ensured', async () => {
    const { engine } = openEngineFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    for (const [deed, phase] of [
      ['pause', 'waiting'],
      ['kill', 'exited'],
    ] as const) {
      await docker.call('POST', `/containers/plaza-${workload.id}-1/${deed}`, { signal: deadline() })
      await waitForInstance(engine, workload, (seen) => seen.phase === phase)
      await engine.ensure(workload, deadline())
      await waitUntilReachable(engine, workload)
    }
  })

  test('what goes on undisturbed is not looked at each time; what was started again meanwhile is', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openEngineFor(subject, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, deadline())
    const url = await waitUntilReachable(engine, workload)
    await until('a few seconds', 15, async () => {
      const { State } = await inspect(`plaza-${workload.id}-1`)
      return Date.now() - new Date(State.StartedAt).getTime() > 4_000
    })
    const first = await engine.observe(deadline())
    const looks = () => proxy.heads.filter((head) => /^GET \S+\/containers\/[0-9a-f]{64}\/json/.test(head)).length
    const before = looks()
    expect(await engine.observe(deadline())).toEqual(first)
    expect(looks()).toBe(before)
    expect(await engine.observe(deadline(), workload.id)).toEqual(first)
    expect(looks()).toBe(before + 1)
    await fetch(`${url}/exit?code=3`).catch(() => {})
    await waitForInstance(engine, workload, ({ phase, restarts }) => phase === 'running' && restarts === 1)
    await waitUntilReachable(engine, workload)
    // By hand, so quickly that no list shows it down, and with another port afterwards.
    await docker.call('POST', `/containers/plaza-${workload.id}-1/restart`, { signal: deadline(), query: { t: '0' } })
    const [after] = await engine.observe(deadline())
    expect(after?.started_at?.getTime()).toBeGreaterThan(first[0]?.started_at?.getTime() ?? 0)
    await waitUntilReachable(engine, workload)
  })

  test('one that the engine fails to describe is seen to be there, alone on its host and beside others', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openEngineFor(subject, { socket_path: proxy.socket_path })
    const [stuck, sound] = [workloadOn(engine, subject), workloadOn(engine, subject, { running: false })]
    await engine.ensure(stuck, deadline())
    const { Id, Created } = await inspect(`plaza-${stuck.id}-1`)
    const body = JSON.stringify({ message: 'layer is gone' })
    const answer = `HTTP/1.1 500 Internal Server Error\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
    proxy.inject = (line) => (line.includes(`/containers/${Id}/json`) ? { answer } : undefined)
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

  test('what somebody made otherwise than we do is made anew', async () => {
    const { engine, installation_id } = openEngineFor(subject)
    const workload = workloadOn(engine, subject)
    const { image } = await engine.ensure(workload, deadline())
    const name = `plaza-${workload.id}-1`
    const labels = {
      'plaza.installation': installation_id,
      'plaza.deployment': workload.id,
      'plaza.generation': '1',
      'plaza.app': workload.app_id,
    }
    await docker.call('DELETE', `/containers/${name}`, { signal: deadline(), query: { force: 'true' } })
    const body = { Image: image, Labels: labels, HostConfig: { Privileged: true, Binds: ['/:/host'] } }
    await docker.call('POST', '/containers/create', { signal: deadline(), query: { name }, body })
    await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    expect((await inspect(name)).HostConfig).toMatchObject({ Privileged: false, Binds: null, CapDrop: ['ALL'] })
  })

  test("somebody else's container with our labels is not shown, and stays", async () => {
    const { engine, installation_id } = openEngineFor(subject)
    const workload = workloadOn(engine, subject)
    const { image } = await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    const labels = {
      'plaza.installation': installation_id,
      'plaza.deployment': workload.id,
      'plaza.generation': '1',
      'plaza.app': workload.app_id,
    }
    const name = `somebody-${randomUUID()}`
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

  test("somebody else's container under our name is not taken over", async () => {
    const { engine } = openEngineFor(subject)
    const known = workloadOn(engine, subject)
    const { image } = await engine.ensure(known, deadline())
    const workload = workloadOn(engine, subject)
    const name = `plaza-${workload.id}-1`
    await docker.call('POST', '/containers/create', { signal: deadline(), query: { name }, body: { Image: image } })
    expect((await faultOf(engine.ensure(workload, deadline()))).fault).toBe('refused')
    await engine.remove({ workload: workload.id }, deadline())
    expect((await inspect(name)).State.Status).toBe('created')
    await docker.call('DELETE', `/containers/${name}`, { signal: deadline() })
  })

  test('an app whose network finds no room is told so, and nothing is made', async () => {
    const { engine } = openEngineFor(subject, { network_range: '10.251.0.0/27' })
    const [first, second, third] = [
      workloadOn(engine, subject),
      workloadOn(engine, subject),
      workloadOn(engine, subject),
    ]
    await Promise.all([first, second].map((workload) => engine.ensure(workload, deadline())))
    expect((await faultOf(engine.ensure(third, deadline()))).fault).toBe('no_capacity')
    expect(await observeInstance(engine, third)).toBeUndefined()
  })
}

function aboutPulls(subject: SystemUnderTest) {
  const imagePath = async () => {
    const path = `demo/${randomUUID()}`
    await subject.engines.push(path, '1', { env: { PATH_OF: path } })
    return `${path}:1`
  }
  const streamed = (...lines: string[]) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n'
    return { answer: `${head}${lines.map((line) => `${line}\r\n`).join('')}` }
  }

  test.each([
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
  ] as const)('a pull that goes wrong within its answer: %s', async (line, fault) => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openEngineFor(subject, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, subject, { path: await imagePath(), running: false })
    proxy.inject = (first) => (first.includes('/images/create') ? streamed('{"status":"begins"}', line) : undefined)
    expect((await faultOf(engine.ensure(workload, deadline()))).fault).toBe(fault)
    expect(proxy.injected).toBe(1)
    proxy.inject = () => undefined
    expect(await engine.ensure(workload, deadline())).toMatchObject({ pulled: true })
  })

  test('a pull that is given up on the way leaves nothing, and can be repeated', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openEngineFor(subject, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, subject, { path: await imagePath() })
    const patience = new AbortController()
    proxy.inject = (first) => {
      if (!first.includes('/images/create')) return undefined
      setTimeout(() => patience.abort(), 50)
      return 'hang'
    }
    expect((await faultOf(engine.ensure(workload, patience.signal))).fault).toBe('timeout')
    expect(proxy.injected).toBe(1)
    proxy.inject = () => undefined
    expect(await engine.observe(deadline())).toEqual([])
    await engine.ensure(workload, deadline())
  })

  test('an image that an instance uses stays, even at rest; one that nobody uses goes', async () => {
    const { engine } = openEngineFor(subject)
    const workload = workloadOn(engine, subject, { path: await imagePath() })
    const { image, pulled } = await engine.ensure({ ...workload, running: false }, deadline())
    expect(pulled).toBe(true)
    const isThere = () =>
      subject.engines.host.docker
        .call('GET', `/images/${image}/json`, { signal: deadline() })
        .then(Boolean, () => false)
    await engine.remove({ image }, deadline())
    expect(await isThere()).toBe(true)
    await engine.remove({ workload: workload.id }, deadline())
    await engine.remove({ image }, deadline())
    expect(await isThere()).toBe(false)
    expect(await engine.ensure(workload, deadline())).toEqual({ image, pulled: true })
  })
}
