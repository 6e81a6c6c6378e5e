import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { package_root } from '../server/platform/package.ts'
// Builds `dist` if it is stale.
import '../server/test/processes.ts'

/** The tree that `npm ci --omit=dev` leaves: without build tools. */
function productionTree() {
  const root = mkdtempSync(join(tmpdir(), 'plaza-tree-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  cpSync(join(package_root, 'scripts'), join(root, 'scripts'), { recursive: true })
  for (const folder of ['server', 'web', 'contract', 'client', 'content'])
    mkdirSync(join(root, folder), { recursive: true })
  return root
}

function npmRun(root: string, script: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script)], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('a built tree starts without a build, however new its sources are', () => {
  const root = productionTree()
  mkdirSync(join(root, 'dist/server'), { recursive: true })
  writeFileSync(join(root, 'dist/server/main.js'), 'console.log("started")')
  const tomorrow = new Date(Date.now() + 86_400_000)
  writeFileSync(join(root, 'server/app.ts'), 'export {}')
  utimesSync(join(root, 'server/app.ts'), tomorrow, tomorrow)
  expect(npmRun(root, 'scripts/start.mjs')).toEqual({ status: 0, stdout: 'started\n', stderr: '' })
})

test('without a build and without its tools, a start and a build say what to do', () => {
  const root = productionTree()
  expect(npmRun(root, 'scripts/start.mjs')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Nothing is built in dist, and the tools for that are not installed: run "npm ci && npm run build".\n',
  })
  expect(npmRun(root, 'scripts/build.mjs')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'The tools of a build are not installed: run "npm ci" without leaving out development dependencies.\n',
  })
})

test('Ctrl-C during a build ends it: one sentence, exit code 0, and nothing is locked for the next', async () => {
  const root = productionTree()
  mkdirSync(join(root, 'node_modules/vite/bin'), { recursive: true })
  mkdirSync(join(root, 'node_modules/esbuild'))
  // Builds that never end by themselves.
  writeFileSync(join(root, 'node_modules/vite/bin/vite.js'), 'setInterval(() => {}, 1_000)')
  writeFileSync(join(root, 'node_modules/esbuild/index.js'), 'exports.build = () => new Promise(() => {})')
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => void (stderr += chunk))
  await expect.poll(() => existsSync(join(root, 'dist/web.lock'))).toBe(true)
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(stderr.split('\n')).toEqual([
    'Building the service and the console: only the first time and after changes, about 15 s …',
    'Stopped before Plaza had started.',
    '',
  ])
  expect(readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.lock'))).toEqual([])
})

test('a build contains every file that the server reads besides its code', () => {
  const read = readdirSync(join(package_root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(sql|css)$/.test(name))
    .map((name) => join('server', name))
  const content = readdirSync(join(package_root, 'content/learning')).map((name) => join('content/learning', name))
  expect(read.length).toBeGreaterThan(20)
  for (const name of [...read, ...content])
    expect([name, readFileSync(join(package_root, 'dist', name), 'utf8')]).toEqual([
      name,
      readFileSync(join(package_root, name), 'utf8'),
    ])
  const built = readdirSync(join(package_root, 'dist/server'), { recursive: true, encoding: 'utf8' })
  expect(built.filter((name) => name.endsWith('.sql') && !existsSync(join(package_root, 'server', name)))).toEqual([])
})
