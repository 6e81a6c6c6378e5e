import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const folder = import.meta.dirname
const lock = join(folder, 'package-lock.json')
const installed_lock = join(folder, 'node_modules/.package-lock.json')

const isInstalled = () => existsSync(installed_lock) && statSync(installed_lock).mtimeMs >= statSync(lock).mtimeMs

/** Installs the tools if they are missing or have other versions; the project does not depend on them. */
export async function installTools() {
  if (!isInstalled()) await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
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
