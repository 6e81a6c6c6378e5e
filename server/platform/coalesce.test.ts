import { expect, test } from 'vitest'
import { coalesce } from './coalesce.ts'

test('house 3: runs never overlap, and calls during a run share the next one, also calls just after its end', async () => {
  let running = 0
  let runs = 0
  const run = coalesce(async () => {
    expect(++running).toBe(1)
    await Promise.resolve()
    running--
    return ++runs
  })
  for (let microtasks = 0; microtasks < 20; microtasks++) {
    const before = runs
    const first = run()
    const shared = [run(), run()]
    for (let at = 0; at < microtasks; at++) await Promise.resolve()
    const late = run()
    expect(await first).toBe(before + 1)
    expect(await Promise.all(shared)).toEqual([before + 2, before + 2])
    expect(await late).toBeLessThanOrEqual(before + 3)
  }
})
