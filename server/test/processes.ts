import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { Writable } from 'node:stream'
import { inject, onTestFinished } from 'vitest'
import { runCommand } from '../commands/run.ts'
import { package_root } from '../platform/package.ts'
import type { Env } from '../platform/env-reader.ts'
import { refusalText } from '../processes/refusal-text.ts'
import { buildServer } from './build.ts'
import { isOk, waitUntil } from './wait.ts'

// Processes run the build: starting the sources with tsx takes three times the processor time. A stale build is rebuilt first.
await buildServer()

/** The inherited environment of child processes: none of Plaza's settings. */
export const bare_env: Env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test' }

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Started {
  child: ChildProcess
  /** The output so far. */
  stdout(): string
  stderr(): string
  ended: Promise<Ended>
}

/** Starts the built service, or one of its commands, in a child process. */
export function startMain(
  args: string[],
  env: Env,
  { cwd = package_root, stdio }: { cwd?: string; stdio?: StdioOptions } = {},
): Started {
  const main = `${package_root}/dist/server/main.js`
  // As `npm start` does: a start collects garbage for a tenth of its processor time otherwise. Optimized code takes another fifth, which
  // pays off later than these processes live.
  return startProcess(process.execPath, ['--max-semi-space-size=64', '--no-opt', main, ...args], env, {
    cwd,
    ...(stdio && { stdio }),
  })
}

/** Waits until a GET of the URL returns 2xx; fails with the output once the process has ended. */
export async function untilAnswers({ child, stdout, stderr }: Started, url: string) {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  // On a machine that is busy with other tests, a process starts slowly.
  await waitUntil(
    () => hasEnded() || isOk(url),
    () => `${url}: ${stderr()}${stdout().slice(-3_000)}`,
    { interval_ms: 50 },
  )
  if (hasEnded()) throw new Error(`the process ended: ${stderr()}`)
}

/** Starts the service with these settings and waits until it is ready; killed after the test. */
export async function startServing(env: Env, { stdio }: { stdio?: StdioOptions } = {}) {
  const started = startMain([], env, stdio && { stdio })
  onTestFinished(async () => {
    started.child.kill('SIGKILL')
    await started.ended
  })
  const url = `http://${env.HOST}:${env.PORT}`
  await untilAnswers(started, `${url}/readyz`)
  return { ...started, url }
}

/** Runs `node dist/server/ready.js`; resolves when it has ended. */
export const startReady = (args: string[], env: Env) =>
  startProcess(process.execPath, [`${package_root}/dist/server/ready.js`, ...args], env).ended

/** Starts a program and collects its output from pipes. */
export function startProcess(
  command: string,
  args: string[],
  env: Env,
  {
    cwd = package_root,
    stdio = ['ignore', 'pipe', 'pipe'],
    detached = false,
  }: { cwd?: string; stdio?: StdioOptions; detached?: boolean } = {},
): Started {
  const child = spawn(command, args, { cwd, env: { ...bare_env, ...env }, stdio, detached })
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk) => void (stdout += chunk))
  child.stderr?.on('data', (chunk) => void (stderr += chunk))
  const ended = new Promise<Ended>((done, failed) => {
    child.once('error', failed)
    child.once('close', (code, signal) => done({ code, signal, stdout, stderr }))
  })
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

/**
 * Runs `npm run admin -- <args>` in this process, which takes a tenth of the processor time of a child process. `backup` lowers the
 * priority of its process, so start it with `startMain`.
 */
export async function runAdmin(args: string[], env: Env): Promise<Ended> {
  const [stdout, stderr] = [collectText(), collectText()]
  const outputs = { stdout: stdout.stream, stderr: stderr.stream, signal: new AbortController().signal }
  const code = await runCommand({ ...bare_env, ...env }, args, outputs).catch((error: Error) => {
    stderr.stream.write(refusalText('do this', error))
    return 1
  })
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() }
}

function collectText() {
  let text = ''
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  return { stream, text: () => text }
}

/** The settings of an API process on a test database. */
export const apiProcess = (database: string, { port, public_url }: { port: number; public_url: string }): Env => ({
  DATABASE_URL: testDatabaseUrl(database),
  SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule',
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: public_url,
  ROLES: 'api',
  LOG_LEVEL: 'warn',
})

/** The URL of a database on the tests' PostgreSQL. */
export function testDatabaseUrl(name: string) {
  const { host, user } = inject('postgres')
  return `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}`
}
