import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { package_root } from './package.ts'

/** Verifies a token in a child process, releases it, and searches a heap snapshot for it. */
const program = `
import { createHash } from 'node:crypto'
import { getHeapSnapshot } from 'node:v8'
import { openJwtKeyRing } from './server/platform/jwt.ts'

const sha256 = (text) => createHash('sha256').update(text).digest('hex')
const ring = openJwtKeyRing(['a secret of this test, long enough for the rule'], 'http://plaza.test')
const now = new Date()

/** Returns only the hash of the token. */
function verifyOnce() {
  const iat = Math.floor(now.getTime() / 1000)
  const token = ring.sign({ sub: 'user', sid: 'session', iat, exp: iat + 60 })
  if (ring.verify(token, now)?.sub !== 'user') throw new Error('the token was refused')
  // V8 retains the last subject string of a regular expression.
  RegExp('other').test('another text')
  return sha256(token)
}

const token_hash = verifyOnce()
globalThis.retained_global = 'retained'.concat(' by a global')
globalThis.gc()
const chunks = []
for await (const chunk of getHeapSnapshot()) chunks.push(chunk)
const { strings } = JSON.parse(Buffer.concat(chunks).toString())
console.log(JSON.stringify({
  finds_strings: strings.includes('retained by a global'),
  finds_token: strings.some((text) => sha256(text) === token_hash),
}))
`

test('a verified JWT does not stay in memory', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--expose-gc', '--input-type=module', '--eval', program],
    { cwd: package_root },
  )
  expect(JSON.parse(stdout)).toEqual({ finds_strings: true, finds_token: false })
})
