import { expect, onTestFinished, test } from 'vitest'
import { sharedService } from '../test/harness.ts'
import { raw } from '../test/world.ts'

const plaza = await sharedService()

/** Counts regular expressions compiled from now on. */
function countCompiled() {
  const { RegExp: original } = globalThis
  const counted = { patterns: 0 }
  globalThis.RegExp = new Proxy(original, {
    construct(target, words: [string, string?]) {
      counted.patterns++
      return new target(...words)
    },
  })
  onTestFinished(() => {
    globalThis.RegExp = original
  })
  return counted
}

test('a request without a route compiles no route’s pattern', async () => {
  const ask = () =>
    Promise.all([
      raw(plaza, 'GET', '/api/nothing/here'),
      raw(plaza, 'DELETE', '/api/points'),
      raw(plaza, 'PUT', '/api/deploy/apps/01900000-0000-7000-8000-000000000000'),
    ])
  expect((await ask()).map(({ status }) => status)).toEqual([404, 404, 405])
  const counted = countCompiled()
  for (let time = 0; time < 20; time++) await ask()
  expect(counted.patterns).toBeLessThan(20)
})
