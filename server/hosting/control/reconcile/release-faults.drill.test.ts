import { writeFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { describeEngines, startEngines, type TestHost } from '../../../test/engine/harness.ts'
import { containersOf, startHosting, type TestDeployment } from '../../../test/engine/hosting.ts'
import { engineProxy } from '../../../test/engine/proxy.ts'
import { until } from '../../../test/engine/shell.ts'
import { startVisits } from '../../../test/engine/visits.ts'
import { databaseNameOf } from '../../../test/harness.ts'

const lease_seconds = 1.5
/** On a busy machine, a program may need a while to answer after its start. */
const timing = { lease_seconds, start_seconds: 60, observe_seconds: 1, drain_seconds: 0.5 }

/** The owner's request during a fault. Both change from version two to version three, or back. */
type Operation = 'a change' | 'a roll back'
const operations: Operation[] = ['a change', 'a roll back']

describeEngines('faults during a change and during a roll back (D-104)', async () => {
  const engines = await startEngines({ hosts: 2, disk_mb: 700 })
  const [one, two] = engines.hosts as [TestHost, TestHost]
  const hosting = await startHosting(engines)
  const { plaza, image } = hosting
  for (const version of ['one', 'two', 'three'])
    await engines.push('apps/web', version, { env: { APP_VERSION: version } })
  await plaza.db.sql`insert into deploy_tier_replicas select id, 3 from deploy_tiers where slug = 'starter'`
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })

  const containers = async (web: TestDeployment) =>
    (await Promise.all([one, two].map((host) => containersOf(host, web.id).catch(() => [])))).flat()

  /** A deployment, the number and version of the release that serves it, and its visitors. */
  interface Given {
    web: TestDeployment
    number: number
    version: 'two' | 'three'
    replicas: number
    stopVisits(): Promise<Record<string, number>>
  }
  let web_of_all: Promise<TestDeployment> | undefined
  /** The deployment of most tests. Each test leaves it healthy. Version one served it first. */
  async function startWeb() {
    const worker = await hosting.startWorker({ timing, hosts: ['host1'] })
    const web = await hosting.deploy(image('apps/web:one'))
    await web.reaches('running')
    await web.change({ image: image('apps/web:two') })
    await settled(web, 2)
    await worker.stop()
    return web
  }
  async function visited(): Promise<Given> {
    const web = await (web_of_all ??= startWeb())
    const [{ version } = { version: 'two' as const }, { generation }] = [
      await web.ask<Pick<Given, 'version'>>(),
      await web.row(),
    ]
    return { web, number: generation, version, replicas: 1, stopVisits: await startVisits(plaza, router, web.id) }
  }
  const otherVersion = ({ version }: Given) => (version === 'two' ? 'three' : 'two')
  const settled = (web: TestDeployment, generation: number, replicas = 1) =>
    until(`${replicas} of generation ${generation} alone`, async () => {
      const row = await web.row()
      const [found] = await plaza.db.sql<{ serving: number }>`
        select count(*)::integer as serving from deploy_instances
         where deployment_id = ${web.id} and endpoint_host is not null and serving_generation = ${generation}`
      return (
        row.serving_generation === generation &&
        row.generation === generation &&
        row.lease_owner === null &&
        row.status === 'running' &&
        row.health_status === 'healthy' &&
        found?.serving === replicas
      )
    })
  /** Makes a release of the other version. */
  async function begin(given: Given, operation: Operation) {
    const { web } = given
    if (operation === 'a change') return web.change({ image: image(`apps/web:${otherVersion(given)}`) })
    return web.rollBack({ release_id: (await web.releases()).find(({ status }) => status === 'replaced')!.id })
  }

  /** Asserts that the API shows the operation as succeeded, and that only the new containers are left. */
  async function succeeded(given: Given) {
    const { web, replicas } = given
    const number = ++given.number
    given.version = otherVersion(given)
    await settled(web, number, replicas)
    expect((await web.summary()).slice(0, 2)).toEqual([`${number} current`, `${number - 1} replaced`])
    await serves(given)
  }
  async function serves({ web, version, replicas }: Given) {
    expect(await web.ask()).toMatchObject({ version })
    await expect.poll(() => containers(web)).toHaveLength(replicas)
    expect((await web.logs()).filter(({ status }) => status === 'pending' || status === 'failed')).toEqual([])
  }
  const allServed = async ({ stopVisits }: Given) => expect(Object.keys(await stopVisits())).toEqual(['200'])
  /** Asserts that no visitor got a failure. Destroys the deployment, which must leave nothing. */
  async function ended(given: Given) {
    const { web } = given
    await allServed(given)
    const worker = await hosting.startWorker({ timing })
    await web.destroy()
    await web.reaches('destroyed')
    expect(await containers(web)).toEqual([])
    await worker.stop()
  }
  /** Asserts that the API shows the release as pending and the previous one as current. */
  const pending = async ({ web, number }: Pick<Given, 'web' | 'number'>) =>
    expect((await web.summary()).slice(0, 2)).toEqual([`${number + 1} pending`, `${number} current`])

  const isStart = (line: string) => /POST .*\/containers\/[0-9a-f]+\/start/.test(line)
  /** The calls of a rollout at which a worker is killed. `started`: the new container has been started. */
  const moments: [string, (line: string, seen: { started: boolean }) => boolean][] = [
    ['it asks for the image', (line) => line.includes('/distribution/') || line.includes('/images/')],
    ['it creates the container', (line) => line.includes('/containers/create')],
    ['it starts it', isStart],
    ['it inspects the started one', (line, seen) => seen.started && line.includes('/containers/')],
    ['it stops the old one', (line) => /POST .*\/containers\/[0-9a-f]+\/stop/.test(line)],
    ['it removes the old one', (line) => line.startsWith('DELETE') && line.includes('/containers/')],
  ]

  test('10: a worker killed at every step, of a change and of a roll back in turn: the next one completes it', async () => {
    const given = await visited()
    for (const [at, [moment, is]] of moments.entries()) {
      const operation = operations[at % operations.length]!
      const proxy = await engineProxy(one.socket_path)
      const sockets = { host1: proxy.socket_path }
      const { child, exited } = await hosting.workerProcess({ sockets, timing })
      const seen = { started: false }
      let is_killed = false
      proxy.inject = (line) => {
        if (!is_killed && is(line, seen)) is_killed = child.kill('SIGKILL')
        if (isStart(line)) seen.started = true
        return undefined
      }
      await begin(given, operation)
      await exited
      expect([moment, is_killed]).toEqual([moment, true])
      const worker = await hosting.startWorker({ timing })
      await succeeded(given)
      await worker.stop()
    }
    await allServed(given)
  }, 600_000)

  test('1, 2: the engine is away during a change and hangs during a roll back: both complete once it is back', async () => {
    const given = await visited()
    const proxy = await engineProxy(one.socket_path)
    const worker = await hosting.startWorker({ sockets: { host1: proxy.socket_path }, hosts: ['host1'], timing })
    for (const [fault, operation] of [
      ['refuse', 'a change'],
      ['hang', 'a roll back'],
    ] as const) {
      proxy.inject = (line) => (/\/(distribution|images|containers)\//.test(line) ? fault : undefined)
      await begin(given, operation)
      await given.web.becomes('in trouble', ({ last_error }) => /^(unreachable|timeout): /.test(last_error ?? ''))
      await pending(given)
      proxy.inject = () => undefined
      await succeeded(given)
    }
    await worker.stop()
    await allServed(given)
  }, 300_000)

  test('5, 11, 13: a broken pull and a lost answer during a change, a paused worker during a roll back: each is carried out once', async () => {
    const given = await visited()
    const proxy = await engineProxy(one.socket_path)
    const sockets = { host1: proxy.socket_path }
    await forgetImage(one, image('apps/web:three'))
    const faults = [
      { matches: /POST .*\/images\/create/, fault: { answer: pull_error } },
      { matches: /POST .*\/containers\/create/, fault: 'lose_answer' as const },
    ]
    proxy.inject = (line) => (faults[0]?.matches.test(line) ? faults.shift()!.fault : undefined)
    const first = await hosting.startWorker({ sockets, hosts: ['host1'], timing })
    await begin(given, 'a change')
    await succeeded(given)
    expect(faults).toEqual([])
    await first.stop()

    const { child } = await hosting.workerProcess({ sockets, timing })
    let is_paused = false
    proxy.inject = (line) => {
      if (!is_paused && line.includes('/containers/create')) is_paused = child.kill('SIGSTOP')
      return undefined
    }
    await begin(given, 'a roll back')
    await until('the paused worker', async () => is_paused)
    const second = await hosting.startWorker({ hosts: ['host1'], timing })
    await succeeded(given)
    const before = await given.web.logs()
    child.kill('SIGCONT')
    // The paused worker continues with its call and its lease check.
    await new Promise((next) => setTimeout(next, 2_500))
    await settled(given.web, given.number)
    await serves(given)
    expect(await given.web.logs()).toEqual(before)
    child.kill('SIGKILL')
    await second.stop()
    await allServed(given)
  }, 300_000)

  test('4, 16: while a change waits for the registry or for a long pull, the serving container is repaired after it was removed or restarted by hand', async () => {
    const proxy = await engineProxy(one.socket_path)
    const worker = await hosting.startWorker({ sockets: { host1: proxy.socket_path }, hosts: ['host1'], timing })
    const web = await hosting.deploy(image('apps/web:one'))
    await web.reaches('running')
    await engines.push('apps/late', 'one', { env: { APP_VERSION: 'late' } })
    const intervene = async (method: 'POST' | 'DELETE', what = '', query = {}) => {
      const serving = (await containers(web)).find(({ State }) => State === 'running')!
      await one.docker.call(method, `/containers/${serving.Id}${what}`, { signal: AbortSignal.timeout(20_000), query })
    }
    const isServed = () => expect.poll(() => web.ask(), { interval: 300 }).toMatchObject({ version: 'one' })

    await engines.registry.stop()
    onTestFinished(() => engines.registry.start().catch(() => {}))
    await web.change({ image: image('apps/late:one') })
    await web.becomes('tried', ({ last_error }) => last_error?.startsWith('registry_unreachable: ') ?? false)
    await intervene('DELETE', '', { force: 'true' })
    await isServed()
    // A restart changes the container's port.
    await intervene('POST', '/restart')
    await isServed()
    await pending({ web, number: 1 })

    proxy.inject = (line) => (line.startsWith('POST') && line.includes('/images/create') ? 'hang' : undefined)
    await engines.registry.start()
    await until('a pull that hangs', async () => proxy.injected > 0)
    await intervene('POST', '/restart')
    await isServed()
    await intervene('DELETE', '', { force: 'true' })
    await isServed()
    proxy.inject = () => undefined
    await web.change({ env_set: { AGAIN: 'yes' } })
    await settled(web, 3)
    expect(await web.ask()).toMatchObject({ version: 'late' })
    expect(await web.summary()).toEqual(['3 current', '2 superseded', '1 replaced'])
    await worker.stop()
  }, 240_000)

  test('14: the database is away during a change: visitors are served, and it is completed afterwards', async () => {
    const given = await visited()
    const name = await databaseNameOf(plaza)
    const outside = new pg.Client({ ...inject('postgres'), database: 'postgres' })
    await outside.connect()
    const allow = (yes: boolean) => outside.query(`alter database ${name} with allow_connections ${yes}`)
    onTestFinished(async () => {
      await allow(true)
      await outside.end()
    })
    const proxy = await engineProxy(one.socket_path)
    const worker = await hosting.startWorker({ sockets: { host1: proxy.socket_path }, hosts: ['host1'], timing })
    let cut: Promise<unknown> | undefined
    proxy.inject = (line) => {
      if (isStart(line))
        cut ??= allow(false).then(() =>
          outside.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]),
        )
      return undefined
    }
    // The response may be lost with the database; the release is not.
    await begin(given, 'a change').catch(() => {})
    await until('the cut', async () => cut !== undefined)
    await cut
    await new Promise((next) => setTimeout(next, 2_000))
    await allow(true)
    await until('the database', () => plaza.db.sql`select 1`.then(Boolean, () => false))
    await succeeded(given)
    await worker.stop()
    await allServed(given)
  }, 240_000)

  test('18: the disk is full during a change: the serving container continues, and the change completes once there is room', async () => {
    const given = await visited()
    const filler = join(dirname(one.socket_path), 'data', 'filler')
    onTestFinished(() => rm(filler, { force: true }))
    const worker = await hosting.startWorker({ hosts: ['host1'], timing })
    await fill(filler)
    await begin(given, 'a change')
    expect(
      await given.web.becomes('no room', ({ last_error }) => last_error?.includes('no space left') ?? false),
    ).toMatchObject({ serving_generation: given.number, failed_generation: null })
    await pending(given)
    await rm(filler)
    await succeeded(given)
    await worker.stop()
    await allServed(given)
  }, 240_000)

  test('4: the registry is away: a change waits for it; a roll back does not need it and overtakes the change', async () => {
    const given = await visited()
    const { web, version, number } = given
    const worker = await hosting.startWorker({ hosts: ['host1'], timing })
    await engines.push('apps/new', 'one', { env: { APP_VERSION: 'new' } })
    await engines.registry.stop()
    onTestFinished(() => engines.registry.start().catch(() => {}))
    await web.change({ image: image('apps/new:one') })
    await web.becomes('tried', ({ last_error }) => last_error?.startsWith('registry_unreachable: ') ?? false)
    await pending(given)
    await web.rollBack()
    await settled(web, number + 2)
    expect(await web.ask()).toMatchObject({ version })
    expect((await web.summary()).slice(0, 3)).toEqual([
      `${number + 2} current`,
      `${number + 1} superseded`,
      `${number} replaced`,
    ])
    await engines.registry.start()
    given.number = number + 2
    await begin(given, 'a change')
    await succeeded(given)
    await worker.stop()
    await allServed(given)
  }, 240_000)

  test('19: concurrent changes and roll backs: the last release serves, and the API shows the outcome of each', async () => {
    const given = await visited()
    const { web } = given
    const workers = [await hosting.startWorker({ timing }), await hosting.startWorker({ timing })]
    plaza.clock.advance(60)
    const set = (value: string) => web.change({ env_set: { LAST: value } })
    const back = () => web.rollBack()
    await Promise.all([set('a'), back(), set('b'), back(), set('c')])
    const { generation } = await web.row()
    await settled(web, generation)
    const [last, ...before] = await web.summary()
    expect(last).toMatch(/^\d+ current$/)
    for (const release of before) expect(release).toMatch(/^\d+ (superseded|replaced)$/)
    await expect.poll(() => containers(web)).toHaveLength(1)
    for (const worker of workers) await worker.stop()
    await ended(given)
  }, 240_000)

  test('24: a host is lost during a change of two replicas: the other one serves, and the change completes on the remaining host', async () => {
    const first = await hosting.startWorker({ timing })
    const web = await hosting.deploy(image('apps/web:one'))
    await web.reaches('running')
    await web.change({ replicas: 2 })
    await settled(web, (await web.row()).generation, 2)
    await web.change({ image: image('apps/web:two') })
    const { generation, host_server } = await web.row()
    await settled(web, generation, 2)
    await expect.poll(() => containers(web)).toHaveLength(2)
    await first.stop()
    const stopVisits = await startVisits(plaza, router, web.id)
    const given: Given = { web, number: generation, version: 'two', replicas: 2, stopVisits }
    const worker = await hosting.startWorker({ timing: { ...timing, host_seconds: 1, replace_lost_seconds: 3 } })
    const lost = engines.hosts.find(({ name }) => name === host_server)!
    await begin(given, 'a change')
    await lost.lose()
    await settled(web, generation + 1, 2)
    expect(await web.ask()).toMatchObject({ version: 'three' })
    expect((await web.summary())[0]).toMatch(/^\d+ current$/)
    await lost.reconnect()
    await lost.start()
    await expect.poll(() => containers(web)).toHaveLength(2)
    await worker.stop()
    await ended(given)
  }, 300_000)
})

const pull_error =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n' +
  '{"status":"Pulling"}\r\n{"error":"unexpected EOF","errorDetail":{"message":"unexpected EOF"}}\r\n'

/** Removes an image from a host, unless it is in use there. */
async function forgetImage({ docker }: TestHost, reference: string) {
  const [path = ''] = reference.split(/:[^:]*$/)
  const images = await docker.call<{ Id: string; RepoDigests: string[] | null }[]>('GET', '/images/json', {
    signal: AbortSignal.timeout(10_000),
  })
  for (const { Id, RepoDigests } of images)
    if (RepoDigests?.some((digest) => digest.startsWith(`${path}@`)))
      await docker
        .call('DELETE', `/images/${Id}`, { signal: AbortSignal.timeout(10_000), query: { force: 'false' } })
        .catch(() => {})
}

/** Fills the file system of a host. */
async function fill(path: string) {
  const block = Buffer.alloc(8 * 1024 * 1024, 1)
  for (let size = block.length; size > 512;) {
    const written = await writeFile(path, block.subarray(0, size), { flag: 'a' }).then(
      () => true,
      () => false,
    )
    if (!written) size = Math.floor(size / 4)
  }
}
