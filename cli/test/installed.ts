import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyOfFolder, installClient, pack } from '../../client/test/packed.ts'
import { package_root } from '../../server/platform/package.ts'
import type { Env } from '../../server/platform/env-reader.ts'
import { startProcess, type Started } from '../../server/test/processes.ts'

const execute = promisify(execFile)

/** The dependencies of a package and their dependencies, except ours. */
async function dependenciesOf(folder: string, found = new Set<string>()): Promise<Set<string>> {
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  for (const name of Object.keys(dependencies))
    if (!name.startsWith('@plaza/') && !found.has(name)) {
      found.add(name)
      await dependenciesOf(join(package_root, 'node_modules', name), found)
    }
  return found
}

async function installPacked(folder: string) {
  await installClient(folder)
  const packs = join(folder, 'packs')
  await mkdir(join(packs, 'cli'), { recursive: true })
  const packed = await pack(join(packs, 'cli'), '@plaza/cli')
  const names = [...(await dependenciesOf(join(package_root, 'cli')))]
  const sources = names.map((name) => join(package_root, 'node_modules', name))
  await execute('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packs, ...sources])
  const others = (await readdir(packs)).filter((name) => name.endsWith('.tgz')).map((name) => join(packs, name))
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', ...others, packed], { cwd: folder })
}

/** `plaza`, packed and installed in an empty project next to the packed client, without a registry. */
export async function installPlaza() {
  const folder = await copyOfFolder('cli-project', installPacked)
  const [packed = ''] = await readdir(join(folder, 'packs/cli'))
  const bin = join(folder, 'node_modules/.bin')
  const start = (args: string[], env: Env = {}): Started =>
    startProcess(
      join(bin, 'plaza'),
      args,
      { XDG_CONFIG_HOME: join(folder, 'config'), ...env },
      {
        cwd: folder,
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    )
  return {
    folder,
    bin,
    packed: join(folder, 'packs/cli', packed),
    start,
    /** Runs a command to its end with this standard input. */
    async run(args: string[], env: Env = {}, input = '') {
      const started = start(args, env)
      started.child.stdin?.end(input)
      const { code, stdout, stderr } = await started.ended
      return { code, stdout, stderr }
    },
  }
}

/** The settings of a build server. */
export const settingsOf = (
  url: string,
  { client_id, client_secret }: { client_id: string; client_secret: string },
) => ({
  PLAZA_URL: url,
  PLAZA_CLIENT_ID: client_id,
  PLAZA_CLIENT_SECRET: client_secret,
})
