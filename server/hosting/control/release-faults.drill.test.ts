import { writeFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { changeDeployment, listDeploymentReleases, rollBackDeployment } from '../../../contract/deployments.ts'
import type { BodyOf } from '../../../contract/endpoint.ts'
import { describeEngines, startEngines, type TestHost } from '../../test/engine/harness.ts'
import { containersOf, startHosting, type TestDeployment } from '../../test/engine/hosting.ts'
import { engineProxy } from '../../test/engine/proxy.ts'
import { until } from '../../test/engine/shell.ts'
import { startVisits } from '../../test/engine/visits.ts'
import { databaseNameOf } from '../../test/harness.ts'

const lease_seconds = 1.5
/** A program that has just started may take a while to answer on a busy machine. */
const timing = { lease_seconds, start_seconds: 60, observe_seconds: 1 }

/** What an owner asks for while something fails: version two serves before the change and after the roll back, three between them. */
type Operation = 'a change' | 'a roll back'
const operations: Operation[] = ['a change', 'a roll back']

describeEngines('faults during a change and during a roll back (D-104)', async () => {
  const engines = await startEngines({ hosts: 2, disk_mb: 700 })
  const [one, two] = engines.hosts as [TestHost, TestHost]
  const hosting = await startHosting(engines)
  const { plaza, app, image } = hosting
  for (const version of ['one', 'two', 'three'])
    await engines.push('apps/web', version, { env: { APP_VERSION: version } })
  await plaza.db.sql`insert into deploy_tier_replicas select id, 3 from deploy_tiers where slug = 'starter'`
  const router = await plaza.startAnother({ ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })

  const params = ({ id }: TestDeployment) => ({ id })
  const change = (web: TestDeployment, body: BodyOf<typeof changeDeployment>) => {
    plaza.clock.advance(7)
    return app.api.result(changeDeployment, { params: params(web), body })
  }
  const rollBack = (web: TestDeployment, body: BodyOf<typeof rollBackDeployment> = {}) => {
    plaza.clock.advance(7)
    return app.api.result(rollBackDeployment, { params: params(web), body })
  }
  const releases = async (web: TestDeployment) => {
    plaza.clock.advance(7)
    return (await app.api.result(listDeploymentReleases, { params: params(web) })).releases
  }
  const summary = async (web: TestDeployment) =>
    (await releases(web)).map(({ number, status }) => `${number} ${status}`)
  const containers = async (web: TestDeployment) =>
    (await Promise.all([one, two].map((host) => containersOf(host, web.id).catch(() => [])))).flat()

  type Given = Awaited<ReturnType<typeof visited>>
  /** A deployment whose second release serves, and its visitors. */
  async function visited({ hosts }: { hosts?: string[] } = {}) {
    const worker = await hosting.startWorker({ timing, ...(hosts ? { hosts } : {}) })
    const web = await hosting.deploy(image('apps/web:one'))
    await web.reaches('running')
    await change(web, { image: image('apps/web:two') })
    await settled(web, 2)
    await worker.stop()
    return { web, replicas: 1, stopVisits: await startVisits(plaza, router, web.id) }
  }
  const settled = (web: TestDeployment, generation: number, replicas = 1) =>
    until(`${replicas} of generation ${generation} alone`, 120, async () => {
      const row = await web.row()
      const [others] = await plaza.db.sql<{ serving: number }>`
        select count(*)::integer as serving from deploy_replicas
         where deployment_id = ${web.id} and endpoint_host is not null and serving_generation = ${generation}`
      return (
        row.serving_generation === generation &&
        row.generation === generation &&
        row.lease_owner === null &&
        row.status === 'running' &&
        row.health_status === 'healthy' &&
        others?.serving === replicas - 1
      )
    })
  /** A change to version three, or a roll back to the release of version two. */
  async function begin(web: TestDeployment, operation: Operation) {
    if (operation === 'a change') return change(web, { image: image('apps/web:three') })
    return rollBack(web, { release_id: (await releases(web)).find(({ number }) => number === 2)!.id })
  }

  /** The operation has succeeded as the API tells it, and nothing but the new containers is left. */
  async function succeeded({ web, replicas }: Given, operation: Operation, number: number) {
    await settled(web, number, replicas)
    expect((await summary(web)).slice(0, 2)).toEqual([`${number} current`, `${number - 1} replaced`])
    expect(await web.ask()).toMatchObject({ version: operation === 'a change' ? 'three' : 'two' })
    await expect.poll(() => containers(web), { timeout: 60_000 }).toHaveLength(replicas)
    expect((await web.logs()).filter(({ status }) => status === 'pending' || status === 'failed')).toEqual([])
  }
  /** Nobody got a failure; what is destroyed leaves nothing. */
  async function ended({ web, stopVisits }: Given) {
    expect(Object.keys(await stopVisits())).toEqual(['200'])
    const worker = await hosting.testWorker({ timing })
    await web.destroy()
    await web.reaches('destroyed')
    expect(await containers(web)).toEqual([])
    await worker.stop()
  }
  /** While it is on its way the API says so, and what serves does. */
  const pending = async (web: TestDeployment, number: number) =>
    expect((await summary(web)).slice(0, 2)).toEqual([`${number} pending`, `${number - 1} current`])

  const isStart = (line: string) => /POST .*\/containers\/[0-9a-f]+\/start/.test(line)
  /** Each call of a rollout at which a worker is killed. `started`: the new container was started before. */
  const moments: [string, (line: string, seen: { started: boolean }) => boolean][] = [
    ['it asks for what there is', (line) => line.includes('/containers/json')],
    ['it asks for the image', (line) => line.includes('/distribution/') || line.includes('/images/')],
    ['it makes the container', (line) => line.includes('/containers/create')],
    ['it starts it', isStart],
    ['it looks whether it runs', (line, seen) => seen.started && line.includes('/containers/')],
    ['it stops the old one', (line) => /POST .*\/containers\/[0-9a-f]+\/stop/.test(line)],
    ['it removes the old one', (line) => line.startsWith('DELETE') && line.includes('/containers/')],
  ]

  test('10: a worker killed at every step, of a change and of a roll back in turn: the next one completes it', async () => {
    const given = await visited({ hosts: ['host1'] })
    let number = 2
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
      await begin(given.web, operation)
      await exited
      expect([moment, is_killed]).toEqual([moment, true])
      const worker = await hosting.testWorker({ timing })
      await succeeded(given, operation, ++number)
      await worker.stop()
    }
    await ended(given)
  }, 600_000)

  test('1, 2: the engine is away, or hangs, during a change and a roll back: they are completed once it is back', async () => {
    const given = await visited({ hosts: ['host1'] })
    const proxy = await engineProxy(one.socket_path)
    const worker = await hosting.testWorker({ sockets: { host1: proxy.socket_path }, hosts: ['host1'], timing })
    let number = 2
    for (const fault of ['refuse', 'hang'] as const)
      for (const operation of operations) {
        proxy.inject = (line) => (/\/(distribution|images|containers)\//.test(line) ? fault : undefined)
        await begin(given.web, operation)
        await given.web.becomes('in trouble', ({ last_error }) => /^(unreachable|timeout): /.test(last_error ?? ''))
        await pending(given.web, ++number)
        proxy.inject = () => undefined
        await succeeded(given, operation, number)
      }
    await worker.stop()
    await ended(given)
  }, 300_000)

  test('5, 11, 13: a broken pull, a lost answer and a paused worker during a change and a roll back: each is carried out once', async () => {
    const given = await visited({ hosts: ['host1'] })
    const proxy = await engineProxy(one.socket_path)
    const sockets = { host1: proxy.socket_path }
    let number = 2
    for (const operation of operations) {
      // What is pulled is on the host no more.
      for (const version of ['two', 'three']) await forgetImage(one, image(`apps/web:${version}`))
      const faults = [
        { matches: /POST .*\/images\/create/, fault: { answer: pull_error } },
        { matches: /POST .*\/containers\/create/, fault: 'lose_answer' as const },
      ]
      proxy.inject = (line) => (faults[0]?.matches.test(line) ? faults.shift()!.fault : undefined)
      const worker = await hosting.testWorker({ sockets, hosts: ['host1'], timing })
      await begin(given.web, operation)
      await succeeded(given, operation, ++number)
      expect(faults).toEqual([])
      await worker.stop()
    }
    for (const operation of operations) {
      const { child } = await hosting.workerProcess({ sockets, timing })
      let is_paused = false
      proxy.inject = (line) => {
        if (!is_paused && line.includes('/containers/create')) is_paused = child.kill('SIGSTOP')
        return undefined
      }
      await begin(given.web, operation)
      await until('the paused worker', 30, async () => is_paused)
      const worker = await hosting.testWorker({ hosts: ['host1'], timing })
      await succeeded(given, operation, ++number)
      const before = await given.web.logs()
      child.kill('SIGCONT')
      await expect.poll(() => containers(given.web), { timeout: 60_000 }).toHaveLength(1)
      await succeeded(given, operation, number)
      expect(await given.web.logs()).toEqual(before)
      child.kill('SIGKILL')
      await worker.stop()
    }
    await ended(given)
  }, 300_000)

  test('4, 16: what serves is kept up while a change waits for the registry, or pulls for long: removed or restarted by hand', async () => {
    const proxy = await engineProxy(one.socket_path)
    const worker = await hosting.testWorker({ sockets: { host1: proxy.socket_path }, hosts: ['host1'], timing })
    const web = await hosting.deploy(image('apps/web:one'))
    await web.reaches('running')
    await engines.push('apps/late', 'one', { env: { APP_VERSION: 'late' } })
    const intervene = async (method: 'POST' | 'DELETE', what = '', query = {}) => {
      const serving = (await containers(web)).find(({ State }) => State === 'running')!
      await one.docker.call(method, `/containers/${serving.Id}${what}`, { signal: AbortSignal.timeout(20_000), query })
    }
    const isServed = () =>
      expect.poll(() => web.ask(), { timeout: 60_000, interval: 300 }).toMatchObject({ version: 'one' })

    await engines.registry.stop()
    onTestFinished(() => engines.registry.start().catch(() => {}))
    await change(web, { image: image('apps/late:one') })
    await web.becomes('tried', ({ last_error }) => last_error?.startsWith('registry_unreachable: ') ?? false)
    await intervene('DELETE', '', { force: 'true' })
    await isServed()
    // Its port is another one then.
    await intervene('POST', '/restart')
    await isServed()
    await pending(web, 2)

    proxy.inject = (line) => (line.startsWith('POST') && line.includes('/images/create') ? 'hang' : undefined)
    await engines.registry.start()
    await until('a pull that hangs', 60, async () => proxy.injected > 0)
    await intervene('POST', '/restart')
    await isServed()
    await intervene('DELETE', '', { force: 'true' })
    await isServed()
    proxy.inject = () => undefined
    await change(web, { env_set: { AGAIN: 'yes' } })
    await settled(web, 3)
    expect(await web.ask()).toMatchObject({ version: 'late' })
    expect(await summary(web)).toEqual(['3 current', '2 superseded', '1 replaced'])
    await worker.stop()
  }, 240_000)

  test('14: the database is away during a change and a roll back: visitors are served, and they are completed afterwards', async () => {
    const given = await visited({ hosts: ['host1'] })
    const name = await databaseNameOf(plaza)
    const outside = new pg.Client({ ...inject('postgres'), database: 'postgres' })
    await outside.connect()
    const allow = (yes: boolean) => outside.query(`alter database ${name} with allow_connections ${yes}`)
    onTestFinished(async () => {
      await allow(true)
      await outside.end()
    })
    const proxy = await engineProxy(one.socket_path)
    const worker = await hosting.testWorker({ sockets: { host1: proxy.socket_path }, hosts: ['host1'], timing })
    let number = 2
    for (const operation of operations) {
      let cut: Promise<unknown> | undefined
      proxy.inject = (line) => {
        if (isStart(line))
          cut ??= allow(false).then(() =>
            outside.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]),
          )
        return undefined
      }
      // The answer may be lost with the database; the release is not.
      await begin(given.web, operation).catch(() => {})
      await until('the cut', 30, async () => cut !== undefined)
      await cut
      await new Promise((next) => setTimeout(next, 3_000))
      await allow(true)
      await until('the database', 30, () => plaza.db.sql`select 1`.then(Boolean, () => false))
      await succeeded(given, operation, ++number)
    }
    await worker.stop()
    await ended(given)
  }, 240_000)

  test('18: the disk is full during a change and a roll back: what serves goes on, and they are completed once there is room', async () => {
    const given = await visited({ hosts: ['host1'] })
    const filler = join(dirname(one.socket_path), 'data', 'filler')
    onTestFinished(() => rm(filler, { force: true }))
    const worker = await hosting.testWorker({ hosts: ['host1'], timing })
    let number = 2
    for (const operation of operations) {
      await fill(filler)
      await begin(given.web, operation)
      expect(
        await given.web.becomes('no room', ({ last_error }) => last_error?.includes('no space left') ?? false),
      ).toMatchObject({ serving_generation: number, failed_generation: null })
      await pending(given.web, ++number)
      await rm(filler)
      await succeeded(given, operation, number)
    }
    await worker.stop()
    await ended(given)
  }, 240_000)

  test('4: the registry is away: a change waits for it; a roll back needs none of it and overtakes the change', async () => {
    const given = await visited({ hosts: ['host1'] })
    const { web } = given
    const worker = await hosting.testWorker({ hosts: ['host1'], timing })
    await engines.push('apps/new', 'one', { env: { APP_VERSION: 'new' } })
    await engines.registry.stop()
    onTestFinished(() => engines.registry.start().catch(() => {}))
    await change(web, { image: image('apps/new:one') })
    await web.becomes('tried', ({ last_error }) => last_error?.startsWith('registry_unreachable: ') ?? false)
    await pending(web, 3)
    await rollBack(web)
    await settled(web, 4)
    expect(await web.ask()).toMatchObject({ version: 'two' })
    expect(await summary(web)).toEqual(['4 current', '3 superseded', '2 replaced', '1 replaced'])
    await engines.registry.start()
    await change(web, { image: image('apps/web:three') })
    await succeeded(given, 'a change', 5)
    await worker.stop()
    await ended(given)
  }, 240_000)

  test('19: changes and roll backs at once: the last release serves, the API tells what became of each', async () => {
    const given = await visited()
    const { web } = given
    const workers = [await hosting.testWorker({ timing }), await hosting.testWorker({ timing })]
    plaza.clock.advance(60)
    const set = (value: string) =>
      app.api.result(changeDeployment, { params: params(web), body: { env_set: { LAST: value } } })
    const back = () => app.api.result(rollBackDeployment, { params: params(web), body: {} })
    const outcomes = await Promise.allSettled([set('a'), back(), set('b'), back(), set('c')])
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'fulfilled'))
    const { generation } = await web.row()
    await settled(web, generation)
    const [last, ...before] = await summary(web)
    expect(last).toMatch(/^\d+ current$/)
    for (const release of before) expect(release).toMatch(/^\d+ (superseded|replaced)$/)
    await expect.poll(() => containers(web), { timeout: 60_000 }).toHaveLength(1)
    for (const worker of workers) await worker.stop()
    await ended(given)
  }, 240_000)

  for (const operation of operations)
    test(`24: a host is lost during ${operation} of two replicas: the other one serves, and it is completed on what is left`, async () => {
      const first = await hosting.startWorker({ timing })
      const web = await hosting.deploy(image('apps/web:one'))
      await web.reaches('running')
      await change(web, { replicas: 2 })
      await settled(web, (await web.row()).generation, 2)
      await change(web, { image: image('apps/web:two') })
      const { generation, host_server } = await web.row()
      await settled(web, generation, 2)
      await expect.poll(() => containers(web), { timeout: 60_000 }).toHaveLength(2)
      await first.stop()
      const given = { web, replicas: 2, stopVisits: await startVisits(plaza, router, web.id) }
      const worker = await hosting.testWorker({ timing: { ...timing, replace_lost_seconds: 3 } })
      const lost = engines.hosts.find(({ name }) => name === host_server)!
      await (operation === 'a change' ? begin(web, operation) : rollBack(web))
      await lost.lose()
      await settled(web, generation + 1, 2)
      expect(await web.ask()).toMatchObject({ version: operation === 'a change' ? 'three' : 'one' })
      expect((await summary(web))[0]).toMatch(/^\d+ current$/)
      await lost.reconnect()
      await lost.start()
      await expect.poll(() => containers(web), { timeout: 60_000 }).toHaveLength(2)
      await worker.stop()
      await ended(given)
    }, 300_000)
})

const pull_error =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n' +
  '{"status":"Pulling"}\r\n{"error":"unexpected EOF","errorDetail":{"message":"unexpected EOF"}}\r\n'

/** Removes an image of a host, unless it is in use there. */
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

/** Fills the file system of a host: what is written ends where there is no room. */
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
