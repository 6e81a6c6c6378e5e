import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { setEmailVerified } from '../../server/accounts/store.ts'
import { package_root } from '../../server/platform/package.ts'
import { firstAdmin, startTestService } from '../../server/test/harness.ts'
import { pkce, raw } from '../../server/test/world.ts'
import type { Play, World } from './flows/played.ts'
import { installTools, runTool, tools_modules } from './tools.ts'

const plaza = await startTestService()
await installTools()
const folder = await mkdtemp(join(tmpdir(), 'plaza-openapi-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const document = join(folder, 'openapi.json')
const generated = join(folder, 'generated')
await mkdir(generated)
await symlink(tools_modules, join(folder, 'node_modules'))
await writeFile(document, (await raw(plaza, 'GET', '/api/openapi.json')).text)
for (const name of ['played', 'openapi-fetch', 'hey-api'])
  await copyFile(join(import.meta.dirname, `flows/${name}.ts`), join(folder, `${name}.ts`))

/** Compiles a flow and its imports in strict mode, with the project's compiler. */
async function compile(flow: string) {
  const config = {
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      strict: true,
      noUncheckedIndexedAccess: true,
      noImplicitReturns: true,
      noImplicitOverride: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      types: [],
    },
    files: [`${flow}.ts`],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(package_root, 'node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder]).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
}

async function load(flow: string) {
  const outfile = join(folder, `${flow}.mjs`)
  await build({ entryPoints: [join(folder, `${flow}.ts`)], outfile, bundle: true, format: 'esm', platform: 'node' })
  const { play } = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as { play: Play }
  return play
}

function worldOf(flow: string): World {
  const someone = (role: string) => {
    const username = `${role}.${flow}`
    return { username, email: `${username}@people.test`, password: `the password of ${username}` }
  }
  const { code_verifier: verifier, code_challenge: challenge } = pkce()
  return {
    url: plaza.url,
    admin: firstAdmin,
    person: someone('p'),
    operator: someone('o'),
    pkce: { verifier, challenge },
    verified: (user_id) => setEmailVerified(plaza.db, user_id),
    key: (amount) => `${flow}-${amount}`,
  }
}

const generators: Record<string, () => Promise<unknown>> = {
  'openapi-fetch': () => runTool('openapi-typescript', [document, '-o', join(generated, 'schema.ts')]),
  'hey-api': () =>
    runTool('openapi-ts', ['-i', document, '-o', join(generated, 'hey-api'), '-c', '@hey-api/client-fetch']),
}

test.each(Object.keys(generators))(
  'D-114: a client by %s compiles strictly and goes from registration to a spend, with typed refusals',
  async (flow) => {
    await generators[flow]!()
    await compile(flow)
    const play = await load(flow)
    expect(await play(worldOf(flow))).toEqual({
      name: `p.${flow}`,
      points: 70,
      is_replayed: true,
      refusal: 'insufficient_points',
      faults: ['amount'],
    })
  },
)
