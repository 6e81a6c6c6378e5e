import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { package_root } from '../../server/platform/package.ts'
import { atEnd } from '../../server/test/at-end.ts'
import type { TestService } from '../../server/test/harness.ts'
import { waitUntil } from '../../server/test/wait.ts'
import { givePoints, someApp, someUser } from '../../server/test/world.ts'

const execute = promisify(execFile)

/** A project with only the packed client. */
export interface EmptyProject {
  folder: string
  /** The packed file. */
  packed: string
  /** Compiles `*.ts` of the project in strict mode with these further options; rejects with the errors. */
  compile(options?: Record<string, unknown>): Promise<void>
}

/** Packs a workspace, one process at a time, because packing rebuilds it. */
export async function pack(folder: string, workspace = '@plaza/client') {
  const script = `import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { withLock } from './scripts/build.mjs'
const args = ['pack', '--workspace', '${workspace}', '--pack-destination', ${JSON.stringify(folder)}, '--silent']
await withLock('dist/client.lock', () => promisify(execFile)('npm', args))`
  await execute(process.execPath, ['--input-type=module', '--eval', script], { cwd: package_root })
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  if (file === undefined) throw new Error('npm packed nothing')
  return join(folder, file)
}

const strict = {
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noUnusedLocals: true,
  noPropertyAccessFromIndexSignature: true,
}

/** A copy of a folder that the first file of the run makes; the copy is removed when the file is done. */
export async function copyOfFolder(name: string, make: (folder: string) => Promise<void>) {
  const made = join(inject('programs'), name)
  const is_first = await mkdir(`${made}.first`).then(
    () => true,
    () => false,
  )
  if (is_first) {
    await mkdir(`${made}.new`)
    await make(`${made}.new`)
    await rename(`${made}.new`, made)
  }
  await waitUntil(() => existsSync(made), `${name}, which another file makes`, { timeout_ms: 600_000 })
  const folder = await mkdtemp(join(tmpdir(), 'plaza-client-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  await cp(made, folder, { recursive: true, verbatimSymlinks: true })
  return folder
}

/** Packs the client, and installs it in a project that is empty. */
export async function installClient(folder: string) {
  await mkdir(join(folder, 'pack'))
  const packed = await pack(join(folder, 'pack'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], { cwd: folder })
}

/** An empty project in which the packed client is installed, without asking a registry; removed when the file is done. */
export async function emptyProject(): Promise<EmptyProject> {
  const folder = await copyOfFolder('client-project', installClient)
  const [packed = ''] = await readdir(join(folder, 'pack'))
  return {
    folder,
    packed: join(folder, 'pack', packed),
    async compile(options = { module: 'nodenext' }) {
      const config = { compilerOptions: { ...strict, ...options }, include: ['*.ts'] }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
      const tsc = join(package_root, 'node_modules/.bin/tsc')
      await execute(tsc, ['-p', '.'], { cwd: folder }).catch(({ stdout }: { stdout: string }) => {
        throw new Error(stdout)
      })
    },
  }
}

export const addFlow = ({ folder }: EmptyProject) => cp(join(import.meta.dirname, 'flow'), folder, { recursive: true })

/** The input of the flow: a person with 20 points, and an app. */
export async function flowSettings(plaza: TestService, redirect_uri = 'https://shop.test/callback') {
  const scopes = ['profile:read', 'points:read', 'points:spend'] as const
  const [user, app] = [
    await someUser(plaza),
    await someApp(plaza, { scopes: [...scopes], redirect_uris: [redirect_uri] }),
  ]
  await givePoints(plaza, user, 20)
  const { client_id, client_secret } = app
  return { user, settings: { url: plaza.url, client_id, client_secret, redirect_uri, person_token: user.token } }
}

/** The expected results of the flow. */
export const flowOf = (username: string, { has_secret }: { has_secret: boolean }) => ({
  username,
  points: 20,
  refreshes: has_secret ? 1 : 0,
  spent: [false, true, 17],
  refused: ['insufficient_points', 409, 'string'],
  amounts: [3, 20],
  event: 'Good evening!',
  balances: [17, 16],
  webhook: 'expired',
  ...(has_secret && { app: [6, 2, 2] }),
})

/** Plays the flow with this Node executable. */
export async function playWith(node: string, { folder }: EmptyProject, settings: object) {
  const { stdout } = await execute(node, ['run.js', JSON.stringify(settings)], { cwd: folder })
  return JSON.parse(stdout) as unknown
}
