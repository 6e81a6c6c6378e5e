import { expect, test } from 'vitest'
import { sleep } from '../../test/wait.ts'
import { createGiveWay } from './give-way.ts'

/** The times at which three pieces of work of 10 ms begin and end, in order. */
async function timesOf(is_busy: boolean, fails = false) {
  const giveWay = createGiveWay({ isBusy: () => is_busy, factor: 100, pause_ms_max: 30 })
  const events: [string, number][] = []
  await Promise.allSettled(
    ['a', 'b', 'c'].map((name) =>
      giveWay(async () => {
        events.push([`${name} begins`, performance.now()])
        await sleep(10)
        events.push([`${name} ends`, performance.now()])
        if (fails) throw new Error('failed')
      }),
    ),
  )
  return events
}

test('D-130: without other work, parts of batches begin immediately', async () => {
  expect((await timesOf(false)).map(([name]) => name)).toEqual(
    ['begins', 'ends'].flatMap((what) => ['a', 'b', 'c'].map((name) => `${name} ${what}`)),
  )
})

test.each([false, true])(
  'D-130: beside other work, one part follows another after a bounded pause (failed: %s)',
  async (fails) => {
    const events = await timesOf(true, fails)
    expect(events.map(([name]) => name)).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]))
    // Timers may fire a millisecond early.
    for (const at of [2, 4]) expect(events[at]![1] - events[at - 1]![1]).toBeGreaterThanOrEqual(29)
  },
)
