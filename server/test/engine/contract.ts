import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { testImages, testIsolation, testOutput, testFaults } from './contract-edges.ts'
import { engineProxy } from './proxy.ts'
import { until } from './shell.ts'
import type { ContainerEngine } from '../../hosting/engine/engine.ts'
import {
  getJson,
  collect,
  faultOf,
  openEngineFor,
  startWorkload,
  waitUntilReachable,
  observeInstance,
  waitForInstance,
  deadline,
  workloadOn,
  type SystemUnderTest,
} from './system-under-test.ts'

/** The tests that every driver of the engine port must pass. */
export function engineContract(sut: SystemUnderTest) {
  testInstances(sut)
  testPhases(sut)
  testOwnership(sut)
  testOutput(sut)
  testImages(sut)
  testIsolation(sut)
  testFaults(sut)
}

function testInstances(sut: SystemUnderTest) {
  test('info returns version and resources', async () => {
    const { engine } = openEngineFor(sut)
    const info = await engine.info(deadline())
    expect(info).toMatchObject({
      kind: sut.kind,
      hosts: sut.kind === 'swarm' ? sut.engines.hosts.length : 1,
    })
    expect(info.api_version).toMatch(/^1\.\d\d$/)
    expect(info.memory_mb).toBeGreaterThan(500)
    expect(info.millicores).toBeGreaterThanOrEqual(1_000)
  })

  test('a tag is resolved once; ensure is idempotent; the next generation resolves the tag again, next to the first', async () => {
    const { engine } = openEngineFor(sut)
    const path = `demo/${randomUUID()}`
    const first_digest = await sut.engines.push(path, 'now', { env: { APP_VERSION: '1' } })
    const first = workloadOn(engine, sut, { path: `${path}:now` })
    const image = `${sut.engines.registry.host}/${path}@${first_digest}`
    const ensured = await engine.ensure(first, deadline())
    expect(ensured).toEqual({ image, pulled: sut.kind !== 'swarm' })
    const before = await waitForInstance(engine, first, ({ phase }) => phase === 'running')
    const second_digest = await sut.engines.push(path, 'now', { env: { APP_VERSION: '2' } })
    expect(await engine.ensure(first, deadline())).toEqual(ensured)
    expect(await observeInstance(engine, first)).toEqual(before)
    const second = { ...first, generation: 2 }
    expect(await engine.ensure(second, deadline())).toMatchObject({ image: image.replace(first_digest, second_digest) })
    const answers = await Promise.all(
      [first, second].map(async (each) => getJson(await waitUntilReachable(engine, each), '/')),
    )
    expect(answers).toMatchObject([{ version: '1' }, { version: '2' }])
    await engine.remove({ workload: first.id, generation: 1 }, deadline())
    expect(await observeInstance(engine, first)).toBeUndefined()
    expect(await observeInstance(engine, second)).toMatchObject({ phase: 'running', generation: 2 })
  })

  test('an observation of one deployment equals its part of the observation of all', async () => {
    const { engine } = openEngineFor(sut)
    const [first, other] = [workloadOn(engine, sut), workloadOn(engine, sut)]
    await Promise.all([first, other].map((workload) => engine.ensure(workload, deadline())))
    await Promise.all([first, other].map((workload) => waitUntilReachable(engine, workload)))
    for (const workload of [first, other])
      expect(await engine.observe(deadline(), workload.id)).toEqual([await observeInstance(engine, workload)])
    expect(await engine.observe(deadline(), randomUUID())).toEqual([])
  })

  test('an instance whose creation lost its answer is adopted: there is one', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine, installation_id } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, sut)
    proxy.inject = (line) => (/^POST \S+(containers|services)\/create/.test(line) ? 'lose_answer' : undefined)
    expect((await faultOf(engine.ensure(workload, deadline()))).fault).toBe('unreachable')
    expect(proxy.injected).toBe(1)
    proxy.inject = () => undefined
    await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    const { engine: other } = openEngineFor(sut, { installation_id })
    expect(await other.observe(deadline())).toHaveLength(1)
  })

  test('D-104: usage grows with the program’s work; stopped, absent and foreign instances have none', async () => {
    const { engine } = openEngineFor(sut)
    const { workload, url, first } = await firstUsage(engine, sut)
    expect(first?.memory_bytes).toBeGreaterThan(1024 * 1024)
    expect(first?.memory_bytes).toBeLessThan(128 * 1024 * 1024)
    await Promise.all(Array.from({ length: 50 }, () => getJson(url, '/env')))
    const second = await engine.usage(workload, deadline())
    for (const counted of ['processor_ns', 'received_bytes', 'sent_bytes'] as const)
      expect(second?.[counted]).toBeGreaterThan(first?.[counted] ?? Infinity)
    expect(await engine.usage({ ...workload, generation: 2 }, deadline())).toBeUndefined()
    await engine.ensure({ ...workload, running: false }, deadline())
    await until('the end of the container', async () => (await engine.usage(workload, deadline())) === undefined)
  })

  test('five concurrent callers create one instance and one network', async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut)
    const images = await Promise.all([1, 2, 3, 4, 5].map(async () => (await engine.ensure(workload, deadline())).image))
    expect(new Set(images).size).toBe(1)
    expect(await engine.observe(deadline())).toHaveLength(1)
    const networks = await networksOf(sut, workload.app_id)
    expect(networks).toHaveLength(1)
  })

  test('environment values arrive byte for byte, and appear in no URL, header or error', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const env = { PORT: '8080', CANARY: 'canary-7f3\n"$(id)" `x` \\ \' = ä 猫\t', EMPTY: '', __proto_: 'constructor' }
    const workload = workloadOn(engine, sut, { env })
    await engine.ensure(workload, deadline())
    expect(await getJson(await waitUntilReachable(engine, workload), '/env')).toMatchObject(env)
    const { message } = await faultOf(
      engine.ensure({ ...workload, generation: 2, image: `${workload.image}-canary-7f3` }, deadline()),
    )
    expect(message).not.toBe('')
    expect(proxy.heads.length).toBeGreaterThan(5)
    // The name of the image is part of the address of a pull.
    for (const head of proxy.heads.filter((each) => !/\/(distribution|images)\//.test(each)))
      expect(head).not.toMatch(/canary-7f3|%24%28id|Y2FuYXJ5/)
  })

  test('absent objects count as removed', async () => {
    const { engine } = openEngineFor(sut)
    await engine.remove({ workload: randomUUID() }, deadline())
    await engine.remove({ workload: randomUUID(), generation: 3 }, deadline())
    await engine.remove({ network_of_app: randomUUID() }, deadline())
    await engine.remove({ image: `${sut.engines.registry.host}/demo/none@sha256:${'0'.repeat(64)}` }, deadline())
  })

  test('a network in use stays, and is removed when nothing uses it', async () => {
    const { engine, workload } = await startWorkload(sut)
    await engine.remove({ network_of_app: workload.app_id }, deadline())
    expect(await networksOf(sut, workload.app_id)).toHaveLength(1)
    await engine.remove({ workload: workload.id }, deadline())
    await until('the removal of the network', async () => {
      await engine.remove({ network_of_app: workload.app_id }, deadline())
      return (await networksOf(sut, workload.app_id)).length === 0
    })
  })
}

interface ListedNetwork {
  Name: string
  IPAM: { Config: { Subnet: string }[] | null }
}

/** A workload whose usage the engine can report. A Swarm reports only usage on the node of its socket, and may choose another node. */
async function firstUsage(engine: ContainerEngine, sut: SystemUnderTest) {
  for (let tries = 0; ; tries++) {
    const workload = workloadOn(engine, sut)
    await engine.ensure(workload, deadline())
    const url = await waitUntilReachable(engine, workload)
    const first = await engine.usage(workload, deadline())
    if (first || sut.kind !== 'swarm' || tries === 5) return { workload, url, first }
  }
}

async function networksOf({ engines }: SystemUnderTest, app_id: string) {
  const all = await engines.host.docker.call<ListedNetwork[]>('GET', '/networks', { signal: deadline() })
  return all.filter(({ Name }) => Name.startsWith(`plaza-app-${app_id}`))
}

function testPhases(sut: SystemUnderTest) {
  test('running, stopped, running again', async () => {
    const { engine, workload } = await startWorkload(sut)
    const seen = await observeInstance(engine, workload)
    expect(seen).toMatchObject({ phase: 'running', restarts: 0, exit_code: null, oom_killed: false, reason: null })
    expect(seen?.started_at?.getTime()).toBeGreaterThan(Date.now() - 60_000)
    await engine.ensure({ ...workload, running: false }, deadline())
    const stopped = await waitForInstance(engine, workload, ({ phase }) => phase === 'exited')
    expect(stopped).toMatchObject({ endpoint: null, oom_killed: false })
    await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
  })

  test('an instance that is created stopped never runs', async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut, { running: false })
    await engine.ensure(workload, deadline())
    expect(await observeInstance(engine, workload)).toMatchObject({ endpoint: null, started_at: null, restarts: 0 })
    expect((await observeInstance(engine, workload))?.phase).not.toBe('running')
  })

  test('a program that exits is restarted, counted, and observed with its exit code', async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut, { path: 'demo/exit1:1' })
    await engine.ensure(workload, deadline())
    await waitForInstance(engine, workload, ({ restarts }) => restarts >= 2)
    const seen = await waitForInstance(engine, workload, ({ phase }) => phase === 'restarting')
    expect(seen).toMatchObject({ exit_code: 1, oom_killed: false, endpoint: null })
  })

  test('out of memory ends that workload only', async () => {
    const { engine } = openEngineFor(sut)
    const neighbour = workloadOn(engine, sut)
    await engine.ensure(neighbour, deadline())
    const url = await waitUntilReachable(engine, neighbour)
    const workload = workloadOn(engine, sut, { path: 'demo/oom:1', memory_mb: 64 })
    await engine.ensure(workload, deadline())
    const seen = await waitForInstance(
      engine,
      workload,
      ({ phase, exit_code }) => phase === 'restarting' && exit_code !== null,
    )
    expect(seen).toMatchObject({ exit_code: 137, oom_killed: sut.kind !== 'swarm' && !sut.differences?.tells_no_oom })
    expect(await getJson(url, '/')).toMatchObject({ method: 'GET' })
    expect(await observeInstance(engine, neighbour)).toMatchObject({ phase: 'running', restarts: 0 })
  })

  test('a command that is not in the image: refused or failed, with the reason', async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut, {
      path: 'demo/nothing:1',
      env: { PORT: '8080', SECRET: '/no/such/program' },
    })
    const { fault, message } = await faultOf(engine.ensure(workload, deadline()))
    expect(fault).toBe(sut.kind === 'swarm' ? undefined : 'refused')
    expect(message).not.toContain('/no/such/program')
    if (sut.differences?.forgets_failed_starts)
      return expect(await observeInstance(engine, workload)).toMatchObject({ phase: 'waiting', reason: null })
    const seen = await waitForInstance(engine, workload, ({ phase }) => phase === 'failed' || phase === 'restarting')
    expect(seen.reason).toMatch(/no such file|executable|starting container failed/i)
    expect(seen.reason).not.toContain('/no/such/program')
  })
}

function testOwnership(sut: SystemUnderTest) {
  test("another installation's instances are neither observed nor removed, whatever their ids", async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut)
    await engine.ensure(workload, deadline())
    const { engine: foreign } = openEngineFor(sut)
    expect(await foreign.observe(deadline())).toEqual([])
    await foreign.remove({ workload: workload.id }, deadline())
    await foreign.remove({ network_of_app: workload.app_id }, deadline())
    await expect(collect(foreign.logs(workload, { tail: 5 }, deadline()))).resolves.toEqual([])
    expect((await faultOf(foreign.ensure(workload, deadline()))).fault).toBe('refused')
    await foreign.remove({ network_of_app: workload.app_id }, deadline())
    await waitUntilReachable(engine, workload)
  })

  test("a network with the platform's labels and other options is not used", async () => {
    const { engine, installation_id } = openEngineFor(sut)
    const workload = workloadOn(engine, sut)
    const { docker } = sut.engines.host
    const body = {
      Name: `plaza-app-${workload.app_id}-01234567`,
      Driver: sut.kind === 'swarm' ? 'overlay' : 'bridge',
      Attachable: true,
      Labels: { 'plaza.installation': installation_id, 'plaza.app': workload.app_id },
      IPAM: { Config: [{ Subnet: '10.99.0.0/24' }] },
    }
    await docker.call('POST', '/networks/create', { signal: deadline(), body })
    expect((await faultOf(engine.ensure(workload, deadline()))).fault).toBe('isolation')
    expect(await engine.observe(deadline())).toEqual([])
  })

  test('labels of an image do not override those of its instance', async () => {
    const { engine, installation_id } = openEngineFor(sut)
    const labels = {
      'plaza.installation': 'evil',
      'plaza.deployment': 'evil',
      'plaza.generation': '9',
      'plaza.app': 'evil',
    }
    const path = `demo/${randomUUID()}`
    await sut.engines.push(path, '1', { labels: { ...labels, 'traefik.enable': 'true' } })
    const workload = workloadOn(engine, sut, { path: `${path}:1` })
    await engine.ensure(workload, deadline())
    await waitUntilReachable(engine, workload)
    expect(await observeInstance(engine, workload)).toMatchObject({
      id: workload.id,
      generation: 1,
      app_id: workload.app_id,
    })
    expect(installation_id).not.toBe('evil')
    const { engine: evil } = openEngineFor(sut, { installation_id: 'evil' })
    expect(await evil.observe(deadline())).toEqual([])
  })
}
