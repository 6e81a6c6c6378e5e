import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../test/free-port.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { databaseUrlOf, PostgresNode } from '../test/postgres-node.ts'
import { apiProcess, startMain, startProcess, startReady } from '../test/processes.ts'
import { requestRouter } from '../test/router.ts'
import { isOk, waitUntil } from '../test/wait.ts'

const plaza = await startTestService({ ROLES: 'api,router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })
const name = await databaseNameOf(plaza)

/** The settings of a process of these roles, with all its ports. */
const roleEnv = async (ROLES: string, env: Record<string, string> = {}) => ({
  ...apiProcess(name, { port: await freePort(), public_url: plaza.url }),
  ROLES,
  PROBES_PORT: String(await freePort()),
  ROUTER_HOST: '127.0.0.1',
  ROUTER_PORT: String(await freePort()),
  ...env,
})

const ready = { code: 0, signal: null, stdout: 'ready\n', stderr: '' }

const ask = async (url: string) => {
  const reply = await fetch(url)
  return [reply.status, (await reply.json()) as Record<string, unknown>] as const
}

const checkOf = (body: Record<string, unknown>, check: string) =>
  (body.checks as { name: string }[]).find(({ name }) => name === check)

test('D-93: processes with the roles worker and router answer the probes on PROBES_PORT; without its database only the router is ready; neither is while it stops', async () => {
  const node = await PostgresNode.primary()
  await node.query('create database plaza')
  const start = async (role: 'worker' | 'router') => {
    const env = await roleEnv(role, { DATABASE_URL: databaseUrlOf('plaza', [node]), DRAIN_SECONDS_API: '60' })
    const started = startMain([], env)
    onTestFinished(() => void started.child.kill('SIGKILL'))
    // `--wait` waits for a process that is still starting.
    expect(await startReady(['--wait', '200'], env), started.stderr()).toEqual(ready)
    return { env, child: started.child, url: `http://127.0.0.1:${env.PROBES_PORT}` }
  }
  const [worker, router] = await Promise.all([start('worker'), start('router')])
  const checks = ['process', 'start', 'database', 'migrations', 'mail', 'log']
  for (const [{ url }, names] of [
    [worker, checks],
    [router, [...checks, 'routes', 'route_changes']],
  ] as const) {
    expect(await ask(`${url}/livez`)).toEqual([200, { status: 'ok' }])
    const [, body] = await ask(`${url}/readyz`)
    expect(body).toMatchObject({ status: 'ready' })
    expect((body.checks as { name: string }[]).map(({ name: check }) => check)).toEqual(names)
    expect((await ask(`${url}/api/points`))[0]).toBe(404)
  }

  await node.kill()
  await waitUntil(async () => !(await isOk(`${worker.url}/readyz`)), 'a worker that is not ready')
  const databaseOf = async (url: string) => checkOf((await ask(`${url}/readyz`))[1], 'database')
  await waitUntil(async () => ((await databaseOf(router.url)) as { status?: string }).status === 'degraded')
  for (const url of [router.url, `http://127.0.0.1:${router.env.ROUTER_PORT}`]) {
    const [status, body] = await ask(`${url}/readyz`)
    expect([status, checkOf(body, 'route_changes')]).toEqual([
      200,
      { name: 'route_changes', status: 'degraded', reason: null },
    ])
  }

  for (const { url, child, env } of [worker, router]) {
    child.kill('SIGTERM')
    const processCheck = async () => checkOf((await ask(`${url}/readyz`))[1], 'process')
    await expect.poll(processCheck).toEqual({ name: 'process', status: 'failed', reason: null })
    expect((await ask(`${url}/livez`))[0]).toBe(200)
    expect(await startReady([], env)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^not ready: process/) })
  }
})

test('D-93: a router answers the probes on its own port, under its own names, to loopback', async () => {
  const probe = async (path: string, headers?: Record<string, string>) => {
    const { status, body } = await requestRouter(plaza, path, headers)
    return [status, status === 404 ? undefined : JSON.parse(body)] as const
  }
  expect(await probe('/livez')).toEqual([200, { status: 'ok' }])
  expect(await probe('/readyz')).toEqual([
    200,
    {
      status: 'ready',
      checks: [
        { name: 'process', status: 'ok', reason: null },
        { name: 'routes', status: 'ok', reason: null },
        { name: 'route_changes', status: 'ok', reason: null },
      ],
    },
  ])
  // A name without a dot, which containers use among each other, belongs to the router; one with a dot may be a deployment's.
  expect((await probe('/readyz', { host: 'router:3080' }))[0]).toBe(200)
  expect((await probe('/readyz', { host: 'router.example' }))[0]).toBe(404)
  // A caller behind a proxy is a visitor.
  expect((await probe('/readyz', { 'x-forwarded-for': '192.0.2.1' }))[0]).toBe(404)
})

test('ready queries the process that the settings describe, waits as long as its argument says, and reports what is wrong', async () => {
  const port = Number(new URL(plaza.url).port)
  expect(await startReady([], { HOST: '127.0.0.1', PORT: String(port) })).toMatchObject({ code: 0, stdout: 'ready\n' })
  expect(await startReady([], { HOST: '0.0.0.0', PORT: String(port), ROLES: 'api' })).toMatchObject({ code: 0 })
  const nobody = { HOST: '127.0.0.1', PORT: String(await freePort()) }
  expect(await startReady([], nobody)).toMatchObject({
    code: 1,
    stderr: `http://127.0.0.1:${nobody.PORT}/readyz does not answer (ECONNREFUSED)\n`,
  })
  expect(await startReady([], { ROLES: 'worker' })).toMatchObject({
    code: 1,
    stderr: 'PROBES_PORT is not set: a process with these ROLES answers no probes.\n',
  })
  for (const args of [['--wait', 'x'], ['--wait'], ['--weight', '3'], ['--wait', '1', '2'], ['--pid', '-1']])
    expect(await startReady(args, nobody)).toMatchObject({
      code: 1,
      stderr: 'Usage: node dist/server/ready.js [--wait SECONDS] [--pid PID]\n',
    })
  const ended = startProcess('true', [], {})
  await ended.ended
  const { pid } = ended.child
  expect(await startReady(['--wait', '3600', '--pid', String(pid)], nobody)).toMatchObject({
    code: 1,
    stderr: `process ${pid} has ended\n`,
  })
})
