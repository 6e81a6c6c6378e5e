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
    const options = { cwd: package_root, env: { PATH: process.env.PATH, TMPDIR: folder, ...env }, timeout: 220_000 }
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

test('D-30, D-09, D-97, D-98, D-101: the demo signs a user in through an unmodified library, spends once, sells with a hold and a refund, hears its webhooks, and leaves nothing behind', async () => {
  const { status, stdout, stderr } = await runDemo()
  expect([status, stderr], stdout.join('\n')).toEqual([0, ''])
  expect(stdout.slice(-9)).toEqual([
    ' 9. A sticker for 30 points is bought twice with one Idempotency-Key: taken once, 70 points are left.',
    '10. Ursula orders a poster: 40 points are held, 30 are left to spend.',
    '11. The shop ships it for 25 points: they are captured, 15 come back.',
    '12. It arrives scratched, and the shop returns 10 points.',
    '13. Plaza’s webhooks tell the shop of both; its verifier of Standard Webhooks accepts them. 55 points are left.',
    "14. Olga reads her app's balance: 45 points.",
    '15. Ursula signs out of the app, which revokes its tokens.',
    '16. The admin has the books checked: 4 transfers, all in balance.',
    'Everything is stopped and removed. The demo went well.',
  ])
  expect(await leftBehind()).toEqual([])
})

/** Loaded before the demo: makes the ledger check report that the books do not balance. */
const bad_books = `const send = fetch
globalThis.fetch = (url, init) => String(url).endsWith('/api/admin/ledger/check')
  ? Promise.resolve(Response.json({ balanced: false, faults: [], transfers: 0 }))
  : send(url, init)`

test('the demo exits with 1 when a step fails, and still leaves nothing behind', async () => {
  const { status, stdout } = await runDemo({
    NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(bad_books).toString('base64')}`,
  })
  expect([status, stdout.at(-1)]).toEqual([1, 'The demo failed after step 15: expected: the books balance'])
  expect(await leftBehind()).toEqual([])
})
