import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { package_root, package_version } from '../../server/platform/package.ts'
import { addFlow, emptyProject } from './packed.ts'

const project = await emptyProject()

const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>

test('the packed file is complete: code, types and README, no dependency, the version and license of Plaza', async () => {
  const { stdout } = await promisify(execFile)('tar', ['-tzf', project.packed])
  const names = stdout.trim().split('\n')
  for (const name of ['package.json', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/generated/resources.d.ts'])
    expect(names).toContain(`package/${name}`)
  expect(names.filter((name) => !/^package\/(package\.json|README\.md|dist\/[\w/-]+\.(js|d\.ts))$/.test(name))).toEqual(
    [],
  )
  const manifest = await readJson(join(project.folder, 'node_modules/@plaza/client/package.json'))
  const { license } = await readJson(join(package_root, 'package.json'))
  expect([manifest.version, manifest.license, manifest.sideEffects, manifest.engines]).toEqual([
    package_version,
    license,
    false,
    { node: '>=20' },
  ])
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
})

test('a strict project compiles against it, with the resolution of Node and of bundlers', async () => {
  await addFlow(project)
  const of_node = { lib: ['es2022'], types: ['node'], typeRoots: [join(package_root, 'node_modules/@types')] }
  await project.compile({ module: 'nodenext', noEmit: true, ...of_node })
  await project.compile({ module: 'esnext', moduleResolution: 'bundler', noEmit: true })
  await project.compile()
})

test('calls that the credentials do not allow, or that lack a field, do not compile', async () => {
  const wrong = join(project.folder, 'wrong.ts')
  await writeFile(
    wrong,
    `import { appCredentials, openPlaza, pagesOf } from '@plaza/client'
const url = 'https://plaza.example'
const shop = openPlaza({ url, credentials: appCredentials({ client_id: '', client_secret: '' }) })
// @ts-expect-error an app spends nothing by itself
void shop.spendPoints({ amount: 1 })
// @ts-expect-error a hold has an id
void shop.captureHold({ amount: 1 })
// @ts-expect-error an amount is a number
void shop.captureHold({ id: '', amount: '1' })
// @ts-expect-error this call takes no key
void shop.getHold({ id: '' }, { idempotency_key: '' })
// @ts-expect-error nobody is signed in
void openPlaza({ url }).me()
// @ts-expect-error one hold is no list
void pagesOf(shop.getHold, { id: '' })
`,
  )
  await project.compile({ module: 'nodenext', noEmit: true })
  await writeFile(wrong, 'export {}')
})

test('every sample of the README compiles unchanged', async () => {
  const readme = await readFile(join(package_root, 'client/README.md'), 'utf8')
  const samples = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, sample = '']) => sample)
  expect(samples.length).toBeGreaterThan(8)
  for (const [at, sample] of samples.entries()) await writeFile(join(project.folder, `sample-${at}.ts`), sample)
  await project.compile({ module: 'nodenext', noEmit: true, noUnusedLocals: false })
  for (const at of samples.keys()) await writeFile(join(project.folder, `sample-${at}.ts`), 'export {}')
})

/** The size of a program that imports these names, minified and compressed, in bytes. */
async function bytesOf(names: string) {
  const contents = `export ${names} from '@plaza/client'`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project.folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

test('the package is at most 15 kB compressed, and unused exports are left out of bundles', async () => {
  const [all, webhooks, pages] = [await bytesOf('*'), await bytesOf('{ verifyWebhook }'), await bytesOf('{ rowsOf }')]
  process.stdout.write(
    `@plaza/client: ${all} bytes compressed, ${webhooks} for verifyWebhook alone, ${pages} for rowsOf\n`,
  )
  expect(all).toBeLessThanOrEqual(15_000)
  expect(webhooks).toBeLessThanOrEqual(2_000)
  expect(pages).toBeLessThanOrEqual(500)
})
