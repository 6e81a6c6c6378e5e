import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { package_root } from '../../server/platform/package.ts'
import { installTools } from './tools.ts'

await installTools()
const folder = await mkdtemp(join(tmpdir(), 'plaza-proxy-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const printed = join(package_root, 'docs/openapi.json')

interface Call {
  call: string
  status: number
  found: string | null
}

/** Runs the demo with Prism between it and the service; returns its last line and the calls. */
async function runDemo(name: string, document: string): Promise<{ last: string; calls: Call[] }> {
  const log = join(folder, `${name}.jsonl`)
  await writeFile(log, '')
  const between = pathToFileURL(join(import.meta.dirname, 'between.mjs')).href
  const env = {
    PATH: process.env.PATH,
    TMPDIR: folder,
    NODE_OPTIONS: `--import=${between}`,
    CALLS_LOG: log,
    OPENAPI_DOCUMENT: document,
  }
  const stdout = await new Promise<string>((done) => {
    const tsx = join(package_root, 'node_modules/.bin/tsx')
    const demo = ['examples/operator-app/demo.ts']
    execFile(tsx, demo, { cwd: package_root, env, timeout: 220_000 }, (_error, text) => done(text))
  })
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
  return { last: stdout.trimEnd().split('\n').at(-1) ?? '', calls: lines.map((line) => JSON.parse(line) as Call) }
}

test('the demo conforms to the document, checked by a validating proxy between it and the service', async () => {
  const { last, calls } = await runDemo('whole', printed)
  expect(calls.filter(({ found }) => found !== null)).toEqual([])
  expect(last).toBe('Everything is stopped and removed. The demo went well.')
  const operations = new Set(calls.map(({ call }) => call.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')))
  process.stdout.write(`${calls.length} calls of ${operations.size} operations went through the proxy\n`)
  expect(operations.size).toBeGreaterThanOrEqual(20)
})

test('the proxy reports a response that does not match the document', async () => {
  const document = JSON.parse(await readFile(printed, 'utf8')) as {
    components: { schemas: Record<string, { properties: Record<string, { type: string }> }> }
  }
  document.components.schemas.ExternalUser!.properties.username!.type = 'integer'
  const wrong = join(folder, 'wrong.json')
  await writeFile(wrong, JSON.stringify(document))
  const { last, calls } = await runDemo('wrong', wrong)
  const found = calls.filter((call) => call.found !== null)
  expect(found.map(({ call, status }) => [call, status])).toEqual([['GET /api/external/user', 500]])
  expect(found[0]?.found).toContain('username')
  expect(last).toMatch(/^The demo failed after step/)
})
