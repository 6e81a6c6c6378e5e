import { execFile, spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { package_root } from '../platform/package.ts'
import type { Env } from '../platform/env-reader.ts'

// Starting the sources by tsx takes three times the processor time of the build, dozens of times. What is newer than the
// build is built first.
const build = "import { buildServer } from './scripts/build.mjs'\nawait buildServer()"
await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', build], { cwd: package_root })

/** What a process inherits in tests: nothing that is a setting of ours. */
export const bare_env: Env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test' }

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Started {
  child: ChildProcess
  /** What it has written so far. */
  stdout(): string
  stderr(): string
  ended: Promise<Ended>
}

/** Runs the service, or one of its commands, in a process of its own: the build of the sources as they are. */
export function startMain(
  words: string[],
  env: Env,
  { cwd = package_root, stdio }: { cwd?: string; stdio?: StdioOptions } = {},
): Started {
  const main = `${package_root}/dist/server/main.js`
  return startProcess(process.execPath, [main, ...words], env, { cwd, ...(stdio && { stdio }) })
}

/** Runs a program; what it writes to pipes is kept. */
export function startProcess(
  command: string,
  words: string[],
  env: Env,
  {
    cwd = package_root,
    stdio = ['ignore', 'pipe', 'pipe'],
    detached = false,
  }: { cwd?: string; stdio?: StdioOptions; detached?: boolean } = {},
): Started {
  const child = spawn(command, words, { cwd, env: { ...bare_env, ...env }, stdio, detached })
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk) => void (stdout += chunk))
  child.stderr?.on('data', (chunk) => void (stderr += chunk))
  const ended = new Promise<Ended>((done, failed) => {
    child.once('error', failed)
    child.once('close', (code, signal) => done({ code, signal, stdout, stderr }))
  })
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

/** Runs `npm run admin -- <words>` to its end. */
export const runAdmin = (words: string[], env: Env, options: { cwd?: string } = {}) =>
  startMain(['admin', ...words], env, options).ended

/** What a process of the API needs on a database of the tests, beside others there. */
export const apiProcess = (database: string, { port, public_url }: { port: number; public_url: string }): Env => ({
  DATABASE_URL: testDatabaseUrl(database),
  SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule',
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: public_url,
  ROLES: 'api',
  LOG_LEVEL: 'warn',
})

/** The address of a database on the tests' PostgreSQL. */
export function testDatabaseUrl(name: string) {
  const { host, user } = inject('postgres')
  return `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}`
}
