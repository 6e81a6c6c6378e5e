import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { package_root } from '../platform/package.ts'

async function runBuild(name: 'buildServer' | 'buildConsole' | 'bundle', ...args: unknown[]) {
  const script = `import { ${name} } from './scripts/build.mjs'\nawait ${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: package_root })
}

/** Builds the service if it is stale. */
export const buildServer = () => runBuild('buildServer')

/** Builds the console if it is stale, as `npm start` would, because a build takes longer than tests wait for a start. */
export const buildConsole = () => runBuild('buildConsole')

const programs = new Map<string, Promise<string>>()

/** Bundles a program of the tests as the build bundles the service, once per worker. Returns its file, which is removed after the run. */
export function bundleProgram(source: string): Promise<string> {
  const program = programs.get(source) ?? bundleNew(source)
  programs.set(source, program)
  return program
}

async function bundleNew(source: string) {
  const folder = await mkdtemp(join(inject('programs'), 'program-'))
  await runBuild('bundle', [source], folder)
  return join(folder, `${basename(source, '.ts')}.js`)
}
