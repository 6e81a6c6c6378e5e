import { expect, test } from 'vitest'
import { pull_credentials } from './harness.ts'
import type { SourceLine } from '../../hosting/engine/engine.ts'
import { engineProxy } from './proxy.ts'
import { until } from './shell.ts'
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

export function testOutput(sut: SystemUnderTest) {
  test('output: the last lines with their times and streams', async () => {
    const { engine, workload, url } = await startWorkload(sut)
    const lines = await collect(engine.logs(workload, { tail: 10 }, deadline()))
    const texts = lines.map(({ stream, text }) => `${stream}: ${text}`)
    expect(texts.toSorted()).toEqual(['stderr: echo complains', 'stdout: echo begins', 'stdout: listening'])
    for (const { at } of lines) expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(60_000)
    await getJson(url, '/say?text=the-end')
    await until('the last line alone', async () => {
      const last = await collect(engine.logs(workload, { tail: 1 }, deadline()))
      return last.length === 1 && last[0]?.text === 'the-end'
    })
    await expect(collect(engine.logs({ ...workload, generation: 7 }, { tail: 5 }, deadline()))).resolves.toEqual([])
  })

  test('followed output arrives as it is written, until the reader stops; from a position it continues with that line', async () => {
    const { engine, workload, url } = await startWorkload(sut)
    const reading = new AbortController()
    const lines: SourceLine[] = []
    const textsOf = (all: SourceLine[]) => all.map(({ text }) => text)
    const reader = (async () => {
      const start = { positions: new Map<string, bigint>(), follow: true }
      for await (const batch of engine.output(workload, start, reading.signal)) lines.push(...batch)
    })()
    await until('earlier output', async () => textsOf(lines).includes('listening'))
    await getJson(url, '/say?text=long-&times=8000')
    await getJson(url, '/say?text=now')
    await until('new output', async () => textsOf(lines).includes('now'))
    expect(
      textsOf(lines)
        .filter((text) => /^(ong-|ng-|g-|-)?(long-)+/.test(text))
        .join(''),
    ).toHaveLength(40_000)
    reading.abort()
    expect((await faultOf(reader)).fault).toBe('timeout')

    const last = lines.at(-1)!
    expect(new Set(lines.map(({ source }) => source)).size).toBe(1)
    await new Promise((done) => setTimeout(done, 2_500))
    await getJson(url, '/say?text=afterwards')
    const readFrom = async (at_ns: bigint, tail?: number) => {
      const start = { positions: new Map([[last.source, at_ns]]), follow: false, ...(tail !== undefined && { tail }) }
      return textsOf((await collect(engine.output(workload, start, deadline()))).flat())
    }
    await until('the line after it', async () => (await readFrom(last.at_ns)).includes('afterwards'))
    expect((await readFrom(last.at_ns)).slice(-2)).toEqual(['now', 'afterwards'])
    const next = sut.differences?.times_in_seconds ? 1_000_000_000n : 1n
    expect(await readFrom(last.at_ns + 2_000_000_000n + next)).toEqual(['afterwards'])
    expect(await readFrom(0n, 1)).toEqual(['afterwards'])
  })
}

export function testImages(sut: SystemUnderTest) {
  test('an image that does not exist', async () => {
    const { engine } = openEngineFor(sut)
    for (const path of ['demo/echo:none', 'demo/unauthorized-denied:1', `demo/echo@sha256:${'1'.repeat(64)}`]) {
      const workload = workloadOn(engine, sut, { path })
      const { fault } = await faultOf(engine.ensure(workload, deadline()))
      // A Swarm does not resolve digests: its nodes fail to pull.
      if (sut.kind !== 'swarm' || !path.includes('@')) expect([path, fault]).toEqual([path, 'image_not_found'])
      else await waitForInstance(engine, workload, ({ phase }) => phase === 'failed')
    }
  })

  test('a private registry: with the credential, without it, and with a wrong one, which is never shown', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const { host } = sut.engines.private_registry
    const workload = workloadOn(engine, sut, { image: `${host}/demo/echo:1` })
    expect((await faultOf(engine.ensure(workload, deadline()))).fault).toBe('registry_auth_failed')
    const wrong = { ...pull_credentials, serveraddress: host, password: 'wrong-pa55' }
    const refused = await faultOf(engine.ensure({ ...workload, registry_auth: wrong }, deadline()))
    expect(refused.fault).toBe('registry_auth_failed')
    expect(refused.message).not.toContain('wrong-pa55')
    await engine.ensure({ ...workload, registry_auth: { ...pull_credentials, serveraddress: host } }, deadline())
    await waitUntilReachable(engine, workload)
    const first_lines = proxy.heads.map((head) => head.split('\r\n')[0])
    expect(first_lines.join('\n')).not.toMatch(/pa55|pull-only/)
    for (const head of proxy.heads.filter((each) => /x-registry-auth/i.test(each)))
      expect(head).toMatch(
        /^(POST \S+\/(images|services)\/create|POST \S+\/libpod\/images\/pull|POST \S+\/update|GET \S+\/distribution\/)/,
      )
  })

  test('an unreachable registry', async () => {
    const { engine } = openEngineFor(sut)
    const workload = workloadOn(engine, sut, { image: `${sut.engines.host.address}:9/demo/echo:1` })
    expect((await faultOf(engine.ensure(workload, deadline()))).fault).toBe('registry_unreachable')
    expect(await engine.observe(deadline())).toEqual([])
  })
}

export function testIsolation(sut: SystemUnderTest) {
  test('inside the container: few capabilities, no new privileges, seccomp', async () => {
    const { url } = await startWorkload(sut)
    const status = String(await getJson(url, '/file?path=/proc/self/status'))
    const fact = (name: string) => new RegExp(`^${name}:\\s*(\\S+)$`, 'm').exec(status)?.[1]
    // CHOWN 0, DAC_OVERRIDE 1, FOWNER 3, SETGID 6, SETUID 7
    for (const name of ['CapEff', 'CapPrm', 'CapBnd']) expect([name, fact(name)]).toEqual([name, '00000000000000cb'])
    expect([fact('NoNewPrivs'), fact('Seccomp')]).toEqual(['1', '2'])
  })

  test('a workload cannot start more processes than its limit', async () => {
    const { engine, workload, url } = await startWorkload(sut)
    const outcome = await getJson(url, '/fork')
    expect(outcome).toEqual({ begun: expect.toSatisfy((begun: number) => begun <= 256), failure: 'EAGAIN' })
    expect(await observeInstance(engine, workload)).toMatchObject({ phase: 'running', restarts: 0 })
  })

  test('workloads of one app reach each other, those of different apps do not', async () => {
    const { engine } = openEngineFor(sut)
    const [left, other] = [workloadOn(engine, sut), workloadOn(engine, sut)]
    const sibling = workloadOn(engine, sut, { app_id: left.app_id })
    await Promise.all([left, other, sibling].map((workload) => engine.ensure(workload, deadline())))
    const urls = await Promise.all([left, other, sibling].map((workload) => waitUntilReachable(engine, workload)))
    const [url = '', other_url = '', sibling_url = ''] = urls
    const connects = (from: string, host: string, port: number) => getJson(from, `/connect?host=${host}&port=${port}`)
    const shared = (await addressesOf(sibling_url)).filter((address) => address.startsWith('10.24'))
    // Nodes of a Swarm reuse the addresses of their gateway networks: an address of the caller refers to the caller itself.
    const own = await addressesOf(url)
    const foreign = (await addressesOf(other_url)).filter((address) => !own.includes(address))
    expect([shared.length, foreign.length > 0]).toEqual([1, true])
    for (const address of shared) expect(await connects(url, address, 8080)).toBe('connected')
    for (const address of foreign) expect(await connects(url, address, 8080)).not.toBe('connected')
    expect(await connects(url, '169.254.169.254', 80)).not.toBe('connected')
  })
}

/** A workload's addresses without loopback. */
async function addressesOf(url: string) {
  const table = String(await getJson(url, '/file?path=/proc/net/fib_trie'))
  const local = [...table.matchAll(/(\S+)\n\s+\/32 host LOCAL/g)].map(([, address]) => address ?? '')
  return [...new Set(local)].filter((address) => !address.startsWith('127.'))
}

export function testFaults(sut: SystemUnderTest) {
  test('an engine that never answers times out; an absent one is unreachable', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    proxy.inject = () => 'hang'
    expect((await faultOf(engine.observe(AbortSignal.timeout(300)))).fault).toBe('timeout')
    proxy.inject = () => 'refuse'
    expect((await faultOf(engine.observe(deadline()))).fault).toBe('unreachable')
    const { engine: absent } = openEngineFor(sut, { socket_path: '/nowhere/docker.sock' })
    expect((await faultOf(absent.info(deadline()))).fault).toBe('unreachable')
  })

  test('an engine that is too old, or no engine at all, is refused', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const pingAnswer = (version: string) => ({
      answer: `HTTP/1.1 200 OK\r\napi-version: ${version}\r\ncontent-length: 2\r\n\r\nOK`,
    })
    for (const version of ['1.40', '', 'x']) {
      proxy.inject = (line) => (line.includes('/_ping') ? pingAnswer(version) : undefined)
      expect([version, (await faultOf(engine.info(deadline()))).fault]).toEqual([version, 'too_old'])
    }
  })

  test('an engine that ignores an isolation setting: isolation, and nothing is left running', async () => {
    const proxy = await engineProxy(sut.engines.host.socket_path)
    const { engine, installation_id } = openEngineFor(sut, { socket_path: proxy.socket_path })
    const workload = workloadOn(engine, sut)
    const [original, altered] = {
      docker: ['"CapDrop":["ALL"]', '"CapDrop":["FOO"]'] as const,
      podman: ['"BoundingCaps":["CAP_CHOWN"', '"BoundingCaps":["CAP_KILLS"'] as const,
      swarm: ['"CapabilityDrop":["ALL"]', '"CapabilityDrop":["FOO"]'] as const,
    }[sut.kind]
    proxy.inject = (line) =>
      line.startsWith('GET') ? { change: (answer) => answer.replace(original, altered) } : undefined
    expect((await faultOf(engine.ensure(workload, deadline()))).fault).toBe('isolation')
    const { engine: direct } = openEngineFor(sut, { installation_id })
    expect(await direct.observe(deadline())).toEqual([])
  })
}
