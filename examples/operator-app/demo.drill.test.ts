import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../../server/test/build.ts'
import { startProcess } from '../../server/test/processes.ts'

/** Runs the demo with these options of Node; returns its exit code, output and leftover files. */
async function runDemo(node_options = '') {
  const files = await mkdtemp(join(tmpdir(), 'plaza-demo-drill-'))
  onTestFinished(() => rm(files, { recursive: true, force: true }))
  const program = await bundleProgram('examples/operator-app/demo.ts')
  const { ended } = startProcess(process.execPath, [program], { TMPDIR: files, NODE_OPTIONS: node_options })
  const { code, stdout, stderr } = await ended
  return { code, stderr, lines: stdout.trimEnd().split('\n'), left_behind: await readdir(files) }
}

test('D-30, D-09, D-97, D-98, D-101: the demo plays its whole flow', async () => {
  const { code, stderr, lines, left_behind } = await runDemo()
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
  expect(left_behind).toEqual([])
})

/** Makes each registration fail. */
const failing_fetch = `
const direct = fetch
globalThis.fetch = (input, init) => String(input.url ?? input).endsWith('/api/auth/register')
  ? Promise.resolve(Response.json({ error: 'internal_error', message: 'out of order' }, { status: 500 }))
  : direct(input, init)`

test('when a step fails, the demo exits with 1 and leaves nothing behind', async () => {
  const { code, lines, left_behind } = await runDemo(
    `--import data:text/javascript,${encodeURIComponent(failing_fetch)}`,
  )
  expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/^The demo failed after step 1: .*out of order/)])
  expect(left_behind).toEqual([])
})
