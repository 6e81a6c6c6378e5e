import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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

/**
 * Runs the demo with Prism between it and the service; returns its exit code and output, the calls, and leftover files.
 */
async function runDemo(name: string, document: string) {
  const log = join(folder, `${name}.jsonl`)
  await writeFile(log, '')
  const files = join(folder, name)
  await mkdir(files)
  const between = pathToFileURL(join(import.meta.dirname, 'between.mjs')).href
  const env = {
    PATH: process.env.PATH,
    TMPDIR: files,
    NODE_OPTIONS: `--import=${between}`,
    CALLS_LOG: log,
    OPENAPI_DOCUMENT: document,
  }
  const ended = await new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
    const tsx = join(package_root, 'node_modules/.bin/tsx')
    const demo = ['examples/operator-app/demo.ts']
    execFile(tsx, demo, { cwd: package_root, env }, (error, stdout, stderr) =>
      done({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    )
  })
  const calls = (await readFile(log, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Call)
  const left_behind = (await readdir(files)).filter((file) => !file.startsWith('tsx-'))
  return { ...ended, lines: ended.stdout.trimEnd().split('\n'), calls, left_behind }
}

test('D-30, D-09, D-97, D-98, D-101: the demo plays its whole flow and conforms to the document, checked by a validating proxy', async () => {
  const { code, stderr, lines, calls, left_behind } = await runDemo('whole', printed)
  expect([code, stderr], lines.join('\n')).toEqual([0, ''])
  expect(lines.slice(-14)).toEqual([
    '11. A sticker for 30 points is bought twice with one Idempotency-Key: taken once, 70 points are left.',
    '12. Ursula orders a poster: 40 points are held, 30 are left to spend.',
    '13. The shop ships it for 25 points: they are captured, 15 come back.',
    '14. It arrives scratched, and the shop returns 10 points.',
    '15. Plaza’s webhooks tell the shop of both; its verifier of Standard Webhooks accepts them. 55 points are left.',
    "16. Olga reads her app's balance: 45 points.",
    '17. The shop pays the prizes of its contest to Ursula, Vera, Walt in one call: 15 points.',
    '18. A build server deploys with a key that may only deploy. The app pays the first month, 25 points, from its income.',
    '19. With the same key it may neither pay anybody nor read the balance: 403 secret_not_permitted.',
    '20. Olga, an owner of the team, withdraws the 5 points that are left.',
    '21. Ursula signs out of the app, which revokes its tokens.',
    '22. An auditor has the books checked: 9 transfers, all in balance.',
    '23. Xenia, the auditor, reads payments, books and audit log, and may award no point: 403 role_required.',
    'Everything is stopped and removed. The demo went well.',
  ])
  expect(calls.filter(({ found }) => found !== null)).toEqual([])
  const operations = new Set(calls.map(({ call }) => call.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')))
  expect(operations.size).toBeGreaterThanOrEqual(20)
  expect(left_behind).toEqual([])
})

test('the proxy reports a response that does not match the document; the demo then exits with 1 and leaves nothing behind', async () => {
  const document = JSON.parse(await readFile(printed, 'utf8')) as {
    components: { schemas: Record<string, { properties: Record<string, { type: string }> }> }
  }
  document.components.schemas.ExternalUser!.properties.username!.type = 'integer'
  const wrong = join(folder, 'wrong.json')
  await writeFile(wrong, JSON.stringify(document))
  const { code, lines, calls, left_behind } = await runDemo('wrong', wrong)
  const found = calls.filter((call) => call.found !== null)
  expect(found.map(({ call, status }) => [call, status])).toEqual([['GET /api/external/user', 500]])
  expect(found[0]?.found).toContain('username')
  expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/^The demo failed after step/)])
  expect(left_behind).toEqual([])
})
