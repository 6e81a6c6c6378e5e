import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { package_root } from './package.ts'

/** Verifies a token in a process of its own, lets go of it, and searches what the heap still holds. */
const program = `
import { createHash } from 'node:crypto'
import { getHeapSnapshot } from 'node:v8'
import { openJwtRing } from './server/platform/jwt.ts'

const sha256 = (text) => createHash('sha256').update(text).digest('hex')
const ring = openJwtRing(['a secret of this test, long enough for the rule'], 'http://plaza.test')
const now = new Date()

/** Leaves of the token only its hash. */
function verifyOnce() {
  const iat = Math.floor(now.getTime() / 1000)
  const token = ring.sign({ sub: 'user', sid: 'session', iat, exp: iat + 60 })
  if (ring.verify(token, now)?.sub !== 'user') throw new Error('the token was refused')
  // The engine itself keeps the last text that a regular expression was matched with.
  RegExp('other').test('another text')
  return sha256(token)
}

const token_hash = verifyOnce()
globalThis.kept_on_purpose = 'kept'.concat(' on purpose')
globalThis.gc()
const chunks = []
for await (const chunk of getHeapSnapshot()) chunks.push(chunk)
const { strings } = JSON.parse(Buffer.concat(chunks).toString())
console.log(JSON.stringify({
  finds_strings: strings.includes('kept on purpose'),
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
