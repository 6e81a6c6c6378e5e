import { expect, test } from 'vitest'
import { createGiveWay } from './give-way.ts'

/** The order in which three pieces of work of this many ms begin and end, with the pauses between them. */
async function orderOf(is_busy: boolean, work_ms = 10, fails = false) {
  let time = 0
  const events: string[] = []
  const giveWay = createGiveWay({
    isBusy: () => is_busy,
    factor: 2,
    pause_ms_max: 30,
    now: () => time,
    pause: async (ms) => {
      events.push(`${ms} ms`)
      time += ms
    },
  })
  const work = (name: string) => async () => {
    events.push(`${name} begins`)
    await Promise.resolve()
    time += work_ms
    events.push(`${name} ends`)
    if (fails) throw new Error('failed')
  }
  await Promise.allSettled(['a', 'b', 'c'].map((name) => giveWay(work(name))))
  return events
}

test('D-130: without other work, parts of batches begin immediately', async () => {
  expect(await orderOf(false)).toEqual(['a begins', 'b begins', 'c begins', 'a ends', 'b ends', 'c ends'])
})

test.each([
  [20, 10, false],
  [20, 10, true],
  [30, 100, false],
])(
  'D-130: beside other work, a part begins %i ms after one of %i ms has ended (failed: %s)',
  async (ms, work_ms, fails) => {
    const order = ['0 ms', 'a begins', 'a ends', `${ms} ms`, 'b begins', 'b ends', `${ms} ms`, 'c begins', 'c ends']
    expect(await orderOf(true, work_ms, fails)).toEqual(order)
  },
)
