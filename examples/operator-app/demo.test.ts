import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { package_root } from '../../server/platform/package.ts'

const folder = await mkdtemp(join(tmpdir(), 'demo-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the demo like `npm run demo`, with its temporary files in a folder of the test. */
function runDemo(
  env: Record<string, string> = {},
): Promise<{ status: number | string; stdout: string[]; stderr: string }> {
  return new Promise((done) => {
    const tsx = join(package_root, 'node_modules/.bin/tsx')
    const options = { cwd: package_root, env: { PATH: process.env.PATH, TMPDIR: folder, ...env }, timeout: 100_000 }
    execFile(tsx, ['examples/operator-app/demo.ts'], options, (error, stdout, stderr) =>
      done({
        status: error ? (error.code ?? String(error.signal)) : 0,
        stdout: stdout.trimEnd().split('\n'),
        stderr,
      }),
    )
  })
}

const leftBehind = async () => (await readdir(folder)).filter((name) => !name.startsWith('tsx-'))

test('D-30, D-09: the demo signs a user in through an unmodified library, spends once, and leaves nothing behind', async () => {
  const { status, stdout, stderr } = await runDemo()
  expect([status, stderr], stdout.join('\n')).toEqual([0, ''])
  expect(stdout.slice(-5)).toEqual([
    ' 9. A sticker for 30 points is bought twice with one Idempotency-Key: taken once, 70 points are left.',
    "10. Olga reads her app's balance: 30 points earned.",
    '11. Ursula signs out of the app, which revokes its tokens.',
    '12. The admin has the books checked: 2 transfers, all in balance.',
    'Everything is stopped and removed. The demo went well.',
  ])
  expect(await leftBehind()).toEqual([])
})

/** Loaded before the demo: the ledger check answers that the books do not balance. */
const bad_books = `const send = fetch
globalThis.fetch = (url, init) => String(url).endsWith('/api/admin/ledger/check')
  ? Promise.resolve(Response.json({ balanced: false, faults: [], transfers: 0 }))
  : send(url, init)`

test('the demo exits with 1 when a step fails, and still leaves nothing behind', async () => {
  const { status, stdout } = await runDemo({
    NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(bad_books).toString('base64')}`,
  })
  expect([status, stdout.at(-1)]).toEqual([1, 'The demo failed after step 11: expected: the books balance'])
  expect(await leftBehind()).toEqual([])
})
