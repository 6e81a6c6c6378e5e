// Builds what is stale, then runs the built service in this very process, so that signals reach it.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const stamp = join(root, 'dist/.tsbuildinfo')

const newest = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((time, entry) => Math.max(time, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0)

const sources = ['contract', 'client', 'server'].filter((folder) => existsSync(join(root, folder)))
const stale = !existsSync(stamp) || Math.max(...sources.map(newest)) > statSync(stamp).mtimeMs

if (stale && existsSync(compiler)) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
  utimesSync(stamp, new Date(), new Date())
}
await import(join(root, 'dist/server/main.js'))
