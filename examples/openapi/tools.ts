import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const folder = import.meta.dirname
const lock = join(folder, 'package-lock.json')
const installed_lock = join(folder, 'node_modules/.package-lock.json')

const isInstalled = () => existsSync(installed_lock) && statSync(installed_lock).mtimeMs >= statSync(lock).mtimeMs

const install =
  'test node_modules/.package-lock.json -nt package-lock.json || npm ci --ignore-scripts --no-audit --no-fund'

/**
 * Installs the tools if they are missing or have other versions; the project does not depend on them. Of several
 * concurrent processes, one installs and the others wait.
 */
export async function installTools() {
  if (!isInstalled()) await run('flock', [lock, 'sh', '-c', install], { cwd: folder })
}

export const tools_modules = join(folder, 'node_modules')

/** Runs a tool of this folder. Fails with its output. */
export async function runTool(name: string, args: readonly string[]) {
  const { stdout } = await run(join(tools_modules, '.bin', name), args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  })
  return stdout
}
