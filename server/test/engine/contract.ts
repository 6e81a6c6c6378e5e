import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { ContainerEngine, EngineFault, Observed, Workload } from '../../deployments/engine/engine.ts'
import { openEngine, parseEngineSpec } from '../../deployments/engine/open.ts'
import { pull_credentials, type TestEngines } from './harness.ts'
import { engineProxy } from './proxy.ts'
import { until } from './shell.ts'

/** What the suite needs of the engine it is run against. */
export interface Subject {
  engines: TestEngines
  /** An item of CONTAINER_HOSTS. */
  spec(): string
  kind: 'docker' | 'swarm'
}

const soon = () => AbortSignal.timeout(25_000)

/** One installation's view of an engine; opened for one test. `socket_path`: through a proxy. */
export function openFor(
  subject: Subject,
  { installation_id = randomUUID() as string, socket_path = '', network_range = '10.240.0.0/14' } = {},
) {
  const spec = parseEngineSpec(subject.spec())
  if (!spec) throw new Error('not a host')
  const opened = openEngine({ ...spec, ...(socket_path ? { socket_path } : {}) }, { installation_id, network_range })
  onTestFinished(() => opened.close())
  return { engine: opened.engine, installation_id }
}

/** A workload of an app of its own; removed after the test. */
export function workloadOn(
  engine: ContainerEngine,
  subject: Subject,
  fields: Partial<Workload> & { path?: string } = {},
): Workload {
  const { path = 'demo/echo:1', ...given } = fields
  const workload: Workload = {
    id: randomUUID(),
    generation: 1,
    app_id: randomUUID(),
    image: `${subject.engines.registry.host}/${path}`,
    registry_auth: undefined,
    env: { PORT: '8080' },
    port: 8080,
    memory_mb: 128,
    millicores: 1_000,
    running: true,
    ...given,
  }
  onTestFinished(async () => {
    // One that has only just begun would not hear that it is to end.
    if (subject.kind === 'docker') await removeAtOnce(subject, workload.id)
    await engine.remove({ workload: workload.id }, soon())
    await engine.remove({ network_of_app: workload.app_id }, soon())
  })
  return workload
}

async function removeAtOnce({ engines }: Subject, id: string) {
  const { docker } = engines.host
  const query = { all: 'true', filters: JSON.stringify({ label: [`plaza.deployment=${id}`] }) }
  const all = await docker.call<{ Id: string }[]>('GET', '/containers/json', { signal: soon(), query })
  for (const { Id } of all)
    await docker.call('DELETE', `/containers/${Id}`, { signal: soon(), query: { force: 'true', v: 'true' } })
}

/** What is seen of the instance now. */
export async function see(engine: ContainerEngine, { id, generation }: Workload) {
  return (await engine.observe(soon())).find((seen) => seen.id === id && seen.generation === generation)
}

/** What is seen once it is as asked for. */
export const seeWhen = (engine: ContainerEngine, workload: Workload, is: (seen: Observed) => boolean, seconds = 20) =>
  until('a sight of the workload', seconds, async () => {
    const seen = await see(engine, workload)
    return seen && is(seen) ? seen : undefined
  })

/** Where the workload answers, once it does. */
export async function reach(engine: ContainerEngine, workload: Workload) {
  const { endpoint } = await seeWhen(engine, workload, (seen) => seen.endpoint !== null)
  const url = `http://${endpoint?.host}:${endpoint?.port}`
  await until('an answer of the workload', 15, () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return url
}

const ask = async (url: string, path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json()

export async function faultOf(work: Promise<unknown>): Promise<{ fault: EngineFault | undefined; message: string }> {
  try {
    await work
    return { fault: undefined, message: '' }
  } catch (error) {
    if (error instanceof Error && 'fault' in error) return { fault: error.fault as EngineFault, message: error.message }
    throw error
  }
}

/** What every driver of the port promises, whatever engine is behind it. */
export function engineContract(subject: Subject) {
  aboutInstances(subject)
  aboutPhases(subject)
  aboutOthers(subject)
  aboutOutput(subject)
  aboutImages(subject)
  aboutIsolation(subject)
  aboutTrouble(subject)
}

function aboutInstances(subject: Subject) {
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

async function networksOf({ engines }: Subject, app_id: string) {
  const all = await engines.host.docker.call<NetworkSeen[]>('GET', '/networks', { signal: soon() })
  return all.filter(({ Name }) => Name.startsWith(`plaza-app-${app_id}`))
}

function aboutPhases(subject: Subject) {
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

function aboutOthers(subject: Subject) {
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

const collect = async <Item>(items: AsyncIterable<Item>) => {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

function aboutOutput(subject: Subject) {
  test('output: the last lines with their times and streams', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    await reach(engine, workload)
    const lines = await collect(engine.logs(workload, { tail: 10, follow: false }, soon()))
    const texts = lines.map(({ stream, text }) => `${stream}: ${text}`)
    expect(texts.toSorted()).toEqual(['stderr: echo complains', 'stdout: echo begins', 'stdout: listening'])
    for (const { at } of lines) expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(60_000)
    const [last, ...more] = await collect(engine.logs(workload, { tail: 1, follow: false }, soon()))
    expect([last?.text, more]).toEqual(['listening', []])
    await expect(
      collect(engine.logs({ ...workload, generation: 7 }, { tail: 5, follow: false }, soon())),
    ).resolves.toEqual([])
  })

  test('output that is followed comes as it is written, until the reader stops', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    const url = await reach(engine, workload)
    const reading = new AbortController()
    const texts: string[] = []
    const reader = (async () => {
      for await (const { text } of engine.logs(workload, { tail: 100, follow: true }, reading.signal)) texts.push(text)
    })()
    await until('what was written before', 10, async () => texts.includes('listening'))
    await ask(url, '/say?text=long-&times=8000')
    await ask(url, '/say?text=now')
    await until('what is written now', 10, async () => texts.includes('now'))
    expect(texts.filter((text) => /^(ong-|ng-|g-|-)?(long-)+/.test(text)).join('')).toHaveLength(40_000)
    reading.abort()
    expect((await faultOf(reader)).fault).toBe('timeout')
  })
}

function aboutImages(subject: Subject) {
  test('an image that is not there', async () => {
    const { engine } = openFor(subject)
    for (const path of ['demo/echo:none', 'demo/unauthorized-denied:1', `demo/echo@sha256:${'1'.repeat(64)}`]) {
      const workload = workloadOn(engine, subject, { path })
      const { fault } = await faultOf(engine.ensure(workload, soon()))
      // A Swarm is told digests as they are: its hosts find out.
      if (subject.kind === 'docker' || !path.includes('@')) expect([path, fault]).toEqual([path, 'image_not_found'])
      else await seeWhen(engine, workload, ({ phase }) => phase === 'failed')
    }
  })

  test('a private registry: with the credential, without it, and with a wrong one that shows nowhere', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openFor(subject, { socket_path: proxy.socket_path })
    const { host } = subject.engines.private_registry
    const workload = workloadOn(engine, subject, { image: `${host}/demo/echo:1` })
    expect((await faultOf(engine.ensure(workload, soon()))).fault).toBe('registry_auth_failed')
    const wrong = { ...pull_credentials, serveraddress: host, password: 'wrong-pa55' }
    const refused = await faultOf(engine.ensure({ ...workload, registry_auth: wrong }, soon()))
    expect(refused.fault).toBe('registry_auth_failed')
    expect(refused.message).not.toContain('wrong-pa55')
    await engine.ensure({ ...workload, registry_auth: { ...pull_credentials, serveraddress: host } }, soon())
    await reach(engine, workload)
    const first_lines = proxy.heads.map((head) => head.split('\r\n')[0])
    expect(first_lines.join('\n')).not.toMatch(/pa55|pull-only/)
    for (const head of proxy.heads.filter((each) => /x-registry-auth/i.test(each)))
      expect(head).toMatch(/^(POST \S+\/(images|services)\/create|POST \S+\/update|GET \S+\/distribution\/)/)
  })

  test('a registry that is away', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject, { image: `${subject.engines.host.address}:9/demo/echo:1` })
    expect((await faultOf(engine.ensure(workload, soon()))).fault).toBe('registry_unreachable')
    expect(await engine.observe(soon())).toEqual([])
  })
}

function aboutIsolation(subject: Subject) {
  test('from inside: few capabilities, no new privileges, filtered calls', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    const status = String(await ask(await reach(engine, workload), '/file?path=/proc/self/status'))
    const fact = (name: string) => new RegExp(`^${name}:\\s*(\\S+)$`, 'm').exec(status)?.[1]
    // CHOWN 0, DAC_OVERRIDE 1, FOWNER 3, SETGID 6, SETUID 7
    for (const name of ['CapEff', 'CapPrm', 'CapBnd']) expect([name, fact(name)]).toEqual([name, '00000000000000cb'])
    expect([fact('NoNewPrivs'), fact('Seccomp')]).toEqual(['1', '2'])
  })

  test('a workload that begins processes without end stops at its limit', async () => {
    const { engine } = openFor(subject)
    const workload = workloadOn(engine, subject)
    await engine.ensure(workload, soon())
    const outcome = await ask(await reach(engine, workload), '/fork')
    expect(outcome).toEqual({ begun: expect.toSatisfy((begun: number) => begun <= 256), failure: 'EAGAIN' })
    expect(await see(engine, workload)).toMatchObject({ phase: 'running', restarts: 0 })
  })

  test('workloads of one app reach each other, those of two do not', async () => {
    const { engine } = openFor(subject)
    const [left, other] = [workloadOn(engine, subject), workloadOn(engine, subject)]
    const sibling = workloadOn(engine, subject, { app_id: left.app_id })
    await Promise.all([left, other, sibling].map((workload) => engine.ensure(workload, soon())))
    const urls = await Promise.all([left, other, sibling].map((workload) => reach(engine, workload)))
    const [url = '', other_url = '', sibling_url = ''] = urls
    const connects = (from: string, host: string, port: number) => ask(from, `/connect?host=${host}&port=${port}`)
    const shared = (await addressesOf(sibling_url)).filter((address) => address.startsWith('10.24'))
    const foreign = await addressesOf(other_url)
    expect([shared.length, foreign.length > 0]).toEqual([1, true])
    for (const address of shared) expect(await connects(url, address, 8080)).toBe('connected')
    for (const address of foreign) expect(await connects(url, address, 8080)).not.toBe('connected')
    const { hostname, port } = new URL(other_url)
    console.log(
      'PUBLISHED',
      subject.kind,
      await connects(url, hostname, Number(port)),
      'GW',
      await connects(
        url,
        subject.engines.registry.host.split(':')[0] ?? '',
        Number(subject.engines.registry.host.split(':')[1]),
      ),
    )
    expect(await connects(url, '169.254.169.254', 80)).not.toBe('connected')
  })
}

/** The addresses that a workload has, its own loopback left out. */
async function addressesOf(url: string) {
  const table = String(await ask(url, '/file?path=/proc/net/fib_trie'))
  const local = [...table.matchAll(/(\S+)\n\s+\/32 host LOCAL/g)].map(([, address]) => address ?? '')
  return [...new Set(local)].filter((address) => !address.startsWith('127.'))
}

function aboutTrouble(subject: Subject) {
  test('an engine that never answers is given up at the deadline; one that is gone is unreachable', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openFor(subject, { socket_path: proxy.socket_path })
    proxy.treat = () => 'hang'
    expect((await faultOf(engine.observe(AbortSignal.timeout(300)))).fault).toBe('timeout')
    proxy.treat = () => 'refuse'
    expect((await faultOf(engine.observe(soon()))).fault).toBe('unreachable')
    const { engine: absent } = openFor(subject, { socket_path: '/nowhere/docker.sock' })
    expect((await faultOf(absent.info(soon()))).fault).toBe('unreachable')
  })

  test('an engine that is too old, or no engine, is not used', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine } = openFor(subject, { socket_path: proxy.socket_path })
    const offering = (version: string) => ({
      answer: `HTTP/1.1 200 OK\r\napi-version: ${version}\r\ncontent-length: 2\r\n\r\nOK`,
    })
    for (const version of ['1.40', '', 'x']) {
      proxy.treat = (line) => (line.includes('/_ping') ? offering(version) : undefined)
      expect([version, (await faultOf(engine.info(soon()))).fault]).toEqual([version, 'too_old'])
    }
  })

  test('an engine that did not do as it was told keeps nothing running', async () => {
    const proxy = await engineProxy(subject.engines.host.socket_path)
    const { engine, installation_id } = openFor(subject, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, subject)
    const [kept, dropped] =
      subject.kind === 'docker'
        ? ['"CapDrop":["ALL"]', '"CapDrop":["FOO"]']
        : ['"CapabilityDrop":["ALL"]', '"CapabilityDrop":["FOO"]']
    proxy.treat = (line) => (line.startsWith('GET') ? { change: (answer) => answer.replace(kept, dropped) } : undefined)
    expect((await faultOf(engine.ensure(workload, soon()))).fault).toBe('isolation')
    const { engine: honest } = openFor(subject, { installation_id })
    expect(await honest.observe(soon())).toEqual([])
  })
}
