// Builds what is stale: the server by tsc, the console by vite. `npm run build` builds both; `npm start` and the browser
// tests call the functions. Processes that build at once wait for each other, and a build comes into place at one stroke.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const at = (path) => join(root, path)

const newest = (path) => {
  if (!existsSync(at(path))) return 0
  if (statSync(at(path)).isFile()) return statSync(at(path)).mtimeMs
  return readdirSync(at(path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .reduce((time, entry) => Math.max(time, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0)
}

const isStale = (result, sources) =>
  !existsSync(at(result)) || Math.max(...sources.map(newest)) > statSync(at(result)).mtimeMs

const running = new Set()
const locks = new Set()

/** Ends what is being built, so that a process that is asked to stop leaves nothing behind. */
export function endBuilds() {
  for (const child of running) child.kill('SIGTERM')
  for (const lock of locks) rmSync(lock, { recursive: true, force: true })
}

async function run(script, words) {
  const child = spawn(process.execPath, [at(script), ...words], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Tests set another one, under which the bundler would take the slow forms of libraries.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  running.add(child)
  const [status, signal] = await once(child, 'exit').finally(() => running.delete(child))
  if (status !== 0) throw new Error(`${script} ended with ${status ?? signal}`)
}

/** Says before and after how long it takes, where somebody wants to know. */
async function timed(say, what, seconds, work) {
  say(`Building ${what}: once, about ${seconds} s …`)
  const begun = performance.now()
  await work()
  say(`Built ${what} in ${Math.round((performance.now() - begun) / 1000)} s.`)
}

/** Compiles the server when its sources are newer than `dist`; without the compiler, what is there is taken. */
export async function buildServer(say = () => {}) {
  const [compiler, stamp] = ['node_modules/typescript/bin/tsc', 'dist/.tsbuildinfo']
  const sources = ['contract', 'client', 'server', 'package-lock.json']
  if (!existsSync(at(compiler)) || !isStale(stamp, sources)) return
  await alone('dist/server.lock', async () => {
    if (!isStale(stamp, sources)) return
    const begun = new Date()
    await timed(say, 'the service', 15, () => run(compiler, ['-p', 'tsconfig.build.json']))
    // Sources that changed meanwhile are newer than the build.
    utimesSync(at(stamp), begun, begun)
  })
}

/** Builds the console when its sources are newer than `dist/web`; without the bundler, what is there is taken. */
export async function buildConsole(say = () => {}) {
  const bundler = 'node_modules/vite/bin/vite.js'
  const sources = ['web', 'contract', 'client', 'package-lock.json']
  if (!existsSync(at(bundler)) || !isStale('dist/web/index.html', sources)) return
  await alone('dist/web.lock', async () => {
    if (!isStale('dist/web/index.html', sources)) return
    const begun = new Date()
    const words = ['build', '--config', 'web/vite.config.ts', '--outDir', at('dist/web.new'), '--logLevel', 'warn']
    await timed(say, 'the console', 15, () => run(bundler, words))
    utimesSync(at('dist/web.new/index.html'), begun, begun)
    if (existsSync(at('dist/web'))) renameSync(at('dist/web'), at('dist/web.old'))
    renameSync(at('dist/web.new'), at('dist/web'))
    rmSync(at('dist/web.old'), { recursive: true, force: true })
  })
}

/** Does work that only one process may do at a time; a lock that is older than any such work takes was left behind. */
export async function alone(name, work) {
  const lock = at(name)
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const made = statSync(lock, { throwIfNoEntry: false })
      if (made && Date.now() - made.mtimeMs > 120_000) rmSync(lock, { recursive: true, force: true })
      else await sleep(100)
    }
  }
  locks.add(lock)
  try {
    return await work()
  } finally {
    locks.delete(lock)
    rmSync(lock, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const say = (line) => process.stderr.write(`${line}\n`)
  await buildServer(say)
  await buildConsole(say)
}
