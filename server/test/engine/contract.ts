import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { aboutImages, aboutIsolation, aboutOutput, aboutTrouble } from './contract-edges.ts'
import { engineProxy } from './proxy.ts'
import { until } from './shell.ts'
import {
  ask,
  collect,
  faultOf,
  openFor,
  reach,
  see,
  seeWhen,
  soon,
  workloadOn,
  type SystemUnderTest,
} from './system-under-test.ts'

/** What every driver of the port promises, whatever engine is behind it. */
export function engineContract(subject: SystemUnderTest) {
  aboutInstances(subject)
  aboutPhases(subject)
  aboutOthers(subject)
  aboutOutput(subject)
  aboutImages(subject)
  aboutIsolation(subject)
  aboutTrouble(subject)
}

function aboutInstances(subject: SystemUnderTest) {
  test('tells what the engine is and what room it has', async () => {
    const { engine } = openFor(subject)
    const info = await engine.info(soon())
    expect(info).toMatchObject({
      kind: subject.kind,
      hosts: subject.kind === 'docker' ? 1 : subject.engines.hosts.length,
    })
    expect(info.api_version).toMatch(/^1\.\d\d$/)
    expect(info.memory_mb).toBeGreaterThan(500)
    expect(info.millicores).toBeGreaterThanOrEqual(1_000)
  })

  test('a tag is resolved once; repeating changes nothing; the next generation resolves it anew, beside the first', async () => {
    const { engine } = openFor(subject)
    const path = `demo/${randomUUID()}`
    const first_digest = await subject.engines.push(path, 'now', { env: { APP_VERSION: '1' } })
    const first = workloadOn(engine, subject, { path: `${path}:now` })
    const image = `${subject.engines.registry.host}/${path}@${first_digest}`
    const ensured = await engine.ensure(first, soon())
    expect(ensured).toEqual({ image, pulled: subject.kind === 'docker' })
    const before = await seeWhen(engine, first, ({ phase }) => phase === 'running')
    const second_digest = await subject.engines.push(path, 'now', { env: { APP_VERSION: '2' } })
    expect(await engine.ensure(first, soon())).toEqual(ensured)
    expect(await see(engine, first)).toEqual(before)
    const second = { ...first, generation: 2 }
    expect(await engine.ensure(second, soon())).toMatchObject({ image: image.replace(first_digest, second_digest) })
    const answers = await Promise.all([first, second].map(async (each) => ask(await reach(engine, each), '/')))
    expect(answers).toMatchObject([{ version: '1' }, { version: '2' }])
    await engine.remove({ workload: first.id, generation: 1 }, soon())
    expect(await see(engine, first)).toBeUndefined()
    expect(await see(engine, second)).toMatchObject({ phase: 'running', generation: 2 })
  })

  test('asked of one deployment, it tells of that one alone, and the same as among all', async () => {
    const { engine } = openFor(subject)
    const [first, other] = [workloadOn(engine, subject), workloadOn(engine, subject)]
    await Promise.all([first, other].map((workload) => engine.ensure(workload, soon())))
    await Promise.all([first, other].map((workload) => reach(engine, workload)))
    for (const workload of [first, other])
      expect(await engine.observe(soon(), workload.id)).toEqual([await see(engine, workload)])
    expect(await engine.observe(soon(), randomUUID())).toEqual([])
  })

  test('an instance whose making was not heard of is adopted: there is one', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine, installation_id } = openFor(subject, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, subject)
    proxy.treat = (line) => (/^POST \S+(containers|services)\/create/.test(line) ? 'lose_answer' : undefined)
    expect((await faultOf(engine.ensure(workload, soon()))).fault).toBe('unreachable')
    expect(proxy.treated).toBe(1)
    proxy.treat = () => undefined
    await engine.ensure(workload, soon())
    await reach(engine, workload)
    const { engine: other } = openFor(subject, { installation_id })
    expect(await other.observe(soon())).toHaveLength(1)
  })

  test('five callers at once make one instance and one network', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    const images = await Promise.all([1, 2, 3, 4, 5].map(async () => (await engine.ensure(workload, soon())).image))
    expect(new Set(images).size).toBe(1)
    expect(await engine.observe(soon())).toHaveLength(1)
    const networks = await networksOf(subject, workload.app_id)
    expect(networks).toHaveLength(1)
  })

  test('environment values arrive byte for byte, and stand in no address, header or error', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openFor(subject, { socket_path: proxy.socket_path })
    const env = { PORT: '8080', CANARY: 'canary-7f3\n"$(id)" `x` \\ \' = ä 猫\t', EMPTY: '', __proto_: 'constructor' }
    const workload = workloadOn(engine, subject, { env })
    await engine.ensure(workload, soon())
    expect(await ask(await reach(engine, workload), '/env')).toMatchObject(env)
    const { message } = await faultOf(
      engine.ensure({ ...workload, generation: 2, image: `${workload.image}-canary-7f3` }, soon()),
    )
    expect(message).not.toBe('')
    expect(proxy.heads.length).toBeGreaterThan(5)
    for (const head of proxy.heads.filter((each) => !each.includes('/distribution/')))
      expect(head).not.toMatch(/canary-7f3|%24%28id|Y2FuYXJ5/)
  })

  test('what is absent counts as removed', async () => {
    const { engine } = openFor(subject)
    await engine.remove({ workload: randomUUID() }, soon())
    await engine.remove({ workload: randomUUID(), generation: 3 }, soon())
    await engine.remove({ network_of_app: randomUUID() }, soon())
    await engine.remove({ image: `${subject.engines.registry.host}/demo/none@sha256:${'0'.repeat(64)}` }, soon())
  })

  test('a network in use stays, and goes when nothing hangs on it', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    await reach(engine, workload)
    await engine.remove({ network_of_app: workload.app_id }, soon())
    expect(await networksOf(subject, workload.app_id)).toHaveLength(1)
    await engine.remove({ workload: workload.id }, soon())
    await until('the network to go', 10, async () => {
      await engine.remove({ network_of_app: workload.app_id }, soon())
      return (await networksOf(subject, workload.app_id)).length === 0
    })
  })
}

interface NetworkSeen {
  Name: string
  IPAM: { Config: { Subnet: string }[] | null }
}

async function networksOf({ engines }: SystemUnderTest, app_id: string) {
  const all = await engines.host.docker.call<NetworkSeen[]>('GET', '/networks', { signal: soon() })
  return all.filter(({ Name }) => Name.startsWith(`plaza-app-${app_id}`))
}

function aboutPhases(subject: SystemUnderTest) {
  test('running, at rest, running again', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    await reach(engine, workload)
    const seen = await see(engine, workload)
    expect(seen).toMatchObject({ phase: 'running', restarts: 0, exit_code: null, oom_killed: false, reason: null })
    expect(seen?.started_at?.getTime()).toBeGreaterThan(Date.now() - 60_000)
    await engine.ensure({ ...workload, running: false }, soon())
    const rests = await seeWhen(engine, workload, ({ phase }) => phase === 'exited')
    expect(rests).toMatchObject({ endpoint: null, oom_killed: false })
    await engine.ensure(workload, soon())
    await reach(engine, workload)
  })

  test('an instance that is made at rest never runs', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject, { running: false })
    await engine.ensure(workload, soon())
    expect(await see(engine, workload)).toMatchObject({ endpoint: null, started_at: null, restarts: 0 })
    expect((await see(engine, workload))?.phase).not.toBe('running')
  })

  test('what ends by itself is started again, counted, and seen with its exit code', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject, { path: 'demo/exit1:1' })
    await engine.ensure(workload, soon())
    await seeWhen(engine, workload, ({ restarts }) => restarts >= 2)
    const seen = await seeWhen(engine, workload, ({ phase }) => phase === 'restarting')
    expect(seen).toMatchObject({ exit_code: 1, oom_killed: false, endpoint: null })
  })

  test('memory that runs out ends the workload alone', async () => {
    const { engine } = openFor(subject)
    const neighbour = workloadOn(engine, subject)
    await engine.ensure(neighbour, soon())
    const url = await reach(engine, neighbour)
    const workload = workloadOn(engine, subject, { path: 'demo/oom:1', memory_mb: 64 })
    await engine.ensure(workload, soon())
    const seen = await seeWhen(engine, workload, ({ phase, exit_code }) => phase === 'restarting' && exit_code !== null)
    expect(seen).toMatchObject({ exit_code: 137, oom_killed: subject.kind === 'docker' })
    expect(await ask(url, '/')).toMatchObject({ method: 'GET' })
    expect(await see(engine, neighbour)).toMatchObject({ phase: 'running', restarts: 0 })
  })

  test('a command that is not in the image is refused or failed, with the reason', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject, {
      path: 'demo/nothing:1',
      env: { PORT: '8080', SECRET: '/no/such/program' },
    })
    const { fault, message } = await faultOf(engine.ensure(workload, soon()))
    expect(fault).toBe(subject.kind === 'docker' ? 'refused' : undefined)
    expect(message).not.toContain('/no/such/program')
    const seen = await seeWhen(engine, workload, ({ phase }) => phase === 'failed' || phase === 'restarting')
    expect(seen.reason).toMatch(/no such file|executable|starting container failed/i)
    expect(seen.reason).not.toContain('/no/such/program')
  })
}

function aboutOthers(subject: SystemUnderTest) {
  test("another installation's instances are not shown and not removed, whatever their ids", async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    const { engine: stranger } = openFor(subject)
    expect(await stranger.observe(soon())).toEqual([])
    await stranger.remove({ workload: workload.id }, soon())
    await stranger.remove({ network_of_app: workload.app_id }, soon())
    await expect(collect(stranger.logs(workload, { tail: 5, follow: false }, soon()))).resolves.toEqual([])
    expect((await faultOf(stranger.ensure(workload, soon()))).fault).toBe('refused')
    await stranger.remove({ network_of_app: workload.app_id }, soon())
    await reach(engine, workload)
  })

  test('a network with our labels that somebody made otherwise is not used', async () => {
    const { engine, installation_id } = openFor(subject)
    const workload = workloadOn(engine, subject)
    const { docker } = subject.engines.host
    const body = {
      Name: `plaza-app-${workload.app_id}-01234567`,
      Driver: subject.kind === 'docker' ? 'bridge' : 'overlay',
      Attachable: true,
      Labels: { 'plaza.installation': installation_id, 'plaza.app': workload.app_id },
      IPAM: { Config: [{ Subnet: '10.99.0.0/24' }] },
    }
    await docker.call('POST', '/networks/create', { signal: soon(), body })
    expect((await faultOf(engine.ensure(workload, soon()))).fault).toBe('isolation')
    expect(await engine.observe(soon())).toEqual([])
  })

  test('the labels of an image do not become those of its instance', async () => {
    const { engine, installation_id } = openFor(subject)
    const labels = {
      'plaza.installation': 'evil',
      'plaza.deployment': 'evil',
      'plaza.generation': '9',
      'plaza.app': 'evil',
    }
    const path = `demo/${randomUUID()}`
    await subject.engines.push(path, '1', { labels: { ...labels, 'traefik.enable': 'true' } })
    const workload = workloadOn(engine, subject, { path: `${path}:1` })
    await engine.ensure(workload, soon())
    await reach(engine, workload)
    expect(await see(engine, workload)).toMatchObject({ id: workload.id, generation: 1, app_id: workload.app_id })
    expect(installation_id).not.toBe('evil')
    const { engine: evil } = openFor(subject, { installation_id: 'evil' })
    expect(await evil.observe(soon())).toEqual([])
  })
}
