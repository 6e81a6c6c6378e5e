import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { engineContract } from '../../../test/engine/contract.ts'
import {
  faultOf,
  openFor,
  reach,
  see,
  seeWhen,
  workloadOn,
  type SystemUnderTest,
  soon,
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
  const inspect = (name: string) => docker.call<Inspected>('GET', `/containers/${name}/json`, { signal: soon() })

  test('a port is published at the address of the host only, and nothing of the host is inside', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    const { HostConfig } = await inspect(`plaza-${workload.id}-1`)
    expect(HostConfig.PortBindings).toEqual({
      '8080/tcp': [{ HostIp: address, HostPort: expect.stringMatching(/^0?$/) }],
    })
    expect(HostConfig.Binds).toBeNull()
  })

  test('what somebody paused or stopped by hand is seen, and runs again when it is ensured', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    await reach(engine, workload)
    for (const [deed, phase] of [
      ['pause', 'waiting'],
      ['kill', 'exited'],
    ] as const) {
      await docker.call('POST', `/containers/plaza-${workload.id}-1/${deed}`, { signal: soon() })
      await seeWhen(engine, workload, (seen) => seen.phase === phase)
      await engine.ensure(workload, soon())
      await reach(engine, workload)
    }
  })

  test('what goes on undisturbed is not looked at each time; what was started again meanwhile is', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openFor(subject, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    const url = await reach(engine, workload)
    await until('a few seconds', 15, async () => {
      const { State } = await inspect(`plaza-${workload.id}-1`)
      return Date.now() - new Date(State.StartedAt).getTime() > 4_000
    })
    const first = await engine.observe(soon())
    const looks = () => proxy.heads.filter((head) => /^GET \S+\/containers\/[0-9a-f]{64}\/json/.test(head)).length
    const before = looks()
    expect(await engine.observe(soon())).toEqual(first)
    expect(looks()).toBe(before)
    expect(await engine.observe(soon(), workload.id)).toEqual(first)
    expect(looks()).toBe(before + 1)
    await fetch(`${url}/exit?code=3`).catch(() => {})
    await seeWhen(engine, workload, ({ phase, restarts }) => phase === 'running' && restarts === 1)
    await reach(engine, workload)
    // By hand, so quickly that no list shows it down, and with another port afterwards.
    await docker.call('POST', `/containers/plaza-${workload.id}-1/restart`, { signal: soon(), query: { t: '0' } })
    const [after] = await engine.observe(soon())
    expect(after?.started_at?.getTime()).toBeGreaterThan(first[0]?.started_at?.getTime() ?? 0)
    await reach(engine, workload)
  })

  test('one that the engine fails to describe is seen to be there, alone on its host and beside others', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openFor(subject, { socket_path: proxy.socket_path })
    const [stuck, sound] = [workloadOn(engine, subject), workloadOn(engine, subject, { running: false })]
    await engine.ensure(stuck, soon())
    const { Id, Created } = await inspect(`plaza-${stuck.id}-1`)
    const body = JSON.stringify({ message: 'layer is gone' })
    const answer = `HTTP/1.1 500 Internal Server Error\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
    proxy.treat = (line) => (line.includes(`/containers/${Id}/json`) ? { answer } : undefined)
    const [unknown] = await engine.observe(soon())
    expect(unknown).toMatchObject({
      id: stuck.id,
      generation: 1,
      app_id: stuck.app_id,
      phase: 'unknown',
      endpoint: null,
    })
    expect(Math.abs(Number(unknown?.created_at) - Date.parse(Created))).toBeLessThan(1_000)
    expect((await faultOf(engine.observe(soon(), stuck.id))).fault).toBe('unreachable')
    await engine.ensure(sound, soon())
    expect((await see(engine, stuck))?.phase).toBe('unknown')
    expect((await see(engine, sound))?.phase).toBe('waiting')
    expect(proxy.treated).toBeGreaterThan(0)
    await engine.remove({ workload: stuck.id }, soon())
    expect(await see(engine, stuck)).toBeUndefined()
  })

  test('what somebody made otherwise than we do is made anew', async () => {
    const { engine, installation_id } = openFor(subject)
    const workload = workloadOn(engine, subject)
    const { image } = await engine.ensure(workload, soon())
    const name = `plaza-${workload.id}-1`
    const labels = {
      'plaza.installation': installation_id,
      'plaza.deployment': workload.id,
      'plaza.generation': '1',
      'plaza.app': workload.app_id,
    }
    await docker.call('DELETE', `/containers/${name}`, { signal: soon(), query: { force: 'true' } })
    const body = { Image: image, Labels: labels, HostConfig: { Privileged: true, Binds: ['/:/host'] } }
    await docker.call('POST', '/containers/create', { signal: soon(), query: { name }, body })
    await engine.ensure(workload, soon())
    await reach(engine, workload)
    expect((await inspect(name)).HostConfig).toMatchObject({ Privileged: false, Binds: null, CapDrop: ['ALL'] })
  })

  test("somebody else's container with our labels is not shown, and stays", async () => {
    const { engine, installation_id } = openFor(subject)
    const workload = workloadOn(engine, subject)
    const { image } = await engine.ensure(workload, soon())
    await reach(engine, workload)
    const labels = {
      'plaza.installation': installation_id,
      'plaza.deployment': workload.id,
      'plaza.generation': '1',
      'plaza.app': workload.app_id,
    }
    const name = `somebody-${randomUUID()}`
    await docker.call('POST', '/containers/create', {
      signal: soon(),
      query: { name },
      body: { Image: image, Labels: labels },
    })
    expect(await engine.observe(soon())).toHaveLength(1)
    await engine.remove({ workload: workload.id }, soon())
    expect((await inspect(name)).State.Status).toBe('created')
    await docker.call('DELETE', `/containers/${name}`, { signal: soon() })
  })

  test("somebody else's container under our name is not taken over", async () => {
    const { engine } = openFor(subject)
    const known = workloadOn(engine, subject)
    const { image } = await engine.ensure(known, soon())
    const workload = workloadOn(engine, subject)
    const name = `plaza-${workload.id}-1`
    await docker.call('POST', '/containers/create', { signal: soon(), query: { name }, body: { Image: image } })
    expect((await faultOf(engine.ensure(workload, soon()))).fault).toBe('refused')
    await engine.remove({ workload: workload.id }, soon())
    expect((await inspect(name)).State.Status).toBe('created')
    await docker.call('DELETE', `/containers/${name}`, { signal: soon() })
  })

  test('an app whose network finds no room is told so, and nothing is made', async () => {
    const { engine } = openFor(subject, { network_range: '10.251.0.0/27' })
    const [first, second, third] = [
      workloadOn(engine, subject),
      workloadOn(engine, subject),
      workloadOn(engine, subject),
    ]
    await Promise.all([first, second].map((workload) => engine.ensure(workload, soon())))
    expect((await faultOf(engine.ensure(third, soon()))).fault).toBe('no_capacity')
    expect(await see(engine, third)).toBeUndefined()
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
    const { engine } = openFor(subject, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, subject, { path: await imagePath(), running: false })
    proxy.treat = (first) => (first.includes('/images/create') ? streamed('{"status":"begins"}', line) : undefined)
    expect((await faultOf(engine.ensure(workload, soon()))).fault).toBe(fault)
    expect(proxy.treated).toBe(1)
    proxy.treat = () => undefined
    expect(await engine.ensure(workload, soon())).toMatchObject({ pulled: true })
  })

  test('a pull that is given up on the way leaves nothing, and can be repeated', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openFor(subject, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, subject, { path: await imagePath() })
    const patience = new AbortController()
    proxy.treat = (first) => {
      if (!first.includes('/images/create')) return undefined
      setTimeout(() => patience.abort(), 50)
      return 'hang'
    }
    expect((await faultOf(engine.ensure(workload, patience.signal))).fault).toBe('timeout')
    expect(proxy.treated).toBe(1)
    proxy.treat = () => undefined
    expect(await engine.observe(soon())).toEqual([])
    await engine.ensure(workload, soon())
  })

  test('an image that an instance uses stays, even at rest; one that nobody uses goes', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject, { path: await imagePath() })
    const { image, pulled } = await engine.ensure({ ...workload, running: false }, soon())
    expect(pulled).toBe(true)
    const isThere = () =>
      subject.engines.host.docker.call('GET', `/images/${image}/json`, { signal: soon() }).then(Boolean, () => false)
    await engine.remove({ image }, soon())
    expect(await isThere()).toBe(true)
    await engine.remove({ workload: workload.id }, soon())
    await engine.remove({ image }, soon())
    expect(await isThere()).toBe(false)
    expect(await engine.ensure(workload, soon())).toEqual({ image, pulled: true })
  })
}
