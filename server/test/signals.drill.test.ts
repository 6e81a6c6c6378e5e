import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login } from '../../contract/accounts.ts'
import { adminListUsers, awardPoints } from '../../contract/admin.ts'
import { me } from '../../contract/accounts.ts'
import { freePort } from './free-port.ts'
import { firstAdmin } from './harness.ts'
import { buildConsole } from './build.ts'
import { fetchNode } from './newer-node.ts'
import { startProcess, untilAnswers, type Started } from './processes.ts'
import { childrenOf } from './service-group.ts'
import { isOk, sleep, waitUntil } from './wait.ts'

await buildConsole()

/** `/proc` belongs to the namespace, as in a container: the service uses it to find its PostgreSQL. */
const as_process_1 = ['--pid', '--fork', '--kill-child', '--mount-proc']
const pid_namespaces = spawnSync('unshare', [...as_process_1, 'true']).status === 0
if (!pid_namespaces && process.env.CI === 'true') throw new Error('The test of process 1 needs process namespaces.')
if (!pid_namespaces) process.stderr.write('Left out: a test of process 1 needs root and process namespaces.\n')

interface Installation {
  folder: string
  port: number
  env: Record<string, string>
}

/** A new data folder for the embedded PostgreSQL, and the settings of a service that uses it. */
async function someInstallation(): Promise<Installation> {
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

/** The process id of the embedded PostgreSQL of a data folder, if it runs. */
async function postmasterOf(folder: string) {
  const content = await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(content, 10)
  const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '')
  // A leftover file may name an unrelated process.
  return directory === join(folder, 'postgres') ? pid : undefined
}

function start(command: string, args: string[], { env }: Installation): Started {
  const started = startProcess(command, args, env)
  onTestFinished(() => void started.child.kill('SIGKILL'))
  return started
}

const serviceOf = (installation: Installation) => start(process.execPath, ['scripts/start.mjs'], installation)

const wait = { interval_ms: 10 }

const ready = ({ port }: Installation, started: Started) => untilAnswers(started, `http://127.0.0.1:${port}/readyz`)

test('SIGTERM to npm start stops the service and its PostgreSQL, and npm ends after them', async () => {
  const installation = await someInstallation()
  const npm = start('npm', ['start', '--silent'], installation)
  await ready(installation, npm)
  npm.child.kill('SIGTERM')
  const { code, stdout, stderr } = await npm.ended
  expect([code, stdout, stderr.split('\n').length <= 12]).toEqual([0, '', true])
  expect(stderr).toMatch(/^Plaza is ready\. Ctrl-C stops it\.\n  Console .*\n[^]*\nPlaza has stopped\.\n$/)
  await expect(fetch(`http://127.0.0.1:${installation.port}/livez`)).rejects.toThrow('fetch failed')
  expect(await postmasterOf(installation.folder)).toBeUndefined()
})

// The image's Node is between it and that of the tests.
test('in the newest Node the built service starts on an empty database and stops', async () => {
  const installation = await someInstallation()
  const service = start(await fetchNode('26.10.0'), ['scripts/start.mjs'], installation)
  await ready(installation, service)
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0, stdout: '' })
})

test('a signal while the service starts ends it with exit code 0 and leaves no PostgreSQL behind', async () => {
  const installation = await someInstallation()
  // The first start creates the database. A signal during that takes effect afterwards.
  const late = serviceOf(installation)
  await waitUntil(
    async () => (await postmasterOf(installation.folder)) !== undefined,
    () => `PostgreSQL (${late.stderr()})`,
    wait,
  )
  late.child.kill('SIGINT')
  expect(await late.ended).toMatchObject({ code: 0, stdout: '', stderr: 'Plaza has stopped.\n' })
  expect(await postmasterOf(installation.folder)).toBeUndefined()
})

test('Ctrl-C ends npm run dev: the service, its PostgreSQL and the console with hot reload', async () => {
  const installation = await someInstallation()
  const console_port = await freePort()
  const npm = start('npm', ['run', 'dev', '--silent', '--', String(console_port)], installation)
  await ready(installation, npm)
  // The console calls the service.
  const url = `http://localhost:${console_port}`
  await waitUntil(
    () => isOk(`${url}/health`),
    () => `the console (${npm.stderr()})`,
    wait,
  )
  expect(npm.stderr()).toContain(`  Console        ${url}\n`)
  npm.child.kill('SIGINT')
  expect(await npm.ended).toMatchObject({ code: 0 })
  await expect(fetch(`${url}/`)).rejects.toThrow('fetch failed')
  await expect(fetch(`http://127.0.0.1:${installation.port}/livez`)).rejects.toThrow('fetch failed')
  expect(await postmasterOf(installation.folder)).toBeUndefined()
})

/** Prints a line when the first handler of SIGTERM has been added. */
const announce_handler = `process.on('newListener', function added(name) {
  if (name !== 'SIGTERM') return
  process.off('newListener', added)
  process.nextTick(() => process.stderr.write('SIGTERM is handled\\n'))
})`

test.runIf(pid_namespaces)('as process 1 of a container the service handles SIGTERM from the start', async () => {
  const installation = await someInstallation()
  const preload = `data:text/javascript,${encodeURIComponent(announce_handler)}`
  const args = [...as_process_1, process.execPath, '--import', preload, 'scripts/start.mjs']
  const started = start('unshare', args, installation)
  await waitUntil(() => Promise.resolve(started.stderr().includes('SIGTERM is handled')), 'a handler of SIGTERM', wait)
  const [pid] = await childrenOf(started.child.pid ?? 0)
  process.kill(pid ?? 0, 'SIGTERM')
  const ended = await started.ended
  expect(ended, ended.stderr).toMatchObject({ code: 0, signal: null, stdout: '' })
  expect(existsSync(join(installation.folder, 'postgres/postmaster.pid'))).toBe(false)
})

test('SIGTERM to all processes at the same time, including PostgreSQL: exit code 0, and nothing acknowledged is lost; O8: SIGHUP, which a closed terminal sends, drains the next one', async () => {
  const installation = await someInstallation()
  const service = serviceOf(installation)
  await ready(installation, service)
  const anonymous = new PlazaClient(`http://127.0.0.1:${installation.port}`)
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
  const postmaster = (await postmasterOf(installation.folder)) ?? 0
  for (const pid of [service.child.pid ?? 0, ...(await childrenOf(postmaster)), postmaster])
    process.kill(pid, 'SIGTERM')
  const { code, stdout } = await service.ended
  load.on = false
  await Promise.all(awarding)
  expect(stdout).not.toContain('stopping failed')
  expect(code).toBe(0)
  expect(await postmasterOf(installation.folder)).toBeUndefined()

  installation.env.DRAIN_SECONDS_API = '10'
  const again = serviceOf(installation)
  await ready(installation, again)
  const { user } = await admin.result(me)
  expect(user.points).toBeGreaterThanOrEqual(load.awarded)
  expect(user.points).toBeLessThanOrEqual(load.awarded + 8)
  expect((await admin.call(adminListUsers, { query: {} })).status).toBe(200)
  again.child.kill('SIGHUP')
  // While it drains, everything is served, and readyz reports the stop.
  await waitUntil(async () => !(await isOk(`http://127.0.0.1:${installation.port}/readyz`)), '503 from readyz', wait)
  expect((await fetch(`http://127.0.0.1:${installation.port}/livez`)).status).toBe(200)
  expect(await again.ended).toMatchObject({ code: 0, stdout: '' })
  expect(await postmasterOf(installation.folder)).toBeUndefined()
})
