import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PlazaClient } from '../../client/client.ts'
import { login } from '../../contract/accounts.ts'
import { adminListUsers, awardPoints } from '../../contract/admin.ts'
import { me } from '../../contract/accounts.ts'
import { freePort } from './free-port.ts'
import { firstAdmin } from './harness.ts'
import { startProcess, type Started } from './processes.ts'
import { isOk, sleep, waitUntil } from './wait.ts'

const pid_namespaces = spawnSync('unshare', ['--pid', '--fork', '--kill-child', 'true']).status === 0
if (!pid_namespaces && process.env.CI === 'true') throw new Error('The test of process 1 needs process namespaces.')
if (!pid_namespaces) process.stderr.write('Left out: a test of process 1 needs root and process namespaces.\n')

interface Place {
  folder: string
  port: number
  env: Record<string, string>
}

/** A data folder of its own, for the embedded PostgreSQL. */
async function somePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-signals-'))
  const port = await freePort()
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    ROLES: 'api',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS_API: '1',
    ADMIN_EMAIL: firstAdmin.email,
    ADMIN_PASSWORD: firstAdmin.password,
  }
  onTestFinished(async () => {
    const postmaster = await postmasterOf(folder)
    if (postmaster !== undefined) process.kill(postmaster, 'SIGQUIT')
    while ((await postmasterOf(folder)) !== undefined) await sleep(20)
    await rm(folder, { recursive: true, force: true })
  })
  return { folder, port, env }
}

/** The process of the embedded PostgreSQL in a folder, if it is alive. */
async function postmasterOf(folder: string) {
  const content = await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(content, 10)
  return existsSync(`/proc/${pid}`) ? pid : undefined
}

function start(command: string, words: string[], { env }: Place): Started {
  const started = startProcess(command, words, env)
  onTestFinished(() => void started.child.kill('SIGKILL'))
  return started
}

const serviceOf = (place: Place) => start(process.execPath, ['scripts/start.mjs'], place)

const wait = { timeout_ms: 120_000, interval_ms: 10 }

const ready = ({ port }: Place, { stderr }: Started) =>
  waitUntil(
    () => isOk(`http://127.0.0.1:${port}/readyz`),
    () => `the service (${stderr()})`,
    wait,
  )

test('SIGTERM to npm start stops the service and its PostgreSQL, and npm ends after them', async () => {
  const place = await somePlace()
  const npm = start('npm', ['start', '--silent'], place)
  await ready(place, npm)
  npm.child.kill('SIGTERM')
  expect(await npm.ended).toMatchObject({ code: 0 })
  await expect(fetch(`http://127.0.0.1:${place.port}/livez`)).rejects.toThrow('fetch failed')
  expect(await postmasterOf(place.folder)).toBeUndefined()
}, 200_000)

test('a signal while the service starts ends it with exit code 0 and leaves no PostgreSQL behind', async () => {
  const place = await somePlace()
  // The first start makes the database: a signal in the midst of it waits for that, and no longer.
  const late = serviceOf(place)
  await waitUntil(
    async () => (await postmasterOf(place.folder)) !== undefined,
    () => `PostgreSQL (${late.stderr()})`,
    wait,
  )
  late.child.kill('SIGINT')
  expect(await late.ended).toMatchObject({ code: 0, stdout: '' })
  expect(await postmasterOf(place.folder)).toBeUndefined()
}, 200_000)

/** The processes that a process has started and not lost. */
async function childrenOf(pid: number) {
  const tasks = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')))
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}

test.runIf(pid_namespaces)(
  'as process 1 of a container the service hears SIGTERM from its first moment on',
  async () => {
    const place = await somePlace()
    const words = ['--pid', '--fork', '--kill-child', process.execPath, 'scripts/start.mjs']
    const started = start('unshare', words, place)
    const first = async () => (await childrenOf(started.child.pid ?? 0))[0]
    await waitUntil(async () => (await first()) !== undefined, 'process 1', wait)
    const pid = (await first()) ?? 0
    // Those that come before Node runs anything are lost: nobody can hear them. The first after that ends it.
    const again = setInterval(() => existsSync(`/proc/${pid}`) && process.kill(pid, 'SIGTERM'), 50)
    const ended = await started.ended.finally(() => clearInterval(again))
    expect(ended).toMatchObject({ code: 0, stdout: '' })
  },
  200_000,
)

test('SIGTERM to all processes at once, PostgreSQL’s too: exit code 0, and nothing acknowledged is lost', async () => {
  const place = await somePlace()
  const service = serviceOf(place)
  await ready(place, service)
  const anonymous = new PlazaClient(`http://127.0.0.1:${place.port}`)
  const session = await anonymous.result(login, { body: firstAdmin })
  const admin = anonymous.withToken(session.token)
  const load = { on: true, awarded: 0 }
  const awarding = Array.from({ length: 8 }, async () => {
    while (load.on) {
      const reply = await admin
        .call(awardPoints, { body: { user_id: session.user.id, amount: 1 } })
        .catch(() => undefined)
      if (reply?.status === 200) load.awarded++
      else await sleep(20)
    }
  })
  await waitUntil(() => load.awarded > 100, 'awards', wait)
  const postmaster = (await postmasterOf(place.folder)) ?? 0
  for (const pid of [service.child.pid ?? 0, ...(await childrenOf(postmaster)), postmaster])
    process.kill(pid, 'SIGTERM')
  const { code, stdout } = await service.ended
  load.on = false
  await Promise.all(awarding)
  expect(stdout).not.toContain('stopping failed')
  expect(code).toBe(0)
  expect(await postmasterOf(place.folder)).toBeUndefined()

  const again = serviceOf(place)
  await ready(place, again)
  const { user } = await admin.result(me)
  expect(user.points).toBeGreaterThanOrEqual(load.awarded)
  expect(user.points).toBeLessThanOrEqual(load.awarded + 8)
  expect((await admin.call(adminListUsers, { query: {} })).status).toBe(200)
  again.child.kill('SIGTERM')
  expect(await again.ended).toMatchObject({ code: 0 })
}, 200_000)
